//! Methods of `self`, borrowed and owned.
#![deny(warnings)]
#![allow(dead_code, clippy::all)]

use ratelimit::{Denied, rate_limit};

struct Receiver(u8);
impl Receiver {
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_ref(&self) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_mut(&mut self) -> Result<u8, Denied> {
        self.0 += 1;
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_value(self) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_mutable_value(mut self) -> Result<u8, Denied> {
        self.0 += 1;
        Ok(self.0)
    }
}

fn main() {}
