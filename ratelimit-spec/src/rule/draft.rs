//! The arguments as they were written, and how they are judged against each other.

use super::{EXACT, Rule, Tick};
use crate::{Algorithm, Argument, Fault, Period, Rate, suggest::nearest};

/// A limit's arguments as they were written, not yet checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Draft<'a> {
    /// `algo`; by default `token_bucket` if `burst` is given, else `sliding_window`.
    pub algo: Option<&'a str>,
    /// `rate`.
    pub rate: Option<&'a str>,
    /// `burst`.
    pub burst: Option<u64>,
    /// `queue`.
    pub queue: Option<u64>,
    /// `precision`.
    pub precision: Option<&'a str>,
    /// `limit`.
    pub limit: Option<u64>,
    /// `lease`.
    pub lease: Option<&'a str>,
    /// `cost`, where it is a constant.
    pub cost: Option<u64>,
    /// Arguments that are given, and whose values no rule depends on.
    pub given: &'a [Argument],
    /// Whether the permits of the limit are kept for another reason than an argument.
    pub keeps_permits: bool,
}

/// The most entries of a sliding log, and the most slices: beyond, a key costs more than it can be worth.
const LONGEST_LOG: u64 = 100_000;
/// The most calls in flight: a key remembers each holder.
const MOST_IN_FLIGHT: u64 = 100_000;
/// The longest wait in a queue that nobody has asked for: by then the caller has hung up.
const LONGEST_QUEUE: Period = Period::from_micros(60_000_000);
/// How long a permit is kept whose holder is silent, unless `lease` says otherwise.
const DEFAULT_LEASE: Period = Period::from_micros(30_000_000);
const SHORTEST_LEASE: Period = Period::from_micros(1_000_000);

