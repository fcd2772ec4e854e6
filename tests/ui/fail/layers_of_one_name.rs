use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "10/s", name = "search")]
#[rate_limit(key = "tenant", rate = "1000/h", name = "search")]
async fn search(user: u64, tenant: u64) -> Result<(), Denied> {
    Ok(drop((user, tenant)))
}

fn main() {}
