//! Taking a lock.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, also one that a panicking thread has poisoned: what stands behind the locks of this crate is whole at
/// every moment.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
