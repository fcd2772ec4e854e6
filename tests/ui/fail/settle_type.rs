use ratelimit::{Denied, rate_limit};

struct Usage {
    tokens: u64,
}

#[rate_limit(key = "user", rate = "100k tokens/min", cost = 500, settle = |usage: &u64| *usage)]
async fn complete(user: u64) -> Result<Usage, Denied> {
    Ok(Usage { tokens: user })
}

fn main() {
    drop(Usage { tokens: 1 }.tokens);
}
