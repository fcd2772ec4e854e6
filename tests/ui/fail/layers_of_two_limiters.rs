use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "10/s", limiter = one())]
#[rate_limit(key = "global", rate = "20/s", limiter = two())]
async fn search(user: u64) -> Result<(), Denied> {
    let _ = user;
    Ok(())
}

fn main() {}
