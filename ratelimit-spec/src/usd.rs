//! Money in whole micro-dollars: [`Usd`].

use core::{
    fmt,
    iter::Sum,
    ops::{Add, Mul},
    str::FromStr,
};

/// An amount of US dollars in whole micro-dollars: what a call costs under a limit such as `$20/day`.
///
/// Exact: read from decimal digits and never from a float, of which three of ten cents are not thirty. Sums and products
/// that are too large saturate; such a cost is above every capacity.
///
/// ```
/// use ratelimit_spec::Usd;
///
/// let price: Usd = "2.50".parse()?;
/// assert_eq!(price, Usd::from_cents(250));
/// // 1,234 tokens at $2.50 a million; a part of a micro-dollar counts as a whole one.
/// assert_eq!(price.per_million(1_234).micros(), 3_085);
/// assert!("1e-3".parse::<Usd>().is_err());
/// # Ok::<(), ratelimit_spec::ParseUsdError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(u64);

const MICROS: u64 = 1_000_000;

impl Usd {
    /// Nothing.
    pub const ZERO: Usd = Usd(0);

    /// So many millionths of a dollar.
    pub const fn from_micros(micros: u64) -> Usd {
        Usd(micros)
    }

    /// So many cents.
    pub const fn from_cents(cents: u64) -> Usd {
        Usd(cents.saturating_mul(MICROS / 100))
    }

    /// So many dollars.
    pub const fn from_dollars(dollars: u64) -> Usd {
        Usd(dollars.saturating_mul(MICROS))
    }

    /// In millionths of a dollar.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// What `units` cost where a million of them cost this much, rounded up to a whole micro-dollar.
    pub const fn per_million(self, units: u64) -> Usd {
        // `From` is not const; both are widened.
        let exact = (self.0 as u128 * units as u128).div_ceil(MICROS as u128);
        if exact > u64::MAX as u128 { Usd(u64::MAX) } else { Usd(narrow(exact)) }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the caller has compared")]
const fn narrow(exact: u128) -> u64 {
    exact as u64
}

impl Add for Usd {
    type Output = Usd;

    fn add(self, other: Usd) -> Usd {
        Usd(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Usd {
    type Output = Usd;

    fn mul(self, times: u64) -> Usd {
        Usd(self.0.saturating_mul(times))
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Usd>>(amounts: I) -> Usd {
        amounts.fold(Usd::ZERO, Usd::add)
    }
}

/// Prints dollars with two decimals, or as many more as there are: `$20.00`, `$0.0035`.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:06}", self.0 % MICROS);
        let shown = fraction.trim_end_matches('0').len().max(2);
        write!(f, "${}.{}", self.0 / MICROS, fraction.get(..shown).unwrap_or(&fraction))
    }
}

/// Why a text is no amount of dollars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseUsdError(&'static str);

impl fmt::Display for ParseUsdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ParseUsdError {}

/// Reads `20`, `0.0035` or `$0.0035`: digits, and at most six of them behind the point that are not zero.
impl FromStr for Usd {
    type Err = ParseUsdError;

    fn from_str(text: &str) -> Result<Usd, ParseUsdError> {
        const NO_AMOUNT: ParseUsdError = ParseUsdError("no amount of dollars, write for example `0.0035`");
        const TOO_LARGE: ParseUsdError = ParseUsdError("too large to be counted in micro-dollars");
        let amount = text.strip_prefix('$').unwrap_or(text);
        let (whole, fraction) = match amount.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return Err(NO_AMOUNT),
            None => (amount, ""),
        };
        let is_digits = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return Err(NO_AMOUNT);
        }
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > 6 {
            return Err(ParseUsdError("money is counted in micro-dollars, write at most six decimals"));
        }
        let micros = format!("{fraction:0<6}").parse::<u64>().map_err(|_| NO_AMOUNT)?;
        let dollars = whole.parse::<u64>().map_err(|_| TOO_LARGE)?;
        let exact = dollars.checked_mul(MICROS).and_then(|dollars| dollars.checked_add(micros));
        exact.map(Usd).ok_or(TOO_LARGE)
    }
}

#[cfg(test)]
mod tests {
    use super::Usd;

    #[test]
    fn amounts_are_exact_where_a_float_is_not() {
        let costs = ["0.1", "0.7"].map(|text| text.parse::<Usd>().unwrap());
        assert_eq!(costs.into_iter().sum::<Usd>(), "0.8".parse().unwrap());
        assert_eq!("99.99".parse::<Usd>().unwrap() * 10_000, Usd::from_dollars(999_900));
        assert_eq!("$0.000001".parse(), Ok(Usd::from_micros(1)));
        assert_eq!("1.500000000".parse(), Ok(Usd::from_cents(150)));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        let texts =
            ["", "$", ".5", "5.", "-0.0", "-1", "+1", "1e300", "NaN", "inf", "1_000", " 1", "0.0000001"];
        for text in texts.into_iter().chain(["18446744073709.551616", "99999999999999999999"]) {
            assert!(text.parse::<Usd>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn amount_prints_as_it_is_read() {
        for text in ["$0.00", "$20.00", "$0.0035", "$18446744073709.551615"] {
            assert_eq!(text.parse::<Usd>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn price_of_units_is_rounded_up_and_never_wraps() {
        assert_eq!(Usd::from_dollars(3).per_million(1), Usd::from_micros(3));
        assert_eq!(Usd::from_cents(15).per_million(1), Usd::from_micros(1));
        assert_eq!(Usd::from_micros(u64::MAX).per_million(u64::MAX), Usd::from_micros(u64::MAX));
    }
}
