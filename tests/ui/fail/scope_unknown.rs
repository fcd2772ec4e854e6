use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "10/min", scope = "instanc")]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
