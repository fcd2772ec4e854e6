//! One decision in memory, beside governor's keyed limiter.

use crate::{
    Error,
    rounds::{Contender, Times, in_turns},
    table::{Goal, Ratio, Table},
    walk::Walk,
};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use ratelimit::{Clock, Denied, Limit, Limiter, rate_limit};
use std::{
    hint::black_box,
    num::NonZeroU32,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};
use tokio::runtime::{self, Runtime};

/// Room for a million keys and for those that chance puts into one shard.
pub(crate) const CAPACITY: usize = 4_000_000;

/// The bucket of both sides: nobody empties it, and no key becomes idle in the meantime.
const RATE: &str = "1/min";
const BURST: NonZeroU32 = NonZeroU32::new(100_000_000).expect("not zero");

const NOTES: [&str; 5] = [
    "Token bucket beside GCRA, nobody denied, all keys known. Keys by chance, 13 bytes each, from the stack.",
    "governor 0.10 with its defaults (dashmap, quanta), its key a String built for each call.",
    "Limiter::check knows the limit at run time; rate_limit is an annotated function and the installed limiter.",
    "Ours also answers remaining and reset, and hands out a permit. Both sides pay for naming the user: see `naming`.",
    "With 2 threads: the mean of both, on one limiter.",
];

#[rate_limit(name = "annotated", key = "user", algo = "token_bucket", rate = "1/min", burst = 100_000_000)]
async fn annotated(user: &str) -> Result<(), Denied> {
    black_box(user);
    Ok(())
}

/// So many calls of one contender.
type Work<'a> = &'a (dyn Fn(&Runtime, &mut Walk, u32) -> Result<(), Error> + Sync);

pub(crate) fn run(rounds: usize) -> Result<(), Error> {
    let table = Table::begin("One decision in memory", &NOTES, "keys, threads", Ratio::Time);
    // Few keys first: the annotated function has one limiter for all.
    for keys in [1, 1_000, 1_000_000] {
        let limiter = Limiter::builder().clock(Clock::system()).memory_capacity(CAPACITY).build()?;
        let limit = Limit::builder("checked").key("user").algo("token_bucket").rate(RATE);
        let limit = limit.burst(u64::from(BURST.get())).build()?;
        let quota = Quota::per_minute(NonZeroU32::MIN).allow_burst(BURST);
        let (owned, formatted) = (governor(quota), governor(quota));

        let check = |runtime: &Runtime, walk: &mut Walk, calls: u32| {
            runtime.block_on(async {
                for _ in 0..calls {
                    black_box(limiter.check(&limit).part("user", black_box(walk.user())).await?);
                }
                Ok(())
            })
        };
        let annotated = |runtime: &Runtime, walk: &mut Walk, calls: u32| {
            runtime.block_on(async {
                for _ in 0..calls {
                    annotated(black_box(walk.user())).await?;
                }
                Ok(())
            })
        };
        let governor_owned = |_: &Runtime, walk: &mut Walk, calls: u32| {
            for _ in 0..calls {
                owned.check_key(&black_box(walk.user()).to_owned()).map_err(|_| "governor denied")?;
            }
            Ok(())
        };
        let governor_formatted = |_: &Runtime, walk: &mut Walk, calls: u32| {
            for _ in 0..calls {
                let key = format!("user={}", black_box(walk.user()));
                formatted.check_key(&key).map_err(|_| "governor denied")?;
            }
            Ok(())
        };
        let naming = |_: &Runtime, walk: &mut Walk, calls: u32| {
            for _ in 0..calls {
                black_box(walk.user());
            }
            Ok(())
        };
        let contenders: [(&str, Work<'_>); 5] = [
            ("Limiter::check", &check),
            ("rate_limit", &annotated),
            ("governor, to_owned", &governor_owned),
            ("governor, format!", &governor_formatted),
            ("naming", &naming),
        ];

        let runtime = runtime()?;
        for (_, work) in contenders {
            work(&runtime, &mut Walk::over_all(), keys)?;
        }
        for threads in [1, 2] {
            let contenders = contenders.iter().map(|(name, work)| {
                Contender::new(
                    name,
                    move || if threads == 1 { alone(keys, *work) } else { together(keys, *work) },
                )
            });
            print(&table, keys, threads, &in_turns(rounds, contenders.collect())?);
        }
    }
    Ok(())
}

fn print(table: &Table, keys: u32, threads: u32, times: &[Times]) {
    let goal = match (keys, threads) {
        (1_000, 1) => Some(Goal(0.7)),
        (1_000_000, 1) => Some(Goal(0.4)),
        _ => None,
    };
    let [check, annotated, owned, formatted, naming] = times else { return };
    let work = format!("{keys}, {threads}");
    for ours in [check, annotated] {
        for peer in [owned, formatted] {
            table.row(&work, ours, peer, goal);
        }
    }
    table.row(&work, naming, owned, None);
}

fn governor(quota: Quota) -> DefaultKeyedRateLimiter<String> {
    RateLimiter::keyed(quota)
}

fn runtime() -> Result<Runtime, Error> {
    Ok(runtime::Builder::new_current_thread().build()?)
}

/// A slice of one thread: short, so that most of them are not interrupted.
fn alone(keys: u32, work: Work<'_>) -> Result<f64, Error> {
    const CALLS: u32 = 20_000;
    let runtime = runtime()?;
    let mut walk = Walk::by_chance(keys, seed());
    work(&runtime, &mut walk, CALLS / 4)?;
    let start = Instant::now();
    work(&runtime, &mut walk, CALLS)?;
    Ok(per_call(start.elapsed(), CALLS))
}

/// A slice of two threads: longer, so that they do meet.
fn together(keys: u32, work: Work<'_>) -> Result<f64, Error> {
    const CALLS: u32 = 100_000;
    let barrier = Barrier::new(2);
    let thread = || {
        // Both get to the barrier, whatever happens before.
        let ready = runtime().and_then(|runtime| {
            let mut walk = Walk::by_chance(keys, seed());
            work(&runtime, &mut walk, CALLS / 20)?;
            Ok((runtime, walk))
        });
        barrier.wait();
        let (runtime, mut walk) = ready?;
        let start = Instant::now();
        work(&runtime, &mut walk, CALLS)?;
        Ok::<_, Error>(per_call(start.elapsed(), CALLS))
    };
    thread::scope(|scope| {
        let other = scope.spawn(thread);
        let own = thread()?;
        let other = other.join().map_err(|_| "a thread panicked")??;
        Ok((own + other) / 2.0)
    })
}

fn per_call(elapsed: Duration, calls: u32) -> f64 {
    elapsed.as_secs_f64() / f64::from(calls)
}

/// Another walk each time.
fn seed() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static SEED: AtomicU32 = AtomicU32::new(1);
    SEED.fetch_add(1, Ordering::Relaxed)
}
