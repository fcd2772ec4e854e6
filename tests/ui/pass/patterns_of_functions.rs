//! Parameters that are patterns of every kind.
#![deny(warnings)]
#![allow(dead_code, clippy::all)]

use ratelimit::{Denied, rate_limit};

struct Body {
    a: u8,
    inner: Inner,
}
#[derive(Clone, Copy)]
struct Inner {
    b: (u8, u8),
}

#[rate_limit(key = "x + y + a + b + kept + first + whole.0", rate = "1/min")]
async fn everything(
    (mut x, y): (u8, u8),
    Body { a, inner: Inner { b: (b, _) }, .. }: Body,
    _: Vec<u8>,
    ref kept: String,
    [first, ..]: [u8; 3],
    &z: &u8,
    whole @ (_, w): (u8, u8),
    deep @ _: u8,
) -> Result<u8, Denied> {
    x += 1;
    Ok(x + y + a + b + first + z + w + whole.0 + deep + kept.len() as u8)
}

fn main() {}
