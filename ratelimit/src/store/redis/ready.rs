//! Whether a server lets the limiter do all that limits may need, asked before the first call does.

use super::{Redis, command, routes::Node};
use crate::store::{Charge, Failure, Hold, PermitId, Settlement};
use ::redis::{Cmd, Value};
use core::time::Duration;
use ratelimit_spec::{Algorithm, Numbers};
use std::sync::Arc;

/// Every branch of the scripts is run: each algorithm, twice so that the second finds what the first wrote.
const RULES: [Numbers; 8] = [
    rule(Algorithm::TokenBucket, 1_000_000, 1),
    rule(Algorithm::SlidingWindow, 1_000_000, 1),
    rule(Algorithm::FixedWindow, 1_000_000, 1),
    rule(Algorithm::LeakyBucket, 1_000_000, 1),
    // Entries that are over, that are given back whole, and that are put into one.
    rule(Algorithm::SlidingLog, 1, 1),
    rule(Algorithm::SlidingLog, 1_000_000, 1),
    rule(Algorithm::SlidingLog, 1_000_000_000, 1_000_000_000),
    rule(Algorithm::Concurrency, 1_000_000, 1),
];
/// What is taken is given back, and what a crash leaves behind is gone soon.
const LEASE: Duration = Duration::from_secs(1);

const fn rule(algorithm: Algorithm, period: u64, slice: u64) -> Numbers {
    Numbers { algorithm, tick: 1, count: 1_000_000, period, capacity: 1_000_000, slice }
}

impl Redis {
    /// Asks every server that is known.
    pub(super) async fn ask_all(&self, prefix: &str) -> Result<(), Failure> {
        let key = |tag: u16| format!("{prefix}{{{tag:04x}}}:ready");
        let mut asked = Vec::new();
        for key in (0..=u16::MAX).map(key) {
            let part = self.servers.place(key.as_bytes()).part;
            if asked.contains(&part) {
                continue;
            }
            let node = self.servers.of(key.as_bytes()).await?;
            self.ask(&node, &key).await?;
            // Who serves what may be known only now.
            asked.push(self.servers.place(key.as_bytes()).part);
            if asked.len() >= self.servers.parts() {
                break;
            }
        }
        Ok(())
    }

    async fn ask(&self, node: &Arc<Node>, key: &str) -> Result<(), Failure> {
        let hold = Hold { permit: PermitId::new(), lease: LEASE };
        let keys: Vec<String> = (0..RULES.len()).map(|number| format!("{key}:{number}")).collect();
        let charges: Vec<Charge<'_>> = RULES
            .iter()
            .zip(&keys)
            .map(|(numbers, key)| Charge {
                numbers: *numbers,
                key: key.as_bytes(),
                cost: 2,
                max_delay: None,
                hold: Some(hold),
            })
            .collect();
        let settlements: Vec<Settlement<'_>> = charges
            .iter()
            .map(|charge| Settlement { charge: *charge, actual: u64::from(charge.numbers.slice > 1) })
            .collect();
        // By text and by hash: the one is needed when a server has lost a script, the other at all other times.
        for by_text in [true, false] {
            let send = async |command: Cmd| -> Result<Value, Failure> {
                node.link.send(&command, false).await?.map_err(|error| node.failure(error))
            };
            let decide = command::decide(self.decide.by(by_text), &charges);
            command::verdicts(&send(decide).await?, &charges)?;
            let renew = command::renew(self.renew.by(by_text), &charges);
            command::renewed(&send(renew).await?, &charges)?;
            let settle = command::settle(self.settle.by(by_text), &settlements);
            command::settled(&send(settle).await?, &settlements)?;
        }
        Ok(())
    }
}
