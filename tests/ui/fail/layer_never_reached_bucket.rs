use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "tenant", rate = "5/s", burst = 20)]
#[rate_limit(key = "tenant + user", rate = "300/min", burst = 30)]
async fn search(user: u64, tenant: u64) -> Result<(), Denied> {
    Ok(drop((user, tenant)))
}

fn main() {}
