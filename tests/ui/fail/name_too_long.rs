use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "100/min", name = "the-search-of-everything-that-anybody-has-ever-written-into-this-database")]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
