//! What stands on a function stays on it.
#![deny(warnings)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1/s")]
#[allow(unused_variables)]
async fn allowed(user: u8, unused: u8) -> Result<(), Denied> {
    #![allow(unused_mut)]
    let mut never_changed = user;
    let _ = never_changed;
    Ok(())
}

#[cfg_attr(all(), rate_limit(key = "user", rate = "1/s"))]
#[cfg_attr(any(), rate_limit(key = "nonsense", rate = "1/s"))]
#[inline]
async fn conditional(user: u8) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "user", rate = "1/s")]
async unsafe fn dangerous(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {
    let _ = allowed(1, 2);
    let _ = conditional(1);
    // The function does nothing that is not safe.
    let _ = unsafe { dangerous(1) };
}
