//! One of several processes that contend for the same limits: `contender URL ALGORITHM ROUNDS CALLS PROCESSES`.
//!
//! Each round has a key of its own and begins when every process has arrived. Prints how many calls were admitted in
//! each round.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool of the tests: it fails loudly")]

use ratelimit::{FailMode, Limit, Limiter};
use std::time::Duration;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, algorithm, rounds, calls, processes] = <[String; 5]>::try_from(arguments).unwrap();
    let (rounds, calls): (u32, u32) = (rounds.parse().unwrap(), calls.parse().unwrap());
    let processes: i64 = processes.parse().unwrap();
    let limiter = Limiter::builder().redis(url.clone()).deadline(Duration::from_secs(60)).build().unwrap();
    let limit = Limit::builder("contended").key("round").rate("100/day").algo(&algorithm);
    let limit = limit.fail(FailMode::Closed).build().unwrap();
    let mut barrier = redis::Client::open(url).unwrap().get_connection().unwrap();
    for round in 0..rounds {
        let key = format!("barrier:{algorithm}:{round}");
        let _: () = redis::cmd("INCR").arg(&key).query(&mut barrier).unwrap();
        while redis::cmd("GET").arg(&key).query::<i64>(&mut barrier).unwrap() < processes {
            std::hint::spin_loop();
        }
        let tasks: Vec<_> = (0..calls)
            .map(|_| {
                let (limiter, limit) = (limiter.clone(), limit.clone());
                tokio::spawn(async move {
                    // A leaky bucket would make an accepted call wait for minutes: it is accepted when it has to wait.
                    let call = limiter.check(&limit).part("round", round);
                    match tokio::time::timeout(Duration::from_secs(2), call.into_future()).await {
                        Ok(Ok(_)) => true,
                        Ok(Err(_)) => false,
                        Err(_waiting) => true,
                    }
                })
            })
            .collect();
        let mut admitted = 0;
        for task in tasks {
            admitted += u32::from(task.await.unwrap());
        }
        println!("{admitted}");
    }
    // Places of waiters that are dropped would be given back; the process ends instead.
    std::process::exit(0);
}
