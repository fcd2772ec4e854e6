use ratelimit::rate_limit;

#[rate_limit(key = "user", rate = "100/min")]
async fn find(user: u64) -> Option<u64> {
    Some(user)
}

fn main() {}
