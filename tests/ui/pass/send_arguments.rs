//! Arguments that await, or leave the function, in a future that is `Send`.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::future::ready;

fn is_send<T: Send>(_: &T) {}

#[rate_limit(key = ready(key).await, rate = "1/min", cost = ready(1_u8).await)]
async fn awaits_in_its_arguments(key: u8) -> Result<u8, Denied> {
    Ok(key)
}

#[rate_limit(key = key.ok_or(Error::None)?, rate = "1/min")]
async fn leaves_in_its_arguments(key: Option<u8>) -> Result<(), Error> {
    Ok(())
}

enum Error {
    None,
    Denied(Denied),
}
impl From<Denied> for Error {
    fn from(denied: Denied) -> Self {
        Error::Denied(denied)
    }
}

fn main() {
    is_send(&awaits_in_its_arguments(1));
    is_send(&leaves_in_its_arguments(None));
}
