//! Functions that return a boxed future, also on several ways.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::{future::Future, pin::Pin};

#[rate_limit(key = "a", rate = "1/min")]
fn ready(a: u8) -> std::pin::Pin<Box<dyn Future<Output = Result<u8, Denied>> + Send>> {
    #![allow(unused_mut)]
    if a == 0 {
        return Box::pin(std::future::ready(Ok(0)));
    }
    let mut b = a;
    Box::pin(async move { Ok(b) })
}

#[rate_limit(key = "a", rate = "1/min")]
fn boxed_block(a: u8) -> Pin<Box<dyn Future<Output = Result<u8, Denied>> + Send>> {
    Box::pin(async move {
        if a == 0 {
            return Ok(0);
        }
        Ok(a)
    })
}

fn main() {}
