//! The store in this process's memory.

use super::{Answer, Charge, Receipt, Store, Verdicts};
use crate::time::Clock;

/// Counts in this process's memory, for a bounded number of keys.
#[derive(Debug)]
pub struct Memory {
    clock: Clock,
}

impl Memory {
    /// How many keys are kept unless [`Memory::with_capacity`] says otherwise.
    pub const DEFAULT_CAPACITY: usize = 1 << 20;

    /// A store of the default capacity that goes by the system's clock.
    pub fn new() -> Memory {
        Memory::with_capacity(Clock::system(), Memory::DEFAULT_CAPACITY)
    }

    /// A store for that many keys that goes by that clock.
    pub fn with_capacity(clock: Clock, keys: usize) -> Memory {
        let _ = keys;
        Memory { clock }
    }

    /// Decides without awaiting anything.
    pub(crate) fn decide_now(&self, _charges: &[Charge<'_>]) -> Verdicts {
        todo!()
    }

    /// Gives back without awaiting anything.
    pub(crate) fn give_back_now(&self, _charge: &Charge<'_>, _receipt: Receipt) {}

    /// Live keys now.
    pub fn len(&self) -> usize {
        0
    }

    /// Whether no key is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many live keys had to go because the store was full: each may have cost one limit.
    pub fn evicted(&self) -> u64 {
        0
    }
}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

impl Store for Memory {
    fn decide<'a>(&'a self, _charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        let _ = self.clock.now_micros();
        todo!()
    }

    fn give_back<'a>(&'a self, _charge: &'a Charge<'a>, _receipt: Receipt) -> Answer<'a, ()> {
        todo!()
    }
}
