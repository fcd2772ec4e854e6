//! Rates: `100/min`, `100k tokens/min`, `$20/day`.

use crate::{Argument, Fault, Period, Usd};
use core::{fmt, ops::Range};
use std::borrow::Cow;

/// What a rate counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Calls: nothing was written between count and slash.
    Requests,
    /// Money: the rate was written with `$`; counts are whole micro-dollars.
    MicroUsd,
    /// Any other word, for example `tokens`.
    Named(Cow<'static, str>),
}

/// A count per period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many units pass per period; micro-dollars for money. Never zero.
    pub count: u64,
    /// What is counted.
    pub unit: Unit,
    /// The period.
    pub period: Period,
}

const MICRO_DOLLARS: u64 = 1_000_000;

impl Rate {
    /// Reads `COUNT[ UNIT]/PERIOD` or `$AMOUNT/PERIOD`.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that points at the part that is wrong and says what to write instead.
    pub fn parse(text: &str) -> Result<Rate, Fault> {
        if text.trim().is_empty() {
            return Err(fault(text, 0..text.len(), "empty, write for example `100/min`"));
        }
        let Some((amount, period)) = text.split_once('/') else {
            return Err(fault(
                text,
                0..text.len(),
                format!("no period in `{text}`, write for example `{text}/min`"),
            ));
        };
        if let Some(second) = period.find('/') {
            let at = amount.len() + 1 + second;
            return Err(fault(text, at..at + 1, "a second `/`, write one count per one period: `100/min`"));
        }
        let (count, unit) = match amount.strip_prefix('$') {
            Some(_) => (dollars(text, amount.len())?, Unit::MicroUsd),
            None => units(text, amount)?,
        };
        let period = Period::parse_part(Argument::Rate, text, amount.len() + 1..text.len())?;
        if count == 0 {
            return Err(fault(text, 0..amount.len(), "a count of zero lets nothing pass, write at least 1"));
        }
        Ok(Rate { count, unit, period })
    }
}

fn fault(text: &str, at: Range<usize>, sentence: impl fmt::Display) -> Fault {
    Fault::new(Argument::Rate, sentence).at(text, at)
}

/// `100`, `10_000 tokens`, `100k`.
fn units(text: &str, amount: &str) -> Result<(u64, Unit), Fault> {
    let words: Vec<&str> = amount.split_whitespace().collect();
    if words.len() <= 2 && words.join(" ") != amount && !words.is_empty() {
        let rest = text.get(amount.len()..).unwrap_or_default();
        let sentence = format!("a blank too many, write `{}{rest}`", words.join(" "));
        return Err(fault(text, 0..amount.len(), sentence));
    }
    let (count, unit) = match amount.split_once(' ') {
        None => (amount, None),
        Some((count, unit)) => (count, Some(unit)),
    };
    let number = integer(text, count, 0)?;
    let Some(unit) = unit else { return Ok((number, Unit::Requests)) };
    let at = count.len() + 1..amount.len();
    if let Some((word, second)) = unit.split_once(' ')
        && word == second
    {
        return Err(fault(text, at, format!("the unit twice, write `{count} {word}`")));
    }
    if unit.contains(char::is_whitespace) {
        let sentence = format!("a unit is one word, write for example `{count} {}`", unit.replace(' ', "_"));
        return Err(fault(text, at, sentence));
    }
    let well_formed = unit.starts_with(|c: char| c.is_ascii_alphabetic())
        && unit.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if !well_formed {
        let sentence =
            format!("`{}` is no unit, write a word of ASCII letters such as `tokens`", unit.escape_debug());
        return Err(fault(text, at, sentence));
    }
    let unit = match unit {
        "request" | "requests" => Unit::Requests,
        word => Unit::Named(Cow::Owned(word.to_owned())),
    };
    Ok((number, unit))
}

