//! The store in Redis or Valkey.

use super::{Answer, Charge, Receipt, Store, Verdicts};

/// Counts in Redis.
#[derive(Debug)]
pub struct Redis;

impl Redis {
    /// Opens.
    pub fn open(_url: &str) -> Result<Redis, std::io::Error> {
        todo!()
    }
}

impl Store for Redis {
    fn decide<'a>(&'a self, _charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        todo!()
    }

    fn give_back<'a>(&'a self, _charge: &'a Charge<'a>, _receipt: Receipt) -> Answer<'a, ()> {
        todo!()
    }
}
