use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "tenant + (user | session)", rate = "10/min", colocate = "user")]
async fn f(tenant: u64, user: Option<u64>, session: u64) -> Result<(), Denied> {
    Ok(drop((tenant, user, session)))
}

fn main() {}
