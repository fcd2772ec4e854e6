//! A constant of the type that a method belongs to, as its key; the type is called like a trait of the prelude.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

struct Sized<const N: usize>;

impl<const N: usize> Sized<N> {
    #[rate_limit(key = N, rate = "1/min")]
    async fn method(&self) -> Result<usize, Denied> {
        Ok(N)
    }
}

fn main() {}
