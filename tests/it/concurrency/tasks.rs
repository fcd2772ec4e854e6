//! Tasks of one process.

use futures::future::join_all;
use ratelimit::{
    Clock, Denied, Limit, Limiter, rate_limit,
    store::{Answer, Charge, Receipt, Renewals, Settlement, Settlements, Store, Verdicts, memory::Memory},
};
use std::{sync::Arc, time::Duration};
use tokio::{sync::Barrier, time::Instant};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn first_calls_of_a_fresh_key_share_one_bucket() {
    const TASKS: usize = 64;
    const KEYS: usize = 1_000;
    let limiter = Limiter::in_memory();
    let limit = Limit::builder("fresh").key("user").rate("10/day").build().unwrap();
    let barrier = Arc::new(Barrier::new(TASKS));
    let tasks = (0..TASKS).map(|_| {
        let (limiter, limit, barrier) = (limiter.clone(), limit.clone(), Arc::clone(&barrier));
        tokio::spawn(async move {
            let mut admitted = Vec::with_capacity(KEYS);
            for key in 0..KEYS {
                barrier.wait().await;
                admitted.push(limiter.check(&limit).part("user", key).await.is_ok());
            }
            admitted
        })
    });
    let admitted = join_all(tasks.collect::<Vec<_>>()).await;
    let admitted: Vec<Vec<bool>> = admitted.into_iter().map(|task| task.unwrap()).collect();
    for key in 0..KEYS {
        assert_eq!(admitted.iter().filter(|task| task[key]).count(), 10, "key {key}");
    }
}

/// A store of one shard whose answers take their time.
#[derive(Debug)]
struct Slow(Memory);

const SLOW: Duration = Duration::from_millis(50);

impl Store for Slow {
    fn decide<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        Answer::pending(async move {
            tokio::time::sleep(SLOW).await;
            let verdicts = self.0.decide(charges).await;
            tokio::time::sleep(SLOW).await;
            verdicts
        })
    }

    fn settle<'a>(&'a self, settlements: &'a [Settlement<'a>]) -> Answer<'a, Settlements> {
        self.0.settle(settlements)
    }

    fn renew<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Renewals> {
        self.0.renew(charges)
    }

    fn give_back<'a>(&'a self, charge: &'a Charge<'a>, receipt: Receipt) -> Answer<'a, ()> {
        self.0.give_back(charge, receipt)
    }
}

#[rate_limit(key = "user", rate = "1000/min")]
async fn annotated(user: usize) -> Result<usize, Denied> {
    tokio::task::yield_now().await;
    Ok(user)
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_task_never_wait_for_each_other() {
    let slow = Slow(Memory::with_capacity(Clock::system(), 1));
    let limiter = Limiter::builder().store(slow).deadline(Duration::from_secs(1)).build().unwrap();
    for users in [vec![1, 1], vec![1, 2], (0..500).collect()] {
        let started = Instant::now();
        let calls = users.iter().map(|user| limiter.scope(annotated(*user)));
        assert!(join_all(calls).await.iter().all(Result::is_ok));
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    }
}

#[test]
fn annotated_future_is_send_where_the_plain_one_is() {
    fn is_send<T: Send>(_: T) {}
    is_send(annotated(1));
    is_send(async || ());
}
