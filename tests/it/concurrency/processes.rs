//! Two processes that want the same units at the same moment.

use ratelimit::Algorithm;
use ratelimit_tests::RedisServer;
use std::process::{Command, Stdio};

const ROUNDS: usize = 20;

/// What each process was admitted, round by round.
fn contend(server: &RedisServer, algorithm: Algorithm) -> Vec<Vec<u64>> {
    let start = |_| {
        Command::new(env!("CARGO_BIN_EXE_contender"))
            .args([&server.url(), algorithm.word(), &ROUNDS.to_string(), "100", "2"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let processes: Vec<_> = (0..2).map(start).collect();
    let results = processes.into_iter().map(|process| {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{algorithm}");
        String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect()
    });
    results.collect()
}

fn never_one_too_many(algorithm: Algorithm) {
    let server = RedisServer::start();
    let admitted = contend(&server, algorithm);
    let sums: Vec<u64> = admitted[0].iter().zip(&admitted[1]).map(|(one, other)| one + other).collect();
    assert_eq!(sums, [100; ROUNDS], "{algorithm}: {admitted:?}");
}

#[test]
fn two_processes_share_a_fixed_window_exactly() {
    never_one_too_many(Algorithm::FixedWindow);
}

#[test]
fn two_processes_share_a_sliding_log_exactly() {
    never_one_too_many(Algorithm::SlidingLog);
}

#[test]
fn two_processes_share_a_sliding_window_exactly() {
    never_one_too_many(Algorithm::SlidingWindow);
}

#[test]
fn two_processes_share_a_token_bucket_exactly() {
    never_one_too_many(Algorithm::TokenBucket);
}

#[test]
fn two_processes_share_the_places_of_a_leaky_bucket_exactly() {
    never_one_too_many(Algorithm::LeakyBucket);
}