impl Draft<'_> {
    /// Judges the arguments, each by itself and against the others.
    ///
    /// # Errors
    ///
    /// Every fault that was found, each with the argument that it stands in.
    pub fn check(&self) -> Result<Rule, Vec<Fault>> {
        let mut faults = Vec::new();
        let algorithm = keep(&mut faults, self.algorithm());
        let rate = match (algorithm, self.rate) {
            (Some(Algorithm::Concurrency), None) => None,
            _ => keep(&mut faults, self.rate()),
        };
        let precision = self.precision.map(|text| Period::parse(Argument::Precision, text)).transpose();
        let precision = keep(&mut faults, precision).flatten();
        let lease = keep(&mut faults, self.lease());
        if let Some(algorithm) = algorithm {
            self.check_options(algorithm, &mut faults);
            self.check_settling(algorithm, &mut faults);
        }
        let rule = match (algorithm, rate) {
            (None, _) => None,
            (Some(Algorithm::Concurrency), rate) => self.concurrency(rate, lease, &mut faults),
            (Some(algorithm), Some(rate)) => self.rated(algorithm, rate, precision, &mut faults),
            (Some(_), None) => None,
        };
        match rule {
            Some(rule) if faults.is_empty() => Ok(rule),
            _ => Err(faults),
        }
    }

    fn rated(
        &self,
        algorithm: Algorithm,
        rate: Rate,
        precision: Option<Period>,
        faults: &mut Vec<Fault>,
    ) -> Option<Rule> {
        let capacity = match algorithm {
            Algorithm::TokenBucket => self.burst.unwrap_or(rate.count),
            Algorithm::LeakyBucket => self.queue.unwrap_or(rate.count),
            _ => rate.count,
        };
        if algorithm == Algorithm::SlidingLog {
            check_log(&rate, self.precision.and(precision), self.precision.is_none(), faults);
        }
        if algorithm == Algorithm::LeakyBucket
            && self.queue.is_none()
            && !self.given.contains(&Argument::Wait)
        {
            faults.extend(check_queue(&rate));
        }
        if let Some(cost) = self.cost.filter(|cost| *cost > capacity) {
            let raised = match algorithm {
                Algorithm::TokenBucket => Argument::Burst,
                Algorithm::LeakyBucket => Argument::Queue,
                _ => Argument::Rate,
            };
            faults.push(Fault::new(
                Argument::Cost,
                format!("a call that costs {cost} can never pass, write at most {capacity}, or a larger `{raised}`"),
            ));
        }
        if faults.is_empty() && Tick::of(rate.count, capacity, rate.period, precision).is_none() {
            faults.push(no_tick(&rate, capacity, precision));
        }
        faults.is_empty().then(|| Rule::__checked(algorithm, rate, capacity, precision))
    }

    fn concurrency(
        &self,
        rate: Option<Rate>,
        lease: Option<Period>,
        faults: &mut Vec<Fault>,
    ) -> Option<Rule> {
        if let Some(rate) = rate {
            let sentence = format!("calls in flight have no rate, write `limit = {}`", rate.count);
            faults.push(Fault::new(Argument::Rate, sentence));
        }
        match (self.limit, lease) {
            (None, _) => {
                let sentence =
                    "missing, write how many calls may be in flight at once, for example `limit = 32`";
                faults.push(Fault::new(Argument::Limit, sentence));
                None
            }
            (Some(0), _) => {
                let sentence = "no calls in flight let nothing pass, write at least 1";
                faults.push(Fault::new(Argument::Limit, sentence));
                None
            }
            (Some(limit), _) if limit > MOST_IN_FLIGHT => {
                let sentence = format!("{limit} holders a key are too many, write at most {MOST_IN_FLIGHT}");
                faults.push(Fault::new(Argument::Limit, sentence));
                None
            }
            (Some(limit), Some(lease)) => Some(Rule::__concurrency(limit, lease)),
            (Some(_), None) => None,
        }
    }

    /// `lease`, or its default.
    ///
    /// # Errors
    ///
    /// A [`Fault`] of the text.
    pub fn lease(&self) -> Result<Period, Fault> {
        let Some(text) = self.lease else { return Ok(DEFAULT_LEASE) };
        let lease = Period::parse(Argument::Lease, text)?;
        if lease < SHORTEST_LEASE {
            // A third of it has to be long enough for a renewal over a slow network.
            let sentence = format!("`{lease}` is too short to be renewed in time, write at least `1s`");
            return Err(Fault::new(Argument::Lease, sentence).at(text, 0..text.len()));
        }
        Ok(lease)
    }

    fn algorithm(&self) -> Result<Algorithm, Fault> {
        let Some(word) = self.algo else {
            let default =
                if self.burst.is_some() { Algorithm::TokenBucket } else { Algorithm::SlidingWindow };
            return Ok(default);
        };
        let words = || Algorithm::ALL.iter().map(|algorithm| algorithm.word());
        Algorithm::ALL.iter().copied().find(|algorithm| algorithm.word() == word).ok_or_else(|| {
            let sentence = match nearest(word, words()) {
                Some(meant) => format!("no such algorithm: `{}`, write `{meant}`", word.escape_debug()),
                None => {
                    let all: Vec<String> = words().map(|word| format!("`{word}`")).collect();
                    format!("no such algorithm: `{}`, there are {}", word.escape_debug(), all.join(", "))
                }
            };
            Fault::new(Argument::Algo, sentence).at(word, 0..word.len())
        })
    }

    fn rate(&self) -> Result<Rate, Fault> {
        match self.rate {
            Some(text) => Rate::parse(text),
            None => Err(Fault::new(
                Argument::Rate,
                "missing, write how much passes, for example `rate = \"100/min\"`",
            )),
        }
    }

    /// Options that belong to one algorithm.
    fn check_options(&self, algorithm: Algorithm, faults: &mut Vec<Fault>) {
        let options = [
            (Argument::Burst, self.burst, Algorithm::TokenBucket),
            (Argument::Queue, self.queue, Algorithm::LeakyBucket),
            // What is wrong with its own value is said where the rule is made.
            (Argument::Limit, self.limit.filter(|limit| *limit > 0), Algorithm::Concurrency),
        ];
        for (argument, value, owner) in options {
            match value {
                None => {}
                Some(_) if algorithm != owner => {
                    let sentence = format!("only `{owner}` has one, write `algo = \"{owner}\"` or remove it");
                    faults.push(Fault::new(argument, sentence));
                }
                Some(0) => {
                    faults.push(Fault::new(
                        argument,
                        format!("a {argument} of 0 lets nothing pass, write at least 1"),
                    ));
                }
                Some(_) => {}
            }
        }
        if self.precision.is_some() && algorithm != Algorithm::SlidingLog {
            let sentence = "only `sliding_log` has one, write `algo = \"sliding_log\"` or remove it";
            faults.push(Fault::new(Argument::Precision, sentence));
        }
    }
}

