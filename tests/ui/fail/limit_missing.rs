use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", algo = "concurrency")]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
