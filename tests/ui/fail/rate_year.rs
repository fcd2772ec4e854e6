use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1000/year")]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
