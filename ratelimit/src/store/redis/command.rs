//! What is sent and what comes back, in the order that the scripts' contracts say.

use crate::{
    store::{
        Charge, Failure, FailureKind, Hold, Outcome, Receipt, Renewals, Renewed, Settled, Settlement,
        Settlements, Verdict, Verdicts,
    },
    time::micros,
};
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
/// Bytes of one answer of `settle`.
const SETTLED: usize = 1 + 8;
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
    let bytes: usize = charges.iter().map(|charge| charge.key.len() * 2 + PERMIT).sum();
    let permits = || charges.iter().filter(|charge| has_permit(charge));
    let mut command = by.command(4 + charges.len() * 10, bytes + charges.len() * ARGUMENTS + 16);
    command.arg(charges.len() + permits().count());
    for charge in charges {
        command.arg(charge.key);
    }
    for charge in permits() {
        command.arg(permit(charge));
    }
    command.arg(charges.len());
    for charge in charges {
        let Numbers { algorithm, tick, count, period, capacity, slice } = charge.numbers;
        command.arg(algorithm.word()).arg(tick).arg(count).arg(period).arg(capacity).arg(cost(charge));
        match (algorithm, charge.max_delay) {
            (Algorithm::SlidingLog, _) => command.arg(slice),
            (Algorithm::LeakyBucket, Some(longest)) => command.arg(whole_ticks(longest, tick)),
            (Algorithm::LeakyBucket, None) => command.arg(-1),
            _ => command.arg(0),
        };
    }
    if let Some(hold) = charges.iter().find_map(|charge| charge.hold) {
        command.arg(&hold.permit.to_bytes()[..]);
        for charge in charges {
            command.arg(charge.hold.map_or(0, lease));
        }
    }
    command
}

/// The command that corrects charges.
pub(super) fn settle(by: By<'_>, settlements: &[Settlement<'_>]) -> Cmd {
    let mut command = by.command(1 + settlements.len() * 13, settlements.len() * 3 * ARGUMENTS);
    command.arg(settlements.len() * 2);
    for Settlement { charge, .. } in settlements {
        keys(&mut command, charge);
    }
    for Settlement { charge, actual } in settlements {
        correction(&mut command, charge, *actual);
        match charge.hold {
            Some(hold) => command.arg(&hold.permit.to_bytes()[..]),
            // Unknown to every store: it is late.
            None => command.arg(&[0; 16][..]),
        };
        command.arg(0).arg(0);
    }
    command
}

/// The same for a charge that holds nothing: all of it comes back to where its receipt says.
pub(super) fn give_back(by: By<'_>, charge: &Charge<'_>, receipt: Receipt) -> Cmd {
    let mut command = by.command(14, 3 * ARGUMENTS);
    command.arg(2).arg(charge.key).arg(charge.key);
    correction(&mut command, charge, 0);
    command.arg("").arg(receipt.stamp).arg(receipt.level);
    command
}

/// The command that lengthens leases.
pub(super) fn renew(by: By<'_>, charges: &[Charge<'_>]) -> Cmd {
    let mut command = by.command(1 + charges.len() * 5, charges.len() * 3 * ARGUMENTS);
    command.arg(charges.len() * 2);
    for charge in charges {
        keys(&mut command, charge);
    }
    for charge in charges {
        command.arg(charge.numbers.algorithm.word());
        match charge.hold {
            Some(hold) => command.arg(lease(hold)).arg(&hold.permit.to_bytes()[..]),
            None => command.arg(0).arg(""),
        };
    }
    command
}

/// The first eight arguments of a settlement.
fn correction(command: &mut Cmd, charge: &Charge<'_>, actual: u64) {
    let Numbers { algorithm, tick, count, period, capacity, slice } = charge.numbers;
    command.arg(algorithm.word()).arg(tick).arg(count).arg(period).arg(capacity).arg(cost(charge));
    // Above 2^53 a script would round it; so much can never be owed, so the rest of it is added here.
    command.arg(actual.min(EXACT)).arg(slice);
}

