//! A constant that is a function's own, as its key.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = N, rate = "1/min")]
async fn generic<T, const N: usize>(value: &T, array: &mut [u8; N]) -> Result<usize, Denied>
where
    T: ?Sized + AsRef<str>,
{
    array.fill(1);
    Ok(value.as_ref().len() + array.len())
}

fn main() {}
