//! Bodies that are one expression, and bodies with functions inside that are limited too.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "a", rate = "1/min")]
async fn one_expression(a: u8) -> Result<u8, Denied> {
    Ok(a)
}

#[rate_limit(key = "a", rate = "1/min")]
async fn nested(a: u8) -> Result<u8, Denied> {
    #[rate_limit(key = "b", rate = "1/min")]
    async fn inner(b: u8) -> Result<u8, Denied> {
        Ok(b)
    }
    let closure = async |c: u8| inner(c).await;
    closure(a).await
}

fn main() {}
