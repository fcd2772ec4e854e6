use ratelimit::{Denied, rate_limit};

use ratelimit::rate_limit as limited;

#[rate_limit(key = "user", rate = "10/s")]
#[limited(key = "global", rate = "20/s")]
async fn search(user: u64) -> Result<(), Denied> {
    let _ = user;
    Ok(())
}

fn main() {}
