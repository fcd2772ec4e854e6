//! An unsafe function stays unsafe, and nothing else becomes so.
#![deny(warnings)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1/s")]
async unsafe fn dangerous(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {
    // The function does nothing that is not safe.
    let _ = unsafe { dangerous(1) };
}
