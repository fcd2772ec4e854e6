use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "10/min", cost = 2, settle = |_| 1, on_cancel = |_| 2)]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
