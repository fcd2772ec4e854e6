//! Methods of `self` in an `Arc`, an `Rc` and a `Box`.
#![deny(warnings)]
#![allow(dead_code, clippy::all)]

use ratelimit::{Denied, rate_limit};
use std::{rc::Rc, sync::Arc};

struct Receiver(u8);
impl Receiver {
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_arc(self: Arc<Self>) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = self.0, rate = "1/min")]
    async fn by_rc(self: Rc<Self>) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_box(self: Box<Self>) -> Result<u8, Denied> {
        Ok(self.0)
    }
}

fn main() {}
