use ratelimit::rate_limit;

#[rate_limit(key = "user", rate = "100/min")]
mod service {
    pub async fn limited(user: u64) {
        drop(user);
    }
}

fn main() {
    drop(service::limited(1));
}
