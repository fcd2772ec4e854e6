//! Functions that a macro makes, with the macro's key, rate and cost.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

macro_rules! limited {
    ($($name:ident: $key:expr, $rate:literal, $cost:expr;)*) => {$(
        #[rate_limit(key = $key, rate = $rate, cost = $cost, burst = 12)]
        async fn $name(a: u8) -> Result<u8, Denied> {
            Ok(a)
        }
    )*};
}
limited! {
    one: "a", "1/s", 1;
    two: "global", "2/s", 10;
}

fn main() {}
