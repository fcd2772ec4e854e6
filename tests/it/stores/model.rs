//! The exact model: each algorithm by its definition, in rational numbers, from what was admitted.

use num_rational::Ratio;
use ratelimit_spec::{Algorithm, Numbers};
use std::collections::HashMap;

type Exact = Ratio<i128>;

/// One key.
#[derive(Clone, Default)]
pub(super) struct Model {
    /// The latest instant that is known from what was written, in microseconds.
    latest: i128,
    /// Windows: what was admitted in each, by its start in microseconds.
    windows: HashMap<i128, i128>,
    /// Log: what was admitted, with the last instant of its slice in microseconds.
    log: Vec<(i128, i128)>,
    /// Buckets: tokens that are there or places that are taken, and in how many ticks a unit was counted.
    level: Option<(Exact, i128)>,
}

/// What the model says of a charge.
pub(super) struct Said {
    pub(super) fits: bool,
    pub(super) exceeds: bool,
    pub(super) remaining: i128,
    /// In ticks.
    pub(super) reset: i128,
    pub(super) delay: i128,
}

struct Rule {
    tick: i128,
    count: i128,
    period: i128,
    capacity: i128,
    slice: i128,
}

impl Rule {
    fn of(numbers: &Numbers) -> Rule {
        let Numbers { tick, count, period, capacity, slice, .. } = *numbers;
        let [tick, count, period, capacity, slice] = [tick, count, period, capacity, slice].map(i128::from);
        Rule { tick, count, period, capacity, slice }
    }

    /// The tick of a stamp, the next one if it lies between two.
    fn ticks(&self, micros: i128) -> i128 {
        -((-micros).div_euclid(self.tick))
    }

    /// Units that flow in so many ticks.
    fn flow(&self, ticks: i128) -> Exact {
        Exact::new(ticks * self.count, self.period)
    }

    /// Ticks in which so many units flow, the first at which they have.
    fn time(&self, units: Exact) -> i128 {
        (units * Exact::new(self.period, self.count)).ceil().to_integer().max(0)
    }
}

impl Model {
    /// The tick that the key is judged at.
    pub(super) fn at(&self, numbers: &Numbers, now: u64) -> i128 {
        let rule = Rule::of(numbers);
        (i128::from(now) / rule.tick).max(rule.ticks(self.latest))
    }

    pub(super) fn look(&self, numbers: &Numbers, now: u64, cost: u64, max_delay: Option<i128>) -> Said {
        let rule = Rule::of(numbers);
        let at = self.at(numbers, now);
        let cost = i128::from(cost);
        let start = at - at % rule.period;
        let window = |start: i128| self.windows.get(&(start * rule.tick)).copied().unwrap_or(0);
        let (left, reset, mut delay) = match numbers.algorithm {
            Algorithm::FixedWindow => {
                let used = window(start);
                (Exact::from(rule.count - used), if used > 0 { start + rule.period - at } else { 0 }, 0)
            }
            Algorithm::SlidingWindow => {
                let (previous, current) = (window(start - rule.period), window(start));
                let in_view = rule.period - (at - start);
                let weighted = Exact::new(previous * in_view, rule.period) + Exact::from(current);
                let reset = match (previous, current) {
                    (0, 0) => 0,
                    (_, 0) => in_view,
                    _ => in_view + rule.period,
                };
                (Exact::from(rule.count) - weighted, reset, 0)
            }
            Algorithm::SlidingLog => {
                let live = || self.log.iter().filter(|(end, _)| rule.ticks(*end) + rule.period > at);
                let reset = live().map(|(end, _)| rule.ticks(*end) + rule.period - at).max().unwrap_or(0);
                (Exact::from(rule.count - live().map(|(_, cost)| cost).sum::<i128>()), reset, 0)
            }
            Algorithm::TokenBucket => {
                let level = self.tokens(&rule, at);
                (level, rule.time(Exact::from(rule.capacity) - level), 0)
            }
            Algorithm::LeakyBucket => {
                let fill = self.places(&rule, at);
                (Exact::from(rule.capacity) - fill, rule.time(fill), rule.time(fill))
            }
        };
        let exceeds = cost > rule.capacity;
        let fits = cost == 0 || Exact::from(cost) <= left && max_delay.is_none_or(|longest| delay <= longest);
        if exceeds || !fits {
            delay = 0;
        }
        let remaining = left.floor().to_integer().clamp(0, rule.capacity);
        Said { fits: fits && !exceeds, exceeds, remaining, reset, delay }
    }

    pub(super) fn take(&mut self, numbers: &Numbers, now: u64, cost: u64) {
        if cost == 0 {
            return;
        }
        let rule = Rule::of(numbers);
        let at = self.at(numbers, now);
        let cost = i128::from(cost);
        let start = at - at % rule.period;
        match numbers.algorithm {
            Algorithm::FixedWindow | Algorithm::SlidingWindow => {
                *self.windows.entry(start * rule.tick).or_default() += cost;
                self.latest = start * rule.tick;
                return;
            }
            Algorithm::SlidingLog => {
                // What a shorter period has let go of does not come back with a longer one.
                self.log.retain(|(end, _)| rule.ticks(*end) + rule.period > at);
                let end = at - at % rule.slice + rule.slice - 1;
                let end = match self.log.last() {
                    // What was counted in longer slices leaves late rather than early.
                    Some((last, _)) if rule.ticks(*last) >= end => *last,
                    _ => end * rule.tick,
                };
                self.log.push((end, cost));
            }
            Algorithm::TokenBucket => {
                self.level = Some((self.tokens(&rule, at) - Exact::from(cost), rule.period));
            }
            Algorithm::LeakyBucket => {
                self.level = Some((self.places(&rule, at) + Exact::from(cost), rule.period));
            }
        }
        self.latest = at * rule.tick;
    }

    fn tokens(&self, rule: &Rule, at: i128) -> Exact {
        let full = Exact::from(rule.capacity);
        let Some((level, period)) = self.level else { return full };
        // In another period's parts, whole tokens are kept.
        let level = if period == rule.period { level } else { level.floor() };
        (level.min(full) + rule.flow(at - rule.ticks(self.latest))).min(full)
    }

    fn places(&self, rule: &Rule, at: i128) -> Exact {
        let Some((level, period)) = self.level else { return Exact::from(0) };
        let level = if period == rule.period { level } else { level.ceil() };
        (level.min(Exact::from(rule.capacity)) - rule.flow(at - rule.ticks(self.latest))).max(Exact::from(0))
    }
}
