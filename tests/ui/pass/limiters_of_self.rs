//! A limiter that `self` holds.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, Limiter, rate_limit};
use std::sync::Arc;

struct Service {
    limiter: Arc<Limiter>,
}

impl Service {
    #[rate_limit(key = "global", rate = "1/min", limiter = self.limiter)]
    async fn shared(&self) -> Result<(), Denied> {
        Ok(())
    }
}

fn main() {}
