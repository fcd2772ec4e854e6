//! Async functions of a trait: default ones, with and without a receiver, and those of its `impl`.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

trait Native {
    const LIMIT: usize;
    async fn required(&self, key: u8) -> Result<u8, Denied>;
    #[rate_limit(key = "key", rate = "1/min")]
    async fn provided(&self, key: u8) -> Result<u8, Denied> {
        self.required(key).await
    }
    #[rate_limit(key = Self::LIMIT, rate = "1/min")]
    async fn without_receiver() -> Result<usize, Denied> {
        Ok(Self::LIMIT)
    }
}

struct A;

impl Native for A {
    const LIMIT: usize = 1;
    #[rate_limit(key = "key", rate = "1/min")]
    async fn required(&self, key: u8) -> Result<u8, Denied> {
        Ok(key)
    }
}

fn main() {}
