use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1/s", burst = 20k)]
async fn search(user: u64) -> Result<(), Denied> {
    let _ = user;
    Ok(())
}

fn main() {}
