//! Run with: cargo run --release -p ratelimit-bench --bin capacity
//!
//! What a server can do, for the page `guide::capacity`: processor time of a decision, memory of a key, what persistence
//! costs, and what one decision adds to a call. Beside each stands the least that could be done instead, measured in the
//! same run. Every figure is the median of some rounds: `--rounds 3` is a quick look.

#![allow(clippy::print_stdout, reason = "what a benchmark finds is its output")]

use ratelimit::{Algorithm, FailMode, Limit, Limiter};
use ratelimit_tests::RedisServer;
use redis::{Client, IntoConnectionInfo, Value, aio::MultiplexedConnection, io::tcp::TcpSettings};
use std::{
    env, thread,
    time::{Duration, Instant},
};
use tokio::{runtime::Runtime, task::JoinSet};

type Error = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "arguments: `--rounds NUMBER`";
/// Calls of one round.
const CALLS: u32 = 40_000;
const USERS: u32 = 1_000;
/// Keys of which the memory is measured.
const KEYS: u32 = 50_000;
/// What many callers have in flight.
const MANY: u32 = 64;
const NAMES: [&str; 6] =
    ["token_bucket", "sliding_window", "sliding_log", "fixed_window", "leaky_bucket", "concurrency"];

fn main() -> Result<(), Error> {
    let rounds = rounds()?;
    let runtime = Runtime::new()?;
    println!("{} cores, shared by server and clients", thread::available_parallelism()?);
    processor(&runtime, rounds)?;
    memory(&runtime)?;
    persistence(&runtime, rounds)?;
    latency(&runtime, rounds)
}

fn rounds() -> Result<usize, Error> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Ok(9),
        ["--rounds", number] => number.parse().ok().filter(|rounds| *rounds > 0).ok_or(USAGE.into()),
        _ => Err(USAGE.into()),
    }
}

/// One that nobody reaches, of an algorithm by name.
fn limit(algorithm: &str) -> Result<Limit, Error> {
    let limit = Limit::builder(algorithm).key("user").algo(algorithm).lease("60s");
    Ok(match algorithm {
        "concurrency" => limit.limit(100_000).build()?,
        "token_bucket" => limit.rate("100k/h").burst(100_000).build()?,
        "leaky_bucket" => limit.rate("1000M/h").queue(100_000).wait(Duration::from_secs(1)).build()?,
        "sliding_log" => limit.rate("100k/min").build()?,
        _ => limit.rate("1M/h").build()?,
    })
}

fn limiter(server: &RedisServer) -> Result<Limiter, Error> {
    let limiter = Limiter::builder().redis(server.url()).deadline(Duration::from_secs(10));
    Ok(limiter.fail(FailMode::Closed).build()?)
}

async fn connect(server: &RedisServer) -> Result<MultiplexedConnection, Error> {
    let info =
        server.url().into_connection_info()?.set_tcp_settings(TcpSettings::default().set_nodelay(true));
    Ok(Client::open(info)?.get_multiplexed_async_connection().await?)
}

/// What is asked of a server.
#[derive(Clone)]
enum Work {
    Ping(MultiplexedConnection),
    Decide(Limiter, Limit),
}

impl Work {
    async fn call(&mut self, user: u32) -> Result<(), Error> {
        match self {
            Work::Ping(connection) => drop(redis::cmd("PING").query_async::<Value>(connection).await?),
            Work::Decide(limiter, limit) => {
                let permit = limiter.check(limit).part("user", user).await?;
                // A call in flight ends: its slot is given back by a command of its own.
                if limit.rule().algorithm() == Algorithm::Concurrency {
                    permit.settle(0).await;
                }
            }
        }
        Ok(())
    }

    /// So many calls of so many tasks; how long all took.
    fn run(&self, runtime: &Runtime, tasks: u32, calls: u32, users: u32) -> Result<Duration, Error> {
        runtime.block_on(async {
            let started = Instant::now();
            let mut running = JoinSet::new();
            for task in 0..tasks {
                let mut work = self.clone();
                running.spawn(async move {
                    for call in (task..calls).step_by(usize::try_from(tasks)?) {
                        work.call(call % users).await?;
                    }
                    Ok::<_, Error>(())
                });
            }
            while let Some(done) = running.join_next().await {
                done??;
            }
            Ok(started.elapsed())
        })
    }
}

fn processor(runtime: &Runtime, rounds: usize) -> Result<(), Error> {
    let server = RedisServer::start();
    let limiter = limiter(&server)?;
    let mut works = vec![("`PING`", Work::Ping(runtime.block_on(connect(&server))?))];
    for name in NAMES {
        works.push((name, Work::Decide(limiter.clone(), limit(name)?)));
    }
    println!(
        "\n| work | µs of the server, one at a time | {MANY} in flight | a second and core, {MANY} in flight |"
    );
    println!("|---|---|---|---|");
    let mut found = vec![[Vec::new(), Vec::new()]; works.len()];
    for round in 0..=rounds {
        for ((_, work), found) in works.iter().zip(&mut found) {
            for (tasks, found) in [1, MANY].into_iter().zip(found) {
                let calls = if tasks == 1 { CALLS / 8 } else { CALLS };
                let before = processor_time(&server)?;
                work.run(runtime, tasks, calls, USERS)?;
                let took = (processor_time(&server)? - before) * 1e6 / f64::from(calls);
                // The first one fills the keys.
                if round > 0 {
                    found.push(took);
                }
            }
            let _: () = server.ask(redis::cmd("FLUSHALL").arg("SYNC"));
        }
    }
    for ((name, _), [alone, many]) in works.iter().zip(found) {
        let (alone, many) = (median(alone), median(many));
        println!("| {name} | {alone:.1} | {many:.1} | {:.0} 000 |", 1e3 / many);
    }
    Ok(())
}

