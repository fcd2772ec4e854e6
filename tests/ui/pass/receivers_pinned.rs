//! A method of a pinned `self`.
#![deny(warnings)]
#![allow(dead_code, clippy::all)]

use ratelimit::{Denied, rate_limit};
use std::pin::Pin;

struct Receiver(u8);
impl Receiver {
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_pin(self: Pin<&mut Self>) -> Result<u8, Denied> {
        Ok(self.0)
    }
}

fn main() {}
