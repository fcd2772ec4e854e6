//! Lengths of time as a limit writes them: `s`, `30s`, `1m30s`, `day`.

use crate::{Argument, Fault, suggest::nearest};
use core::{fmt, ops::Range, time::Duration};

/// A length of time in whole microseconds, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period {
    micros: u64,
}

/// Every word for a unit of time with its length in microseconds; of those with one length the first is canonical.
const UNITS: &[(&str, u64)] = &[
    ("w", 604_800_000_000),
    ("week", 604_800_000_000),
    ("weeks", 604_800_000_000),
    ("d", 86_400_000_000),
    ("day", 86_400_000_000),
    ("days", 86_400_000_000),
    ("h", 3_600_000_000),
    ("hour", 3_600_000_000),
    ("hours", 3_600_000_000),
    ("min", 60_000_000),
    ("minute", 60_000_000),
    ("minutes", 60_000_000),
    ("s", 1_000_000),
    ("sec", 1_000_000),
    ("second", 1_000_000),
    ("seconds", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
];

/// The words that a sentence lists.
const LISTED: &str = "`us`, `ms`, `s`, `min`, `h`, `d` or `w`";

impl Period {
    /// The longest period: 100 years of 365 days. Longer ones are a typing mistake, and this one still fits every product.
    pub const MAX: Period = Period { micros: 100 * 365 * 86_400 * 1_000_000 };

    /// Reads a period: a unit (`min`), a number with a unit (`30s`) or several of them (`1m30s`).
    ///
    /// `argument` is the one that the text stands in, for the sentence.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that points at the part that is wrong and says what to write instead.
    pub fn parse(argument: Argument, text: &str) -> Result<Period, Fault> {
        Period::parse_part(argument, text, 0..text.len())
    }

    /// Reads the period that stands in a part of a text.
    pub(crate) fn parse_part(argument: Argument, text: &str, part: Range<usize>) -> Result<Period, Fault> {
        let fault = |at: Range<usize>, sentence: String| Fault::new(argument, sentence).at(text, at);
        let period = text.get(part.clone()).unwrap_or_default();
        if period.is_empty() {
            return Err(fault(part, "no period, write for example `min`, `30s` or `1m30s`".to_owned()));
        }
        if let Some(blank) = period.find(char::is_whitespace) {
            let at = part.start + blank;
            let compact: String = period.split_whitespace().collect();
            return Err(fault(at..at + 1, format!("no blank inside a period, write `{compact}`")));
        }
        let mut total: u64 = 0;
        let mut seen: Vec<(u64, Option<u64>)> = Vec::new();
        let mut rest = period;
        while !rest.is_empty() {
            let start = part.end - rest.len();
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (number, behind) = rest.split_at(digits);
            let letters = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
            let (word, after) = behind.split_at(letters);
            let place = start..start + digits + letters;
            let word_at = start + digits..start + digits + letters;
            if number.is_empty() && !seen.is_empty() {
                return Err(fault(
                    place,
                    format!("no number in front of `{word}`, write for example `1m30s`"),
                ));
            }
            if word.is_empty() {
                return Err(fault(
                    place,
                    format!("no unit behind `{number}`, write for example `{number}s`"),
                ));
            }
            // In a compound `m` cannot be a month: it stands between numbers.
            let is_compound = digits + letters < period.len();
            let word = if word == "m" && is_compound { "min" } else { word };
            let unit = unit(word).map_err(|sentence| fault(word_at, sentence))?;
            let number = if number.is_empty() { Some(1) } else { number.parse::<u64>().ok() };
            if let Some((_, before)) = seen.iter().find(|(known, _)| *known == unit) {
                let way_out = match before.zip(number).and_then(|(one, other)| one.checked_add(other)) {
                    Some(sum) => format!("write `{sum}{word}`"),
                    None => "write their sum".to_owned(),
                };
                return Err(fault(place, format!("`{word}` twice in one period, {way_out}")));
            }
            seen.push((unit, number));
            let sum = number.and_then(|n| n.checked_mul(unit)).and_then(|part| total.checked_add(part));
            total = match sum {
                Some(sum) if sum <= Period::MAX.micros => sum,
                _ => {
                    return Err(fault(
                        place,
                        format!("a period of `{period}` is too long, write at most `36500d`"),
                    ));
                }
            };
            rest = after;
        }
        if total == 0 {
            return Err(fault(
                part,
                format!("a period of `{period}` is no time at all, write at least `1us`"),
            ));
        }
        Ok(Period { micros: total })
    }

    /// A period of that many microseconds; the caller has checked that it is neither zero nor above [`Period::MAX`].
    pub const fn from_micros(micros: u64) -> Period {
        Period { micros }
    }

    /// The length in microseconds.
    pub const fn as_micros(self) -> u64 {
        self.micros
    }

    /// The length as a [`Duration`].
    pub const fn as_duration(self) -> Duration {
        Duration::from_micros(self.micros)
    }

    /// How stored keys and policy names write it: whole seconds if it is (`60s`), else `ms`, else `us`.
    pub fn seconds(self) -> impl fmt::Display {
        InSeconds(self)
    }
}

/// The length of a unit, or the sentence that says why there is none.
fn unit(word: &str) -> Result<u64, String> {
    if let Some((_, micros)) = UNITS.iter().find(|(unit, _)| *unit == word) {
        return Ok(*micros);
    }
    Err(match word.to_lowercase().as_str() {
        "m" => "`m` can be a minute or a month, write `min`".to_owned(),
        "month" | "months" | "mo" => "a month has no fixed length, write for example `30d`".to_owned(),
        "year" | "years" | "y" => "a year has no fixed length, write for example `365d`".to_owned(),
        word if word.starts_with(['.', ',']) => {
            "a period is counted in whole numbers, write for example `1500ms` for `1.5s`".to_owned()
        }
        _ => match nearest(word, UNITS.iter().map(|(unit, _)| *unit)) {
            Some(meant) => format!("no such period: `{word}`, write `{meant}`"),
            None => format!("no such period: `{word}`, write {LISTED}"),
        },
    })
}

struct InSeconds(Period);

impl fmt::Display for InSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.micros;
        if micros.is_multiple_of(1_000_000) {
            write!(f, "{}s", micros / 1_000_000)
        } else if micros.is_multiple_of(1_000) {
            write!(f, "{}ms", micros / 1_000)
        } else {
            write!(f, "{micros}us")
        }
    }
}

