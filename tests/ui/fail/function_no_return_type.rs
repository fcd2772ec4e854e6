use ratelimit::rate_limit;

#[rate_limit(key = "user", rate = "100/min")]
async fn send(user: u64) {
    drop(user);
}

fn main() {}
