//! Lints that are allowed on a function, or in it, stay allowed.
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

fn main() {
    let _ = allowed(1, 2);
}
