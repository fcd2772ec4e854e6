//! What the attribute does: one file for each argument, under its name, and one for each kind of function.

mod algo;
mod burst;
mod charge_if;
mod colocate;
mod cost;
mod crate_path;
mod current_permit;
mod deadline;
mod default_cost;
mod fail;
mod handler;
mod hygiene;
mod key;
mod lease;
mod limit;
mod limiter;
mod name;
mod neighbours;
mod on_cancel;
mod on_err;
mod plan;
mod precision;
mod queue;
mod rate;
mod scope;
mod settle;
mod shapes;
mod wait;
mod when;

use ratelimit::{
    Layer, Limit, Limiter, ManualClock,
    store::{Answer, Charge, Receipt, Renewals, Settlement, Settlements, Store, Verdicts},
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

/// Units left of a limit, which is looked at by a call of its own.
async fn left(limiter: &Limiter, limit: &Limit, tenant: &str) -> u64 {
    let look = limiter.check(limit).part("tenant", tenant).cost(0).await.expect("a look is never denied");
    look.decision().tightest().and_then(Layer::numbers).expect("memory answers").remaining
}

/// A store that never answers.
#[derive(Debug)]
struct Silent;

impl Store for Silent {
    fn decide<'a>(&'a self, _charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        Answer::pending(std::future::pending())
    }

    fn settle<'a>(&'a self, _settlements: &'a [Settlement<'a>]) -> Answer<'a, Settlements> {
        Answer::pending(std::future::pending())
    }

    fn renew<'a>(&'a self, _charges: &'a [Charge<'a>]) -> Answer<'a, Renewals> {
        Answer::pending(std::future::pending())
    }

    fn give_back<'a>(&'a self, _charge: &'a Charge<'a>, _receipt: Receipt) -> Answer<'a, ()> {
        Answer::pending(std::future::pending())
    }
}
