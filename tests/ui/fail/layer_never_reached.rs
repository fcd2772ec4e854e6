use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "200/min")]
#[rate_limit(key = "global", rate = "100/min")]
async fn search(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
