//! One of several processes that contend for the same limit: `contender URL ALGORITHM ROUNDS CALLS PROCESSES`.
//!
//! Each round has a key of its own and begins when every process has arrived. Prints how many calls were admitted in
//! each. A call of a leaky bucket is admitted when it is accepted; when it would start, nobody waits to see.
#![allow(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool of the tests: it fails loudly"
)]

use ratelimit::{
    Limit,
    store::{Charge, Outcome, Store as _, redis::Redis},
};
use std::{sync::Arc, time::Duration};

const LIMIT: u64 = 100;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, algorithm, rounds, calls, processes] = <[String; 5]>::try_from(arguments).unwrap();
    let (rounds, calls): (u32, u32) = (rounds.parse().unwrap(), calls.parse().unwrap());
    let processes: i64 = processes.parse().unwrap();
    let rate = format!("{LIMIT}/day");
    let limit = Limit::builder("contended").key("round").rate(&rate).algo(&algorithm);
    let limit = if algorithm == "leaky_bucket" { limit.queue(LIMIT) } else { limit }.build().unwrap();
    let numbers = limit.rule().numbers();
    let patience = Duration::from_secs(60);
    let store = Redis::builder(url.clone()).connect_timeout(patience).response_timeout(patience);
    let store = Arc::new(store.build().unwrap());
    let mut barrier = redis::Client::open(url).unwrap().get_connection().unwrap();
    for round in 0..rounds {
        let arrived = format!("arrived:{round}");
        let _: () = redis::cmd("INCR").arg(&arrived).query(&mut barrier).unwrap();
        while redis::cmd("GET").arg(&arrived).query::<i64>(&mut barrier).unwrap() < processes {
            std::hint::spin_loop();
        }
        let tasks: Vec<_> = (0..calls)
            .map(|_| {
                let store = Arc::clone(&store);
                tokio::spawn(async move {
                    let key = format!("contended:{round}");
                    let charge =
                        Charge { numbers, key: key.as_bytes(), cost: 1, max_delay: None, hold: None };
                    let verdict = store.decide(&[charge]).await.unwrap()[0];
                    assert!(verdict.remaining <= LIMIT, "{verdict:?}");
                    matches!(verdict.outcome, Outcome::Allowed { .. })
                })
            })
            .collect();
        let mut admitted = 0;
        for task in tasks {
            admitted += u32::from(task.await.unwrap());
        }
        println!("{admitted}");
    }
}
