//! What the attribute does: one file for each argument, under its name, and one for each kind of function.

mod algo;
mod burst;
mod cost;
mod crate_path;
mod deadline;
mod fail;
mod handler;
mod hygiene;
mod key;
mod limiter;
mod name;
mod neighbours;
mod precision;
mod queue;
mod rate;
mod shapes;
mod wait;

use ratelimit::{
    Limiter, ManualClock,
    store::{Answer, Charge, Receipt, Store, Verdicts},
};

/// A limiter of its own for one test, and the clock that drives it.
fn by_hand() -> (Limiter, ManualClock) {
    let clock = ManualClock::new();
    let limiter = Limiter::builder().clock(clock.clone()).build().expect("the defaults");
    (limiter, clock)
}

/// How many of `calls` calls in a row are admitted.
async fn admitted<T, E>(calls: usize, mut call: impl AsyncFnMut() -> Result<T, E>) -> usize {
    let mut admitted = 0;
    for _ in 0..calls {
        admitted += usize::from(call().await.is_ok());
    }
    admitted
}

/// A store that never answers.
#[derive(Debug)]
struct Silent;

impl Store for Silent {
    fn decide<'a>(&'a self, _charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        Answer::pending(std::future::pending())
    }

    fn give_back<'a>(&'a self, _charge: &'a Charge<'a>, _receipt: Receipt) -> Answer<'a, ()> {
        Answer::pending(std::future::pending())
    }
}
