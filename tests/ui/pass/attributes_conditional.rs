//! The attribute written by `cfg_attr`, beside one that is not.
#![deny(warnings)]

use ratelimit::{Denied, rate_limit};

#[cfg_attr(all(), rate_limit(key = "user", rate = "1/s"))]
#[cfg_attr(any(), rate_limit(key = "nonsense", rate = "1/s"))]
#[inline]
async fn conditional(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {
    let _ = conditional(1);
}
