//! What is sent and what comes back, in the order that the scripts' contracts say.

use crate::store::{Charge, Failure, FailureKind, Outcome, Receipt, Verdict, Verdicts};
use ::redis::{Cmd, Value};
use core::time::Duration;
use ratelimit_spec::{Algorithm, Numbers};

/// How a script is named in a command.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    /// By its hash, if the server still has it.
    Sha(&'a str),
    /// By its whole text, which the server then keeps.
    Text(&'a str),
}

/// Bytes of one verdict in the reply of `decide`: the outcome and five big-endian integers.
const VERDICT: usize = 1 + 5 * 8;
/// Room for the seven arguments of a charge as they are usually long.
const ARGUMENTS: usize = 64;
/// The largest number that a script takes without rounding it.
const EXACT: u64 = 1 << 53;

impl By<'_> {
    fn command(self, arguments: usize, bytes: usize) -> Cmd {
        let (verb, script) = match self {
            By::Sha(sha) => ("EVALSHA", sha),
            By::Text(text) => ("EVAL", text),
        };
        let mut command = Cmd::with_capacity(2 + arguments, verb.len() + script.len() + bytes);
        command.arg(verb).arg(script);
        command
    }
}

/// The command that decides all charges.
pub(super) fn decide(by: By<'_>, charges: &[Charge<'_>]) -> Cmd {
    let keys: usize = charges.iter().map(|charge| charge.key.len()).sum();
    let mut command = by.command(1 + charges.len() * 8, keys + charges.len() * ARGUMENTS + 8);
    command.arg(charges.len());
    for charge in charges {
        command.arg(charge.key);
    }
    for charge in charges {
        let Numbers { algorithm, tick, count, period, capacity, slice } = charge.numbers;
        command.arg(algorithm.word()).arg(tick).arg(count).arg(period).arg(capacity).arg(cost(charge));
        match (algorithm, charge.max_delay) {
            (Algorithm::SlidingLog, _) => command.arg(slice),
            (Algorithm::LeakyBucket, Some(longest)) => command.arg(whole_ticks(longest, tick)),
            (Algorithm::LeakyBucket, None) => command.arg(-1),
            (Algorithm::FixedWindow | Algorithm::SlidingWindow | Algorithm::TokenBucket, _) => command.arg(0),
        };
    }
    command
}

/// The command that gives a place in a queue back.
pub(super) fn give_back(by: By<'_>, charge: &Charge<'_>, receipt: Receipt) -> Cmd {
    let Numbers { tick, count, period, .. } = charge.numbers;
    let mut command = by.command(8, charge.key.len() + 2 * ARGUMENTS);
    command.arg(1).arg(charge.key).arg(tick).arg(count).arg(period).arg(cost(charge));
    command.arg(receipt.stamp).arg(receipt.level);
    command
}

/// Reads the reply of `decide`.
pub(super) fn verdicts(reply: &Value, charges: &[Charge<'_>]) -> Result<Verdicts, Failure> {
    let Value::BulkString(bytes) = reply else {
        return Err(unreadable("not a string"));
    };
    if bytes.len() != charges.len() * VERDICT {
        return Err(unreadable("not one verdict per charge"));
    }
    charges.iter().zip(bytes.chunks_exact(VERDICT)).map(|(charge, bytes)| verdict(bytes, charge)).collect()
}

fn verdict(bytes: &[u8], charge: &Charge<'_>) -> Result<Verdict, Failure> {
    let (outcome, numbers) = bytes.split_first().ok_or_else(|| unreadable("an empty verdict"))?;
    let mut numbers =
        numbers.chunks_exact(8).filter_map(|bytes| bytes.try_into().ok().map(u64::from_be_bytes));
    let mut next = || numbers.next().ok_or_else(|| unreadable("a verdict cut short"));
    let duration = |ticks| charge.numbers.duration(ticks);
    let (remaining, reset, wait, stamp, level) = (next()?, next()?, next()?, next()?, next()?);
    let outcome = match outcome {
        0 => Outcome::Allowed { delay: duration(wait) },
        1 => Outcome::Denied { retry_after: duration(wait) },
        2 => Outcome::Exceeds,
        _ => return Err(unreadable("no such outcome")),
    };
    Ok(Verdict { outcome, remaining, reset_after: duration(reset), receipt: Receipt { stamp, level } })
}

/// The cost as it is sent: one that can never fit may be so large that a script would round it.
fn cost(charge: &Charge<'_>) -> u64 {
    let capacity = charge.numbers.capacity;
    // Not capacity + 1: above 2^53 a double knows only even numbers.
    if charge.cost > capacity { capacity.saturating_add(2) } else { charge.cost }
}

/// Whole ticks in a duration.
fn whole_ticks(duration: Duration, tick: u64) -> u64 {
    let ticks = duration.as_micros().checked_div(u128::from(tick));
    ticks.and_then(|ticks| u64::try_from(ticks).ok()).map_or(EXACT, |ticks| ticks.min(EXACT))
}

fn unreadable(why: &'static str) -> Failure {
    Failure::new(FailureKind::Protocol).because(why)
}
