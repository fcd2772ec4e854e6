//! Several layers in one call, and calls that are settled, beside plain calls: what the caller waits, and what the server
//! works.

use crate::{
    Error,
    redis::{spread, strict},
    rounds::{Contender, in_turns},
    table::{Goal, Ratio, Table},
    walk::Walk,
};
use ratelimit::{Check, Limit, Limiter};
use ratelimit_tests::RedisServer;
use redis::Connection;
use std::cell::RefCell;
use tokio::runtime::Runtime;

const NOTES: [&str; 3] = [
    "Token buckets by user, nobody denied, on a redis-server of its own on loopback; nothing is pinned.",
    "Waited: one task, seconds a call. Worked: CPU seconds of the server a call (INFO cpu), one task, or 64 whose calls",
    "reach the server together. `four calls` are four calls of one layer each, sent at once.",
];

const USERS: u32 = 1_000;

/// What is measured of a call.
#[derive(Clone, Copy)]
enum Measure {
    Waited,
    Worked,
}

/// What a call is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    OneLayer,
    FourLayers,
    FourCalls,
    Settled,
}

struct Bench {
    runtime: Runtime,
    limiter: Limiter,
    limits: Vec<Limit>,
    server: Connection,
}

pub(crate) fn run(rounds: usize) -> Result<(), Error> {
    let server = RedisServer::start();
    let limits = (0..4).map(|layer| {
        let name = format!("layer{layer}");
        Limit::builder(&name).key("user").algo("token_bucket").rate("1/min").burst(100_000_000).build()
    });
    let mut bench = Bench {
        runtime: Runtime::new()?,
        limiter: strict(&server)?,
        limits: limits.collect::<Result<_, _>>()?,
        server: redis::Client::open(server.url())?.get_connection()?,
    };
    let table = Table::begin("Layers and settling over Redis", &NOTES, "what", Ratio::Time);
    for (what, measure, tasks, [ours, peer], goal) in [
        ("waited", Measure::Waited, 1, [Kind::FourLayers, Kind::OneLayer], None),
        ("worked, one task", Measure::Worked, 1, [Kind::FourLayers, Kind::OneLayer], Some(Goal(1.8))),
        ("worked, 64 tasks", Measure::Worked, 64, [Kind::FourLayers, Kind::FourCalls], Some(Goal(0.7))),
        ("waited", Measure::Waited, 1, [Kind::Settled, Kind::OneLayer], None),
        ("worked, one task", Measure::Worked, 1, [Kind::Settled, Kind::OneLayer], None),
        ("worked, 64 tasks", Measure::Worked, 64, [Kind::Settled, Kind::OneLayer], None),
    ] {
        let bench = &RefCell::new(&mut bench);
        let contender =
            |kind: Kind| Contender::new(kind.name(), move || bench.borrow_mut().slice(kind, measure, tasks));
        let times = in_turns(rounds, vec![contender(ours), contender(peer)])?;
        if let [ours, peer] = times.as_slice() {
            table.row(what, ours, peer, goal);
        }
    }
    Ok(())
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::OneLayer => "one layer",
            Kind::FourLayers => "four layers",
            Kind::FourCalls => "four calls",
            Kind::Settled => "acquire and settle",
        }
    }
}

impl Bench {
    fn slice(&mut self, kind: Kind, measure: Measure, tasks: u32) -> Result<f64, Error> {
        let calls = 600 / tasks.min(6);
        let before = self.cpu()?;
        let waited = spread(&self.runtime, tasks, calls, |seed| {
            let (limiter, limits) = (self.limiter.clone(), self.limits.clone());
            async move {
                let mut walk = Walk::by_chance(USERS, seed);
                for _ in 0..calls {
                    call(kind, &limiter, &limits, walk.user()).await?;
                }
                Ok(())
            }
        })?;
        match measure {
            Measure::Waited => Ok(waited),
            Measure::Worked => Ok((self.cpu()? - before) / f64::from(tasks * calls)),
        }
    }

    /// CPU seconds that the server has worked so far.
    fn cpu(&mut self) -> Result<f64, Error> {
        let info: String = redis::cmd("INFO").arg("cpu").query(&mut self.server)?;
        let seconds = |name: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.ok_or("no such line in INFO cpu")?.trim().parse::<f64>().map_err(Error::from)
        };
        Ok(seconds("used_cpu_user")? + seconds("used_cpu_sys")?)
    }
}

async fn call(kind: Kind, limiter: &Limiter, limits: &[Limit], user: &str) -> Result<(), Error> {
    let [first, second, third, fourth] = limits else { return Err("four limits".into()) };
    let of_user = |check: Check| check.part("user", user);
    match kind {
        Kind::OneLayer => drop(of_user(limiter.check(first)).await?),
        Kind::FourLayers => {
            drop(of_user(limiter.check(first).and(second).and(third).and(fourth)).await?);
        }
        Kind::FourCalls => {
            let [first, second, third, fourth] =
                [first, second, third, fourth].map(|limit| of_user(limiter.check(limit)).into_future());
            tokio::try_join!(first, second, third, fourth)?;
        }
        Kind::Settled => drop(of_user(limiter.acquire(first).cost(2)).await?.settle(1).await),
    }
    Ok(())
}
