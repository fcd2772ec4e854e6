//! The clock that decisions in memory are taken by.

use core::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use std::{
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};
use tokio::sync::Notify;

/// What time it is, in microseconds since the epoch.
///
/// The system's clock is read once, at creation, and moved on by the monotonic one: windows are aligned to UTC, and
/// nobody who sets the system's clock opens a window.
#[derive(Clone, Debug)]
pub struct Clock(Kind);

#[derive(Clone, Debug)]
enum Kind {
    System { start: Instant, epoch_micros: u64 },
    Manual(ManualClock),
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Clock {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock(Kind::System { start: Instant::now(), epoch_micros: micros(epoch) })
    }

    pub(crate) fn now_micros(&self) -> u64 {
        match &self.0 {
            Kind::System { start, epoch_micros } => epoch_micros.saturating_add(micros(start.elapsed())),
            Kind::Manual(clock) => clock.0.now.load(Ordering::SeqCst),
        }
    }

    /// Waits until that much time has passed on this clock.
    pub(crate) async fn sleep(&self, duration: Duration) {
        match &self.0 {
            Kind::System { .. } => tokio::time::sleep(duration).await,
            Kind::Manual(clock) => clock.sleep(duration).await,
        }
    }
}

impl From<ManualClock> for Clock {
    fn from(clock: ManualClock) -> Clock {
        Clock(Kind::Manual(clock))
    }
}

/// A clock driven by hand, for tests of applications: it stands still until it is told to move.
///
/// Clones share the same time.
///
/// ```
/// use ratelimit::{Limiter, ManualClock};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let limiter = Limiter::builder().clock(clock.clone()).build()?;
/// clock.advance(Duration::from_secs(60)); // a minute passes for every limit of `limiter`
/// # let _ = limiter;
/// # Ok::<(), ratelimit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Hands>);

#[derive(Debug)]
struct Hands {
    now: AtomicU64,
    moved: Notify,
}

impl ManualClock {
    /// A clock that shows a full day (2020-01-01 00:00 UTC), so that every window has just begun.
    pub fn new() -> ManualClock {
        ManualClock::at(Duration::from_secs(1_577_836_800))
    }

    /// A clock that shows a time since the epoch.
    pub fn at(since_epoch: Duration) -> ManualClock {
        ManualClock(Arc::new(Hands { now: AtomicU64::new(micros(since_epoch)), moved: Notify::new() }))
    }

    /// Moves it forward.
    pub fn advance(&self, by: Duration) {
        self.0.now.fetch_add(micros(by), Ordering::SeqCst);
        self.0.moved.notify_waiters();
    }

    /// Sets it, also backwards.
    pub fn set(&self, since_epoch: Duration) {
        self.0.now.store(micros(since_epoch), Ordering::SeqCst);
        self.0.moved.notify_waiters();
    }

    async fn sleep(&self, duration: Duration) {
        let due = self.now().saturating_add(duration);
        loop {
            // Listening starts before the look at the hands, so that no move is missed.
            let moved = self.0.moved.notified();
            if self.now() >= due {
                return;
            }
            moved.await;
        }
    }

    /// The time it shows, since the epoch.
    pub fn now(&self) -> Duration {
        Duration::from_micros(self.0.now.load(Ordering::SeqCst))
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        ManualClock::new()
    }
}

/// A duration in whole microseconds; what is too long is for ever.
pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