/// An integer with `_` and the suffixes `k` and `M`; `at` is where it stands.
fn integer(text: &str, digits: &str, at: usize) -> Result<u64, Fault> {
    let place = at..at + digits.len();
    let (plain, factor) = match digits.strip_suffix(['k', 'K']) {
        Some(plain) => (plain, 1_000),
        None => match digits.strip_suffix('M') {
            Some(plain) => (plain, 1_000_000),
            None => (digits, 1),
        },
    };
    let sentence = if digits.is_empty() {
        "no count, write for example `100/min`".to_owned()
    } else if digits.starts_with(['-', '+']) {
        format!("a count has no sign, write `{}`", digits.trim_start_matches(['-', '+']))
    } else if plain.contains(['.', ',']) {
        format!(
            "`{digits}` is no whole number, write a longer period instead, for example `5/2s` for 2.5 a second"
        )
    } else if plain.starts_with(|c: char| c.is_ascii_digit())
        && plain.chars().all(|c| c.is_ascii_digit() || c == '_')
    {
        let number = plain.replace('_', "").parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
        match number {
            Some(number) => return Ok(number),
            None => format!("`{digits}` is too large to be counted exactly, write at most 2^53"),
        }
    } else if plain.trim() != plain {
        format!("no blank around a count, write `{}`", digits.trim())
    } else if let Some(split) =
        plain.find(|c: char| !c.is_ascii_digit() && c != '_').filter(|split| *split > 0)
    {
        let (number, unit) = plain.split_at(split);
        format!("a blank belongs between count and unit, write `{number} {unit}`")
    } else {
        format!("`{}` is no count, write a number such as `100`, `10_000` or `100k`", digits.escape_debug())
    };
    Err(fault(text, place, sentence))
}

/// `$20`, `$0.05`, `$1_000`: the first `end` bytes of the text, in micro-dollars.
fn dollars(text: &str, end: usize) -> Result<u64, Fault> {
    let amount = text.get(1..end).unwrap_or_default();
    let (whole, cents) = amount.split_once('.').unwrap_or((amount, ""));
    if amount.ends_with('.') || amount.starts_with('.') {
        return Err(fault(
            text,
            0..end,
            format!("`${amount}` misses digits at its point, write for example `$0.50`"),
        ));
    }
    if let Some((number, unit)) = amount.split_once(' ') {
        return Err(fault(
            text,
            1..end,
            format!("money has no unit but `$`, write `${number}` without `{unit}`"),
        ));
    }
    let dollars = integer(text, whole, 1)?;
    let fraction = cents.replace('_', "");
    if !fraction.chars().all(|c| c.is_ascii_digit()) {
        return Err(fault(
            text,
            0..end,
            format!("`${amount}` is no amount, write for example `$20` or `$0.05`"),
        ));
    }
    if fraction.len() > 6 {
        return Err(fault(text, 0..end, "money is counted in micro-dollars, write at most six decimals"));
    }
    if fraction.len() > 2 && fraction.ends_with('0') {
        let shown = match fraction.trim_end_matches('0') {
            "" => whole.to_owned(),
            dime if dime.len() == 1 => format!("{whole}.{dime}0"),
            shown => format!("{whole}.{shown}"),
        };
        return Err(fault(text, 0..end, format!("needless decimals, write `${shown}`")));
    }
    let padded = format!("{fraction:0<6}");
    let micros = padded.parse::<u64>().unwrap_or(0);
    dollars.checked_mul(MICRO_DOLLARS).and_then(|dollars| dollars.checked_add(micros)).ok_or_else(|| {
        fault(text, 0..end, format!("`${amount}` is too large to be counted exactly in micro-dollars"))
    })
}

/// Prints the canonical form, which parses to the same rate.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rate { count, unit, period } = self;
        match unit {
            Unit::Requests => write!(f, "{count}/{period}"),
            Unit::Named(unit) => write!(f, "{count} {unit}/{period}"),
            Unit::MicroUsd => {
                // Whole dollars without decimals: `$20/day`.
                let amount = Usd::from_micros(*count).to_string();
                write!(f, "{}/{period}", amount.strip_suffix(".00").unwrap_or(&amount))
            }
        }
    }
}

#[cfg(test)]
mod tests;
