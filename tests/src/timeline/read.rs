//! From the file's text to its steps.

use super::{Call, Expected, Kind, Limit, Numbered, Step, Timeline};
use core::{iter::Peekable, str::SplitWhitespace};
use ratelimit_spec::Algorithm;

/// The name of a limit that has none.
const IT: &str = "it";

type Words<'t> = Peekable<SplitWhitespace<'t>>;
type Read<T> = Result<T, String>;

impl Timeline {
    /// Reads a timeline.
    ///
    /// # Panics
    ///
    /// If a line cannot be read.
    #[allow(clippy::panic, reason = "a test kit fails loudly")]
    pub fn read(name: &str, text: &str) -> Timeline {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let steps = lines.map(|(line, text)| {
            let kind = step(text).unwrap_or_else(|fault| panic!("{name}:{line}: {fault}: {text}"));
            Step { line, kind }
        });
        Timeline { name: name.to_owned(), steps: steps.collect() }
    }
}

fn step(text: &str) -> Read<Kind> {
    let (asked, expected) = text.split_once("->").unwrap_or((text, ""));
    let mut words = asked.split_whitespace().peekable();
    match words.next() {
        Some("limit") => limit(&mut words),
        Some("at") => call(&mut words, expected).map(Kind::Call),
        _ => Err("neither `limit` nor `at`".to_owned()),
    }
}

fn limit(words: &mut Words<'_>) -> Read<Kind> {
    let name = words.next_if(|word| word.ends_with(':')).unwrap_or(IT).trim_end_matches(':').to_owned();
    let algorithm = match next(words)? {
        "any" => None,
        word => {
            let known = Algorithm::ALL.iter().copied().find(|algorithm| algorithm.word() == word);
            Some(known.ok_or("no such algorithm")?)
        }
    };
    let rate = next(words)?.to_owned();
    let mut limit = Limit { algorithm, rate, burst: None, queue: None, precision: None };
    while let Some(option) = words.next() {
        let value = next(words)?;
        match option {
            "burst" => limit.burst = Some(number(value)?),
            "queue" => limit.queue = Some(number(value)?),
            "precision" => limit.precision = Some(value.to_owned()),
            _ => return Err(format!("no such option as `{option}`")),
        }
    }
    Ok(Kind::Limit { name, limit })
}

fn call(words: &mut Words<'_>, expected: &str) -> Read<Call> {
    let at = time(next(words)?)?;
    let mut call = Call { at, every: 0, times: 1, charges: Vec::new(), expected: Expected::Each(Vec::new()) };
    while let Some(word) = words.next() {
        match word {
            "take" | "and" => {
                let cost = match next(words)? {
                    "max" => u64::MAX,
                    units => number(units)?,
                };
                let name = match words.next_if_eq(&"of") {
                    Some(_) => next(words)?,
                    None => IT,
                };
                call.charges.push((name.to_owned(), cost));
            }
            "times" => call.times = number(next(words)?)?,
            "every" => call.every = time(next(words)?)?,
            _ => return Err(format!("no such word as `{word}`")),
        }
    }
    call.expected = match expected.trim().strip_prefix("admits ") {
        Some(range) => {
            let (least, most) = range.split_once("..").unwrap_or((range, range));
            Expected::Admits(number(least)?..=number(most)?)
        }
        None => Expected::Each(expected.split(',').map(numbered).collect::<Read<_>>()?),
    };
    Ok(call)
}

fn numbered(text: &str) -> Read<Numbered> {
    let mut words = text.split_whitespace().peekable();
    let outcome = next(&mut words)?.to_owned();
    if !matches!(&*outcome, "allowed" | "denied" | "exceeds") {
        return Err(format!("no such outcome as `{outcome}`"));
    }
    let mut numbered = Numbered { outcome, remaining: None, reset: None, wait: None };
    while let Some(word) = words.next() {
        let value = next(&mut words)?;
        match word {
            "remaining" => numbered.remaining = Some(number(value)?.into()),
            "reset" => numbered.reset = Some(time(value)?),
            "retry" | "delay" => numbered.wait = Some(time(value)?),
            _ => return Err(format!("no such number as `{word}`")),
        }
    }
    Ok(numbered)
}

fn next<'t>(words: &mut Words<'t>) -> Read<&'t str> {
    words.next().ok_or_else(|| "the line ends too soon".to_owned())
}

fn number(text: &str) -> Read<u64> {
    text.replace('_', "").parse().map_err(|_| format!("no number: `{text}`"))
}

/// `59.999s`, `-3600s`, `1d`: a decimal number and a unit.
fn time(text: &str) -> Read<i64> {
    let fault = || format!("no time: `{text}`");
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (decimal, unit) = text.split_at(unit_at);
    let unit: i64 = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "min" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return Err(fault()),
    };
    let (sign, decimal) = decimal.strip_prefix('-').map_or((1, decimal), |decimal| (-1, decimal));
    let (whole, part) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits: i64 = format!("{whole}{part}").parse().map_err(|_| fault())?;
    let scale = 10_i64.checked_pow(u32::try_from(part.len()).map_err(|_| fault())?).ok_or_else(fault)?;
    let micros = digits.checked_mul(unit).filter(|micros| micros % scale == 0).ok_or_else(fault)?;
    Ok(sign * (micros / scale))
}