/// The key of a charge and that of its permit.
fn keys(command: &mut Cmd, charge: &Charge<'_>) {
    command.arg(charge.key);
    if charge.numbers.algorithm == Algorithm::Concurrency {
        command.arg(charge.key);
    } else {
        // Of one that holds nothing as well: a permit that nobody has, so that it is late and not mistaken for its key.
        command.arg(permit(charge));
    }
}

/// Whether a charge has a permit in a key of its own. A slot of `concurrency` is in the key itself.
fn has_permit(charge: &Charge<'_>) -> bool {
    charge.hold.is_some() && charge.numbers.algorithm != Algorithm::Concurrency
}

/// Bytes that a permit's key is longer than its charge's.
const PERMIT: usize = 1 + 32;

/// The key of a charge's permit: behind a byte that no stored key has, in the same slot by the same hash tag.
fn permit(charge: &Charge<'_>) -> Vec<u8> {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut key = Vec::with_capacity(charge.key.len() + PERMIT);
    key.extend_from_slice(charge.key);
    key.push(b'#');
    let id = charge.hold.map(|hold| hold.permit.to_bytes()).unwrap_or_default();
    let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or_default();
    key.extend(id.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
    key
}

/// Reads the reply of `settle`.
pub(super) fn settled(reply: &Value, settlements: &[Settlement<'_>]) -> Result<Settlements, Failure> {
    let bytes = answers(reply, settlements.len(), SETTLED)?;
    let settled = settlements.iter().zip(bytes.chunks_exact(SETTLED)).map(|(settlement, bytes)| {
        let (outcome, overrun) = bytes.split_first().ok_or_else(|| unreadable("an empty answer"))?;
        let overrun = overrun.try_into().map_err(|_| unreadable("an answer cut short"))?;
        let is_slot = settlement.charge.numbers.algorithm == Algorithm::Concurrency;
        let unsent = if is_slot { 0 } else { settlement.actual.saturating_sub(EXACT) };
        match outcome {
            0 => Ok(Settled::Applied { overrun: u64::from_be_bytes(overrun).saturating_add(unsent) }),
            1 => Ok(Settled::Late),
            2 => Ok(Settled::Already),
            _ => Err(unreadable("no such outcome")),
        }
    });
    settled.collect()
}

/// Reads the reply of `renew`.
pub(super) fn renewed(reply: &Value, charges: &[Charge<'_>]) -> Result<Renewals, Failure> {
    let renewed = answers(reply, charges.len(), 1)?.iter().map(|outcome| match outcome {
        0 => Ok(Renewed::Renewed),
        1 => Ok(Renewed::Lost),
        _ => Err(unreadable("no such outcome")),
    });
    renewed.collect()
}

/// The bytes of a reply that holds so many answers of one length.
fn answers(reply: &Value, answers: usize, each: usize) -> Result<&[u8], Failure> {
    match reply {
        Value::BulkString(bytes) if bytes.len() == answers * each => Ok(bytes),
        Value::BulkString(_) => Err(unreadable("not one answer for each question")),
        _ => Err(unreadable("not a string")),
    }
}

/// Reads the reply of `decide`.
pub(super) fn verdicts(reply: &Value, charges: &[Charge<'_>]) -> Result<Verdicts, Failure> {
    let bytes = answers(reply, charges.len(), VERDICT)?;
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

/// A lease of nothing would be that of a charge that holds nothing.
fn lease(hold: Hold) -> u64 {
    micros(hold.lease).clamp(1, EXACT)
}

/// Whole ticks in a duration.
fn whole_ticks(duration: Duration, tick: u64) -> u64 {
    let ticks = duration.as_micros().checked_div(u128::from(tick));
    ticks.and_then(|ticks| u64::try_from(ticks).ok()).map_or(EXACT, |ticks| ticks.min(EXACT))
}

fn unreadable(why: &'static str) -> Failure {
    Failure::new(FailureKind::Protocol).because(why)
}
