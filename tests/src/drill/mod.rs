//! Faults, and what comes of them: how long calls wait, what is decided, and how soon all is well again.

mod faults;

pub use faults::{Effect, Fault};

use crate::{Proxy, RedisServer};
use core::time::Duration;
use futures::future::join_all;
use ratelimit::{DeniedKind, FailMode, Limit, Limiter};
use std::time::Instant;

/// How long a call may wait for the store.
pub const DEADLINE: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(10);
/// How soon all is well again.
pub const RECOVERS_WITHIN: Duration = Duration::from_secs(2);

/// Units of the limit that is drilled, and of them the share of one process.
const UNITS: usize = 100;
const SHARE: usize = 50;
/// Calls before the fault, and during it: some wait for the deadline, and those behind them are not held up any more.
const BEFORE: usize = 30;
const AT_ONCE: usize = 4;
const ROUNDS: usize = 60;

/// What came of a fault under a fail mode.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The fault.
    pub fault: Fault,
    /// The mode.
    pub mode: FailMode,
    /// The longest wait but for one in a hundred, of the calls that may have waited for the store.
    pub waited: Duration,
    /// The same of those that were decided without it being asked.
    pub waited_open: Duration,
    /// Decisions that are not what was promised, in words.
    pub wrong: Vec<String>,
    /// From the end of the fault to the first answer of the store.
    pub recovered: Duration,
}

/// One drill.
///
/// # Panics
///
/// If a server does not do what it is told.
#[allow(clippy::expect_used, reason = "a test kit fails loudly")]
pub async fn drill(fault: Fault, mode: FailMode) -> Outcome {
    let (mut server, replica) = (RedisServer::start(), RedisServer::start());
    let proxy = Proxy::to(&server).await;
    let limiter = Limiter::builder().redis(proxy.url()).deadline(DEADLINE).build().expect("a limiter");
    let limit = |deadline| {
        let limit = Limit::builder("drill").key("user").rate("100/day").algo("fixed_window").fail(mode);
        limit.deadline(deadline).build().expect("a limit")
    };
    // Where the store is to answer, a machine that is busy gets the time for it.
    let patient = limit(PATIENCE);
    let limit = if fault.effect() == Effect::Answers { patient.clone() } else { limit(DEADLINE) };
    let mut wrong = Vec::new();

    fault.prepare(&server, &replica);
    let closed =
        Limit::builder("well").key("user").rate("1M/day").fail(FailMode::Closed).build().expect("a limit");
    recovery(&limiter, &closed).await;
    for _ in 0..BEFORE {
        let call = limiter.check(&patient).part("user", "ann").await;
        if call.is_err() {
            wrong.push(format!("before: {call:?}"));
        }
    }
    let key = server.keys().into_iter().find(|key| key.contains(":drill:")).expect("a key");
    fault.catch_up(&server);
    fault.begin(&mut server, &replica, &proxy, &key);

    let mut waits = Vec::new();
    let mut passed = 0;
    for round in 0..ROUNDS {
        let calls = (0..AT_ONCE).map(|_| async {
            let started = Instant::now();
            let outcome = limiter.check(&limit).part("user", "ann").await;
            (outcome.map(drop).map_err(|denied| denied.kind()), started.elapsed())
        });
        for (outcome, wait) in join_all(calls).await {
            waits.push((round, wait));
            passed += usize::from(outcome.is_ok());
            if !is_right(fault, mode, outcome) {
                wrong.push(format!("during: {outcome:?}"));
            }
        }
        if fault == Fault::ScriptsFlushed && round % 10 == 0 {
            fault.begin(&mut server, &replica, &proxy, &key);
        }
    }
    let expected = match (fault.effect(), mode) {
        (Effect::Answers, _) => UNITS - BEFORE,
        (Effect::Fails, FailMode::Local) => SHARE,
        (Effect::Fails, FailMode::Open) => ROUNDS * AT_ONCE,
        (Effect::Fails, FailMode::Closed) => 0,
    };
    if passed != expected {
        wrong.push(format!("{passed} passed, not {expected}"));
    }

    fault.end(&mut server, &replica, &proxy, &key);
    let recovered = recovery(&limiter, &closed).await;
    wrong.extend(afterwards(fault, &limiter).await);
    // Some had to wait for the deadline before the store was given up; the first rounds are those.
    let (first, later): (Vec<_>, Vec<_>) = waits.into_iter().partition(|(round, _)| *round < ROUNDS / 2);
    Outcome { fault, mode, waited: p99(first), waited_open: p99(later), wrong, recovered }
}

/// Whether a call during the fault was decided as promised.
fn is_right(fault: Fault, mode: FailMode, outcome: Result<(), DeniedKind>) -> bool {
    matches!(
        (fault.effect(), mode, outcome),
        (Effect::Answers, _, Ok(()) | Err(DeniedKind::Limited))
            | (Effect::Fails, FailMode::Open, Ok(()))
            | (Effect::Fails, FailMode::Closed, Err(DeniedKind::StoreUnavailable))
            | (Effect::Fails, FailMode::Local, Ok(()) | Err(DeniedKind::Limited))
    )
}

/// How long it takes until the store answers.
async fn recovery(limiter: &Limiter, closed: &Limit) -> Duration {
    let started = Instant::now();
    while limiter.check(closed).part("user", "somebody").await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(60), "not back");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    started.elapsed()
}

/// Nothing is admitted twice, and nobody gets what was decided of somebody else.
async fn afterwards(fault: Fault, limiter: &Limiter) -> Vec<String> {
    let limit =
        Limit::builder("drill").key("user").rate("100/day").algo("fixed_window").fail(FailMode::Closed);
    let Ok(limit) = limit.deadline(PATIENCE).build() else {
        return vec!["no limit".to_owned()];
    };
    let mut wrong = Vec::new();
    let mut admitted = 0;
    for _ in 0..=UNITS {
        admitted += usize::from(limiter.check(&limit).part("user", "ann").await.is_ok());
    }
    let most = if fault.loses_state() { UNITS } else { UNITS - BEFORE };
    if admitted > most {
        wrong.push(format!("{admitted} passed afterwards, of {most}"));
    }
    let calls = (0..50).map(|number| {
        let limit = &limit;
        async move {
            let exhausted = limiter.check(limit).part("user", "ann").await.is_err();
            let fresh = limiter.check(limit).part("user", format!("fresh{number}")).await.is_ok();
            exhausted && fresh
        }
    });
    let mixed_up = join_all(calls).await.into_iter().filter(|right| !right).count();
    if mixed_up > 0 {
        wrong.push(format!("{mixed_up} got what was decided of somebody else"));
    }
    wrong
}

fn p99(waits: Vec<(usize, Duration)>) -> Duration {
    let mut waits: Vec<Duration> = waits.into_iter().map(|(_, wait)| wait).collect();
    waits.sort_unstable();
    waits.get(waits.len().saturating_sub(1) * 99 / 100).copied().unwrap_or_default()
}
