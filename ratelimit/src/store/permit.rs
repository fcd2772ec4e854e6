//! Permits as a store knows them: who holds what, for how long, and what it cost in the end.

use super::Charge;
use core::{
    fmt,
    hash::BuildHasher,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use once_cell::sync::Lazy;
use std::hash::RandomState;

/// Names a permit in every store, also to other processes: 128 bits that are drawn once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PermitId {
    process: u64,
    number: u64,
}

/// The half that this process draws at random.
static PROCESS: Lazy<u64> = Lazy::new(|| RandomState::new().hash_one(std::process::id()));
static NEXT: AtomicU64 = AtomicU64::new(0);

impl PermitId {
    /// A permit that nobody has.
    pub fn new() -> PermitId {
        PermitId { process: *PROCESS, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Its bytes: what names it in a store.
    pub const fn to_bytes(self) -> [u8; 16] {
        // Both are widened; `From` is not const.
        ((self.process as u128) << 64 | self.number as u128).to_be_bytes()
    }
}

impl Default for PermitId {
    fn default() -> Self {
        PermitId::new()
    }
}

impl fmt::Debug for PermitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PermitId({:032x})", u128::from_be_bytes(self.to_bytes()))
    }
}

/// That what a charge takes can be corrected later, by this permit, while its holder is not silent for longer than a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The permit; all layers of a call have the same.
    pub permit: PermitId,
    /// How long the store keeps it without a renewal.
    pub lease: Duration,
}

/// What an admitted charge cost in the end.
#[derive(Clone, Copy, Debug)]
pub struct Settlement<'a> {
    /// The charge as it was decided, with its hold.
    pub charge: Charge<'a>,
    /// Units that it cost; 0 gives all of them back. A slot of `concurrency` is given back whatever it says.
    pub actual: u64,
}

/// What became of a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is applied.
    Applied {
        /// Units that could be charged nowhere: no more than one capacity can be owed.
        overrun: u64,
    },
    /// The permit is not known: its lease has ended, or it was never admitted. What was charged stays.
    Late,
    /// The permit was settled before; nothing is changed.
    Already,
}

/// What became of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// The lease is as long as at the beginning again.
    Renewed,
    /// It had ended. A slot of `concurrency` is held again, beside whoever has got it meanwhile; any other permit can no
    /// longer be settled.
    Lost,
}
