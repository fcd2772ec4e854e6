//! Methods of `async_trait`, whose futures are `Send`: with every receiver, provided and implemented.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

struct A;

#[async_trait::async_trait]
trait Boxed: Send + Sync {
    async fn by_ref(&self, key: &str) -> Result<usize, Denied>;
    async fn by_mut(&mut self, key: String) -> Result<&mut Self, Denied>;
    async fn by_value(self, mut key: u8) -> Result<Box<dyn std::fmt::Display + Send>, Denied>;
    #[rate_limit(key = "key", rate = "1/min")]
    async fn provided(&self, key: &str) -> Result<usize, Denied> {
        self.by_ref(key).await
    }
}

#[async_trait::async_trait]
impl Boxed for A {
    #[rate_limit(key = "key", rate = "1/min")]
    async fn by_ref(&self, key: &str) -> Result<usize, Denied> {
        if key.is_empty() {
            return Ok(0);
        }
        Ok(key.len())
    }
    #[rate_limit(key = "key", rate = "1/min")]
    async fn by_mut(&mut self, key: String) -> Result<&mut Self, Denied> {
        let _ = key;
        Ok(self)
    }
    #[rate_limit(key = "key", rate = "1/min")]
    async fn by_value(self, mut key: u8) -> Result<Box<dyn std::fmt::Display + Send>, Denied> {
        key += 1;
        if key == 1 {
            return Ok(Box::new("one"));
        }
        Ok(Box::new(key))
    }
}

fn main() {}
