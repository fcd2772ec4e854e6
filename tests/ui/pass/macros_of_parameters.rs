//! A function that a macro makes with a parameter and a body of its caller's.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

macro_rules! parameter_of_the_macro {
    ($parameter:ident, $body:block) => {
        #[rate_limit(key = $parameter, rate = "1/s", cost = $parameter)]
        async fn parameter_of_the_macro($parameter: u8) -> Result<u8, Denied> $body
    };
}
parameter_of_the_macro!(x, { Ok(x) });

fn main() {}
