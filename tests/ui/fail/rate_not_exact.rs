use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "9007199254740993/s")]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
