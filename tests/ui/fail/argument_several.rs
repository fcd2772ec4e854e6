use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "usr", rate = "100/mn", burts = 3, wait = 5)]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
