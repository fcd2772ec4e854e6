//! Which limiter a call uses: one that was named, the task's, the process's, or the default.

use super::{Builder, Limiter};
use crate::{
    error::{Error, ErrorKind},
    site::first_conflict,
};
use core::ops::Deref;
use once_cell::sync::OnceCell;

/// The process's limiter; the default moves in with the first decision that finds it empty.
static PROCESS: OnceCell<Limiter> = OnceCell::new();

tokio::task_local! {
    static TASK: Limiter;
}

pub(super) fn install(limiter: Limiter) -> Result<(), Error> {
    if let Some((_, conflict)) = first_conflict() {
        return Err(Error::new(ErrorKind::Conflict, conflict));
    }
    PROCESS.set(limiter).map_err(|_| {
        Error::new(
            ErrorKind::AlreadyInstalled,
            "a limiter is in use already: install yours at start-up, once, before the first limited call",
        )
    })
}

pub(super) fn scope<F: Future>(limiter: Limiter, future: F) -> impl Future<Output = F::Output> {
    TASK.scope(limiter, future)
}

/// The limiter of one call; that of the process is not counted, so that cores do not fight over its count.
#[derive(Debug)]
pub(crate) enum Current {
    Process(&'static Limiter),
    Own(Limiter),
}

impl Current {
    pub(crate) fn find() -> Current {
        match TASK.try_with(Limiter::clone) {
            Ok(limiter) => Current::Own(limiter),
            Err(_) => Current::Process(PROCESS.get_or_init(Builder::default_limiter)),
        }
    }
}

impl Deref for Current {
    type Target = Limiter;

    fn deref(&self) -> &Limiter {
        match self {
            Current::Process(limiter) => limiter,
            Current::Own(limiter) => limiter,
        }
    }
}
