//! Run with: cargo run --release -p ratelimit-bench
//!
//! What a limit costs, beside its peers: `memory`, `redis`, `layers` and `axum` select parts, `--rounds 5` is a quick look.
//!
//! A ratio is only worth something if both sides met the same machine, so each pair is measured in one run and in
//! turns ([`rounds`]): everybody for some milliseconds, then everybody again, and the ratio of each round is one
//! sample. Printed are the median and the middle half of the samples. This is why there is no criterion here: it is well
//! kept, but finishes one function before it begins the next, and compares with an earlier run; divan, which has not
//! been released since 2025-04, measures in the same order.
//!
//! Nothing is judged: a goal that is missed is printed and not an error. What is an error is a call that was denied or
//! failed, because it would have been counted for a fast one.

mod layers;
mod memory;
mod redis;
mod rounds;
mod service;
mod table;
mod walk;

use ratelimit::{Clock, Limiter};
use std::{fs, thread};

type Error = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "arguments: any of `memory`, `redis`, `layers`, `axum`, and `--rounds NUMBER`";
const PARTS: [&str; 4] = ["memory", "redis", "layers", "axum"];

struct Arguments {
    parts: Vec<String>,
    rounds: usize,
}

fn arguments() -> Result<Arguments, Error> {
    let mut found = Arguments { parts: Vec::new(), rounds: 51 };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => {
                let number = arguments.next().ok_or(USAGE)?;
                found.rounds = number.parse().ok().filter(|rounds| *rounds > 0).ok_or(USAGE)?;
            }
            part if PARTS.contains(&part) => found.parts.push(argument),
            _ => return Err(USAGE.into()),
        }
    }
    if found.parts.is_empty() {
        found.parts = PARTS.map(str::to_owned).into();
    }
    Ok(found)
}

/// Who reads the numbers should know what else the machine had to do.
#[expect(clippy::print_stdout, reason = "what a benchmark finds is its output")]
fn print_machine() {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown");
    println!("{cores} cores, load {load}");
}

fn main() -> Result<(), Error> {
    let Arguments { parts, rounds } = arguments()?;
    // A clock is named so that this one counts in memory whatever the environment says. By default there is room for
    // a million keys; the peer has no bound, and a full store would have to evict where the peer need not.
    Limiter::builder().clock(Clock::system()).memory_capacity(memory::CAPACITY).build()?.install()?;
    print_machine();
    for part in parts {
        match part.as_str() {
            "memory" => memory::run(rounds)?,
            "redis" => redis::run(rounds)?,
            "layers" => layers::run(rounds)?,
            _ => service::run(rounds)?,
        }
    }
    print_machine();
    Ok(())
}
