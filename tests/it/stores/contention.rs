//! Two processes that want the same units at the same moment.

use ratelimit_spec::Algorithm;
use ratelimit_tests::RedisServer;
use std::process::{Command, Stdio};

#[test]
fn two_processes_are_admitted_exactly_as_often_as_one() {
    let server = RedisServer::start();
    for algorithm in Algorithm::ALL {
        let processes: Vec<_> = (0..2)
            .map(|_| {
                Command::new(env!("CARGO_BIN_EXE_contender"))
                    .args([&server.url(), algorithm.word(), "20", "100", "2"])
                    .stdout(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let admitted: Vec<Vec<u32>> = processes
            .into_iter()
            .map(|process| {
                let output = process.wait_with_output().unwrap();
                assert!(output.status.success());
                let text = String::from_utf8(output.stdout).unwrap();
                text.lines().map(|line| line.parse().unwrap()).collect()
            })
            .collect();
        let sums: Vec<u32> = admitted[0].iter().zip(&admitted[1]).map(|(one, other)| one + other).collect();
        assert_eq!(sums, [100; 20], "{algorithm}");
    }
}
