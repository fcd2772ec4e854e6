use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "10/min", cost = 2, on_err = keep)]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
