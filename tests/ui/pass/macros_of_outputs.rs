//! A function that a macro makes with a return type of its caller's.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

macro_rules! of_type {
    ($name:ident, $output:ty, $body:block) => {
        #[rate_limit(key = "global", rate = "1/min")]
        async fn $name() -> $output $body
    };
}
of_type!(by_macro, Result<u8, Denied>, { Ok(1) });

fn main() {}