/// Arguments that only go together, or never do.
impl Draft<'_> {
    fn check_settling(&self, algorithm: Algorithm, faults: &mut Vec<Fault>) {
        use Argument::{ChargeIf, Cost, DefaultCost, Lease, OnCancel, OnErr, Settle};
        let given = |argument: Argument| self.given.contains(&argument);
        let mut fault = |argument: Argument, sentence: &str| faults.push(Fault::new(argument, sentence));
        if algorithm == Algorithm::Concurrency {
            for argument in [Cost, DefaultCost, Settle, OnErr, OnCancel, ChargeIf] {
                if given(argument) {
                    fault(argument, "a call in flight holds one slot until it ends, remove it");
                }
            }
            return;
        }
        if given(Settle) && given(ChargeIf) {
            fault(ChargeIf, "`settle` says what a call costs in the end, remove one of the two");
        }
        if given(Settle) && !given(Cost) {
            fault(
                Settle,
                "there is no estimate to correct, write what is taken at first, for example `cost = 1_000`",
            );
        }
        for argument in [OnErr, OnCancel] {
            if given(argument) && !given(Settle) {
                fault(argument, "only a limit with `settle` has one, remove it");
            }
        }
        if given(DefaultCost) && !given(Cost) {
            fault(
                DefaultCost,
                "stands in for an unknown `cost`, and there is none, write `cost` in its place",
            );
        }
        if self.lease.is_some() && !given(Settle) && !given(ChargeIf) && !self.keeps_permits {
            fault(Lease, "only `concurrency`, `settle` and `charge_if` keep a permit, remove it");
        }
    }
}

fn keep<T>(faults: &mut Vec<Fault>, outcome: Result<T, Fault>) -> Option<T> {
    outcome.map_err(|fault| faults.push(fault)).ok()
}

/// The last place of a queue that is as long as the count waits nearly a period.
fn check_queue(rate: &Rate) -> Option<Fault> {
    let Rate { count, period, .. } = rate;
    let spacing = period.as_micros().div_ceil(*count);
    let longest = spacing.saturating_mul(count - 1);
    if longest <= LONGEST_QUEUE.as_micros() {
        return None;
    }
    let sentence = format!(
        "a queue of {count} places, of which the last waits about {}, write how many calls may wait, for example \
         `queue = {}`, or how long one may, `wait = \"30s\"`",
        rounded(longest),
        (LONGEST_QUEUE.as_micros() / spacing + 1).min(*count),
    );
    Some(Fault::new(Argument::Algo, sentence))
}

/// A length of time in the largest unit of which it has two.
fn rounded(micros: u64) -> Period {
    let units = [86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000];
    let unit = units.into_iter().find(|unit| micros >= 2 * unit).unwrap_or(1);
    Period::from_micros(micros / unit * unit)
}

/// A log must not grow without measure, and its slices must tile the period.
fn check_log(rate: &Rate, precision: Option<Period>, exact: bool, faults: &mut Vec<Fault>) {
    let window = rate.period;
    if exact && rate.count > LONGEST_LOG {
        // 18 bytes an entry in a Redis list.
        let megabytes = (rate.count.saturating_mul(18)).div_ceil(1_000_000);
        let slice = Period::from_micros((window.as_micros() / 60).max(1));
        let slice = if window.as_micros().is_multiple_of(slice.as_micros()) { slice } else { window };
        faults.push(Fault::new(
            Argument::Rate,
            format!(
                "a log of {} calls takes about {megabytes} MB a key, write `precision = \"{slice}\"` to count by \
                 slices, or `algo = \"sliding_window\"`",
                rate.count
            ),
        ));
    }
    let Some(precision) = precision else { return };
    let (slice, length) = (precision.as_micros(), window.as_micros());
    if slice > length {
        let sentence =
            format!("a slice of `{precision}` is longer than the period, write at most `{window}`");
        faults.push(Fault::new(Argument::Precision, sentence));
    } else if !length.is_multiple_of(slice) {
        let sentence =
            format!("slices of `{precision}` do not fill a period of `{window}`, write one that divides it");
        faults.push(Fault::new(Argument::Precision, sentence));
    } else if length / slice > LONGEST_LOG {
        let sentence = format!("{} slices a key are too many, write a longer one", length / slice);
        faults.push(Fault::new(Argument::Precision, sentence));
    }
}

/// Why no tick fits, and what would help.
fn no_tick(rate: &Rate, capacity: u64, precision: Option<Period>) -> Fault {
    let largest = rate.count.max(capacity);
    let argument = if capacity > rate.count { Argument::Burst } else { Argument::Rate };
    // The coarsest tick that divides period and slice bounds the count.
    let coarsest = [Tick::Second, Tick::Milli, Tick::Micro]
        .into_iter()
        .find(|tick| tick.divides(rate.period, precision))
        .unwrap_or(Tick::Micro);
    let most = EXACT / (rate.period.as_micros() / coarsest.micros()).max(1);
    Fault::new(
        argument,
        format!(
            "{largest} in `{}` is too large to be counted exactly, write at most {most} or a shorter period",
            rate.period
        ),
    )
}
