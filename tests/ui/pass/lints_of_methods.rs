//! A method in a crate that allows nothing: generated code has no finding of its own.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, missing_debug_implementations, unused_qualifications, unreachable_pub)]

use ratelimit::{Denied, rate_limit};

/// A service.
#[derive(Debug)]
pub struct Service;

impl Service {
    /// Limited.
    ///
    /// # Errors
    ///
    /// If it is.
    #[rate_limit(key = "user", rate = "1/s", cost = u64::from(user))]
    pub async fn limited(&self, user: u8) -> Result<u8, Denied> {
        Ok(user)
    }
}

fn main() {
    let _ = Service.limited(1);
}
