//! Methods of `async_trait(?Send)`, whose futures stay on one thread.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[async_trait::async_trait(?Send)]
trait Local {
    async fn run(&self, key: u8) -> Result<u8, Denied>;
}

struct Keyed {
    name: String,
}

#[async_trait::async_trait(?Send)]
impl Local for Keyed {
    #[rate_limit(key = "self.name + key", rate = "1/min")]
    async fn run(&self, key: u8) -> Result<u8, Denied> {
        let shared = std::rc::Rc::new(key);
        std::future::ready(()).await;
        Ok(*shared)
    }
}

fn main() {}
