#![allow(unused)]

use ratelimit::{rate_limit};

#[rate_limit(key = "ip", rate = "1/s")]
#[rustfmt::skip]
async fn limited(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8, n: u8, o: u8, p: u8) {}

fn main() {}
