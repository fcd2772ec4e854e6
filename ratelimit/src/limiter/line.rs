//! Waiting for admission in order of arrival.
//!
//! A denied call that is ready to wait stands in line with all of its process that want the same. The first of the line
//! sleeps until the store would admit it and asks again; the others wait for it to leave. Whoever comes while there is a
//! line does not ask before it is its turn: it would be served before those who came earlier.

use crate::{key::KeyBuf, lock::lock};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use smallvec::SmallVec;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// The lines of a limiter.
#[derive(Debug, Default)]
pub(super) struct Lines(Arc<Named>);

/// Lines by the keys that they wait for.
type Named = Mutex<HashMap<Box<[u8]>, Arc<Line>>>;

#[derive(Debug, Default)]
struct Line {
    /// Held by the first; the others get it in the order in which they asked for it.
    turn: Arc<Turn<()>>,
    length: AtomicUsize,
    /// Units that all in the line want, in the layer that they wait for.
    cost: AtomicU64,
    /// When the first expects to be admitted, in microseconds since the epoch.
    next: AtomicU64,
}

/// A place in a line, which is left when this is dropped.
#[derive(Debug)]
pub(super) struct InLine {
    lines: Arc<Named>,
    name: Box<[u8]>,
    line: Arc<Line>,
    cost: u64,
    turn: Option<OwnedMutexGuard<()>>,
}

impl Lines {
    /// Who waits for these keys, if anybody does.
    pub(super) fn ahead(&self, keys: &[KeyBuf]) -> Option<Ahead> {
        let lines = lock(&self.0);
        let line = lines.get(&name(keys))?;
        Some(Ahead { next: line.next.load(Ordering::Relaxed), cost: line.cost.load(Ordering::Relaxed) })
    }

    /// Goes to the end of the line.
    pub(super) fn join(&self, keys: &[KeyBuf], cost: u64) -> InLine {
        let name = name(keys);
        let line = Arc::clone(lock(&self.0).entry(name.clone()).or_default());
        line.length.fetch_add(1, Ordering::Relaxed);
        line.cost.fetch_add(cost, Ordering::Relaxed);
        InLine { lines: Arc::clone(&self.0), name, line, cost, turn: None }
    }
}

/// Those who came earlier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// When the first of them expects to be admitted, in microseconds since the epoch.
    pub(super) next: u64,
    /// Units that all of them want.
    pub(super) cost: u64,
}

impl InLine {
    /// Waits until all who came before have left.
    pub(super) async fn turn(&mut self) {
        if self.turn.is_none() {
            self.turn = Some(Arc::clone(&self.line.turn).lock_owned().await);
        }
    }

    /// Tells those behind when the first expects to leave.
    pub(super) fn expect(&self, at_micros: u64) {
        self.line.next.store(at_micros, Ordering::Relaxed);
    }
}

impl Drop for InLine {
    fn drop(&mut self) {
        let mut lines = lock(&self.lines);
        self.line.cost.fetch_sub(self.cost, Ordering::Relaxed);
        if self.line.length.fetch_sub(1, Ordering::Relaxed) == 1 {
            lines.remove(&self.name);
        }
    }
}

/// One name for all keys of a call; lengths keep two lists of keys apart.
fn name(keys: &[KeyBuf]) -> Box<[u8]> {
    let mut name: SmallVec<[u8; 256]> = SmallVec::new();
    for key in keys {
        name.extend_from_slice(&key.len().to_be_bytes());
        name.extend_from_slice(key);
    }
    name.into_boxed_slice()
}
