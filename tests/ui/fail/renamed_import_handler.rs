use ratelimit::{Denied, rate_limit};

use ratelimit::rate_limit as limited;

#[rate_limit(key = "ip", rate = "10/s")]
#[limited(key = "user", rate = "20/s")]
async fn search() {}

type Unused = Denied;

fn main() {}