/// Seconds that the server has worked.
fn processor_time(server: &RedisServer) -> Result<f64, Error> {
    Ok(info(server, "cpu", "used_cpu_user")? + info(server, "cpu", "used_cpu_sys")?)
}

fn info(server: &RedisServer, section: &str, field: &str) -> Result<f64, Error> {
    let info: String = server.ask(redis::cmd("INFO").arg(section));
    let line = info.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    Ok(line.ok_or("a field that the server does not have")?.trim().parse()?)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

fn memory(runtime: &Runtime) -> Result<(), Error> {
    println!("\n| key | bytes | the same key with 16 digits | ratio |");
    println!("|---|---|---|---|");
    let of = |name: &'static str, calls: u32| (name, calls);
    let rows =
        NAMES.map(|name| of(name, 1)).into_iter().chain([of("sliding_log", 10), of("sliding_log", 100)]);
    for (name, calls) in rows {
        let server = RedisServer::start();
        let empty = info(&server, "memory", "used_memory")?;
        let keys = if calls > 10 { KEYS / 10 } else { KEYS };
        let (limiter, limit) = (limiter(&server)?, limit(name)?);
        if name == "concurrency" {
            // Held while it is measured.
            runtime.block_on(async {
                let mut held = Vec::new();
                for user in 0..keys {
                    held.push(limiter.acquire(&limit).part("user", user).await?);
                }
                report(&server, name, calls, keys, empty)?;
                drop(held);
                Ok::<_, Error>(())
            })?;
            continue;
        }
        Work::Decide(limiter, limit).run(runtime, MANY, keys * calls, keys)?;
        report(&server, name, calls, keys, empty)?;
    }
    Ok(())
}

fn report(server: &RedisServer, name: &str, calls: u32, keys: u32, empty: f64) -> Result<(), Error> {
    let each = |used: f64| (used - empty) / f64::from(keys);
    let ours = each(info(server, "memory", "used_memory")?);
    let names = server.keys();
    let _: () = server.ask(redis::cmd("FLUSHALL").arg("SYNC"));
    let mut connection = server.connect();
    for names in names.chunks(1_000) {
        let mut pipeline = redis::pipe();
        for name in names {
            pipeline.cmd("SET").arg(name).arg("1712345678901234").arg("PX").arg(3_600_000).ignore();
        }
        pipeline.query::<()>(&mut connection)?;
    }
    let bare = each(info(server, "memory", "used_memory")?);
    let calls = if calls == 1 { String::new() } else { format!(", {calls} calls") };
    println!("| {name}{calls} | {ours:.0} | {bare:.0} | {:.2} |", ours / bare);
    Ok(())
}

fn persistence(runtime: &Runtime, rounds: usize) -> Result<(), Error> {
    let options = [
        ("none", vec!["--appendonly", "no"]),
        ("`appendfsync everysec`", vec!["--appendonly", "yes", "--appendfsync", "everysec"]),
        ("`appendfsync always`", vec!["--appendonly", "yes", "--appendfsync", "always"]),
    ];
    let mut works = Vec::new();
    for (name, options) in &options {
        let server = RedisServer::start_with(options);
        let work = Work::Decide(limiter(&server)?, limit("token_bucket")?);
        works.push((name, server, work, Vec::new()));
    }
    for round in 0..=rounds {
        for (_, _, work, found) in &mut works {
            let took = work.run(runtime, MANY, CALLS / 4, USERS)?;
            if round > 0 {
                found.push(took.as_secs_f64());
            }
        }
    }
    println!("\n| persistence | decisions a second, {MANY} in flight, as a share of those without |");
    println!("|---|---|");
    let mut without = None;
    for (name, _, _, found) in works {
        let took = median(found);
        println!("| {name} | {:.2} |", *without.get_or_insert(took) / took);
    }
    Ok(())
}

fn latency(runtime: &Runtime, rounds: usize) -> Result<(), Error> {
    let server = RedisServer::start();
    let works = [
        ("`PING`", Work::Ping(runtime.block_on(connect(&server))?)),
        ("token_bucket", Work::Decide(limiter(&server)?, limit("token_bucket")?)),
    ];
    println!("\n| one call at a time | p50 | p99 |");
    println!("|---|---|---|");
    for (name, mut work) in works {
        let mut waits = Vec::new();
        runtime.block_on(async {
            for call in 0..1_000 + 2_000 * u32::try_from(rounds)? {
                let started = Instant::now();
                work.call(call % USERS).await?;
                if call >= 1_000 {
                    waits.push(started.elapsed());
                }
            }
            Ok::<_, Error>(())
        })?;
        waits.sort_unstable();
        let at = |hundredth: usize| waits.get(waits.len() * hundredth / 100).copied().unwrap_or_default();
        println!("| {name} | {:.0} µs | {:.0} µs |", at(50).as_secs_f64() * 1e6, at(99).as_secs_f64() * 1e6);
    }
    Ok(())
}
