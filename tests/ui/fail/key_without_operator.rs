use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user tenant", rate = "100/min")]
async fn limited(user: u64, tenant: u64) -> Result<(), Denied> {
    Ok(drop((user, tenant)))
}

fn main() {}
