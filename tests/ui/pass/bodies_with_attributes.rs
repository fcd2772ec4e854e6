//! Bodies with attributes and documentation of their own.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "a", rate = "1/min")]
async fn inner_attributes(a: u8) -> Result<u8, Denied> {
    #![allow(unused_variables)]
    //! And documentation.
    let unused = 1;
    Ok(a)
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn handler_with_inner_attributes() {
    #![allow(unused_variables)]
    let unused = 1;
}

fn main() {}
