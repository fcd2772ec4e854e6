use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "10/s", burst = 20)]
#[rate_limit(key = "user", rate = "1000/h", burst = 50)]
async fn search(user: u64) -> Result<(), Denied> {
    let _ = user;
    Ok(())
}

fn main() {}
