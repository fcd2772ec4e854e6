//! A client of a soak: `soaker URL`. Calls limits without end, as fast as they answer, and says what passed.
//!
//! `a KEY SENT RECEIVED` for a call that was admitted, in microseconds since the epoch; every five seconds
//! `m RESIDENT_KB TASKS DENIED UNANSWERED`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool of the tests: it fails loudly")]

use ratelimit::{DeniedKind, FailMode, Limit, Limiter};
use ratelimit_tests::soak::{CALLERS, Counted, PERIOD, SUBJECTS, now_us};
use std::{
    fmt::Write as _,
    io::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

static DENIED: AtomicU64 = AtomicU64::new(0);
static UNANSWERED: AtomicU64 = AtomicU64::new(0);

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let url = std::env::args().nth(1).unwrap();
    let limiter = Limiter::builder().redis(url).fail(FailMode::Closed).build().unwrap();
    for caller in 0..CALLERS {
        let counted = if caller % 2 == 0 { Counted::FixedWindow } else { Counted::SlidingLog };
        tokio::spawn(call(limiter.clone(), counted, caller));
    }
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
        let resident = resident.trim().trim_end_matches(" kB");
        let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let [denied, unanswered] = [&DENIED, &UNANSWERED].map(|counter| counter.load(Ordering::Relaxed));
        println!("m {resident} {tasks} {denied} {unanswered}");
    }
}

async fn call(limiter: Limiter, counted: Counted, caller: usize) {
    let rate = counted.rate();
    let limit = Limit::builder(counted.name()).key("subject").rate(&rate).algo(counted.name());
    let limit = limit.build().unwrap();
    // A permit now and then: leases, settlements and late deliveries go on through every fault.
    let slots = Limit::builder("slots").key("subject").algo("concurrency").limit(100_000).lease("2s");
    let slots = slots.build().unwrap();
    let mut line = String::new();
    for number in caller.. {
        let subject = number % SUBJECTS;
        let sent = now_us();
        let outcome = if number % 16 == 0 {
            limiter.acquire(&limit).and(&slots).part("subject", subject).await
        } else {
            limiter.check(&limit).part("subject", subject).await
        };
        let received = now_us();
        match outcome {
            Ok(_) => {
                line.clear();
                writeln!(line, "a {}/{subject} {sent} {received}", counted.name()).unwrap();
                std::io::stdout().write_all(line.as_bytes()).unwrap();
            }
            Err(denied) if denied.kind() == DeniedKind::Limited => {
                DENIED.fetch_add(1, Ordering::Relaxed);
                // Not faster than a window allows it to matter.
                tokio::time::sleep(PERIOD / 200).await;
            }
            Err(_) => {
                UNANSWERED.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    }
}