/// Prints the canonical form: one number and the largest unit that divides it, without the number 1 (`min`, `90s`).
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dividing = UNITS.iter().find(|(_, micros)| self.micros.is_multiple_of(*micros));
        let (word, micros) = dividing.unwrap_or(&("us", 1));
        match self.micros / micros {
            1 => f.write_str(word),
            number => write!(f, "{number}{word}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Period;
    use crate::Argument;

    fn parse(text: &str) -> Result<u64, String> {
        Period::parse(Argument::Wait, text).map(Period::as_micros).map_err(|fault| fault.to_string())
    }

    #[test]
    fn unit_alone_numbered_and_compound_are_read() {
        for (text, micros) in [
            ("us", 1),
            ("250us", 250),
            ("100ms", 100_000),
            ("s", 1_000_000),
            ("30s", 30_000_000),
            ("seconds", 1_000_000),
            ("min", 60_000_000),
            ("1m30s", 90_000_000),
            ("1h1m", 3_660_000_000),
            ("2days", 172_800_000_000),
            ("w", 604_800_000_000),
        ] {
            assert_eq!(parse(text), Ok(micros), "{text}");
        }
    }

    #[test]
    fn each_mistake_has_its_sentence() {
        for (text, part) in [
            ("", "no period"),
            ("mn", "write `min`"),
            ("m", "`m` can be a minute or a month, write `min`"),
            ("5m", "write `min`"),
            ("month", "30d"),
            ("year", "365d"),
            ("0s", "no time at all"),
            ("30", "write for example `30s`"),
            ("1s1s", "twice"),
            ("1min s", "no blank"),
            ("1.5s", "1500ms"),
            ("101y", "365d"),
            ("40000d", "too long"),
            ("99999999999999999999999s", "too long"),
            ("fortnight", "`us`, `ms`"),
        ] {
            let sentence = parse(text).unwrap_err();
            assert!(sentence.starts_with("`wait`: ") && sentence.contains(part), "{text}: {sentence}");
        }
    }

    #[test]
    fn canonical_form_reads_back() {
        for micros in
            [1, 999, 1_000, 1_500, 1_000_000, 90_000_000, 60_000_000, 86_400_000_000, 604_800_000_000]
        {
            let shown = Period::from_micros(micros).to_string();
            assert_eq!(parse(&shown), Ok(micros), "{shown}");
        }
        assert_eq!(Period::from_micros(60_000_000).to_string(), "min");
        assert_eq!(Period::from_micros(60_000_000).seconds().to_string(), "60s");
    }
}
