use super::{admitted, by_hand};
use futures::future::{join_all, poll_immediate};
use ratelimit::{Denied, rate_limit};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

#[derive(Debug)]
enum LogIn {
    Denied,
    WrongPassword,
}

impl From<Denied> for LogIn {
    fn from(_: Denied) -> LogIn {
        LogIn::Denied
    }
}

#[rate_limit(key = "user", algo = "sliding_log", rate = "3/h", charge_if = |out| out.is_err())]
async fn log_in(user: &str, password: &str) -> Result<(), LogIn> {
    if password == "secret" { Ok(()) } else { Err(LogIn::WrongPassword) }
}

#[tokio::test]
async fn only_failures_count() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(20, || log_in("ann", "secret")).await, 20);
            for _ in 0..3 {
                assert!(matches!(log_in("ann", "guess").await, Err(LogIn::WrongPassword)));
            }
            assert!(matches!(log_in("ann", "secret").await, Err(LogIn::Denied)));
            clock.advance(Duration::from_secs(3_600));
            assert!(log_in("ann", "secret").await.is_ok());
        })
        .await;
}

#[rate_limit(key = "user", algo = "fixed_window", rate = "3/day", charge_if = |out| out.is_err())]
async fn guess(user: &str, tried: &AtomicUsize, answers: &Semaphore) -> Result<(), LogIn> {
    tried.fetch_add(1, Ordering::SeqCst);
    let _answer = answers.acquire().await;
    Err(LogIn::WrongPassword)
}

#[tokio::test]
async fn guesses_at_once_are_no_more_than_the_limit_of_failures() {
    let (limiter, _clock) = by_hand();
    let (tried, answers) = (AtomicUsize::new(0), Arc::new(Semaphore::new(0)));
    limiter
        .scope(async {
            let mut guesses = Box::pin(join_all((0..50).map(|_| guess("ann", &tried, &answers))));
            assert!(poll_immediate(guesses.as_mut()).await.is_none());
            answers.add_permits(50);
            guesses.await;
            assert_eq!(tried.load(Ordering::SeqCst), 3);
            assert!(matches!(guess("ann", &tried, &answers).await, Err(LogIn::Denied)));
        })
        .await;
}
