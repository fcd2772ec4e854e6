use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "tenant + user", rate = "10/min", colocate = "tennant")]
async fn f(tenant: u64, user: u64) -> Result<(), Denied> {
    Ok(drop((tenant, user)))
}

fn main() {}
