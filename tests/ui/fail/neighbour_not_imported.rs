use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "ip", rate = "10/s")]
#[instrument]
async fn search() {}

type Unused = Denied;

fn main() {}
