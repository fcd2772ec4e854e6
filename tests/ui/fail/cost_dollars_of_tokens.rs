use ratelimit::{Denied, Usd, rate_limit};

#[rate_limit(key = "user", rate = "10 tokens/min", cost = Usd::from_micros(1))]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
