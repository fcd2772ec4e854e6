//! A soak: two processes call the limits of a cluster for a long time while faults come and go, and what passes is
//! counted by others than those who decide.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// The limit of each subject per [`PERIOD`].
pub const LIMIT: usize = 100;
/// The period of each limit.
pub const PERIOD: Duration = Duration::from_secs(4);
/// Subjects of each limit.
pub const SUBJECTS: usize = 12;
/// Tasks of each process that call without end.
pub const CALLERS: usize = 24;

/// What is called, and what it promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Never more than the limit in a window aligned to the epoch.
    FixedWindow,
    /// Never more than the limit in any window.
    SlidingLog,
}

impl Counted {
    /// The algorithm's name.
    pub const fn name(self) -> &'static str {
        match self {
            Counted::FixedWindow => "fixed_window",
            Counted::SlidingLog => "sliding_log",
        }
    }

    /// The rate.
    pub fn rate(self) -> String {
        format!("{LIMIT}/{}s", PERIOD.as_secs())
    }
}

/// Microseconds since the epoch, by the clock that the servers of this machine read as well.
pub fn now_us() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
}

/// Counts what was admitted. A call was decided at some moment between its question and its answer: it is counted in
/// a window only if both lie in it.
#[derive(Debug, Default)]
pub struct Auditor {
    /// Of each key: question and answer of what was admitted, in the order in which it was heard of.
    admitted: HashMap<String, Vec<(u64, u64)>>,
    /// When a server lost what it had.
    losses: Vec<u64>,
    /// The fullest window, in units.
    pub fullest: usize,
    /// What was admitted beyond the bound, in words.
    pub wrong: Vec<String>,
    /// Calls that were admitted.
    pub total: u64,
}

const PERIOD_US: u64 = PERIOD.as_secs() * 1_000_000;

impl Auditor {
    /// A call was admitted.
    pub fn admit(&mut self, key: &str, sent: u64, received: u64) {
        self.total += 1;
        self.admitted.entry(key.to_owned()).or_default().push((sent, received));
    }

    /// A server loses all that it has, within so many microseconds.
    pub fn lose(&mut self, from: u64, to: u64) {
        self.losses.push(from);
        self.losses.push(to);
    }

    /// Judges the windows that are over, and forgets what no later one can hold.
    pub fn judge(&mut self, now: u64) {
        let settled = now.saturating_sub(2 * PERIOD_US);
        let mut fullest = 0;
        for (key, admitted) in &mut self.admitted {
            admitted.sort_unstable();
            let is_fixed = key.starts_with(Counted::FixedWindow.name());
            let mut start = 0;
            for (sent, _) in admitted.iter().filter(|(sent, _)| *sent < settled) {
                let window = if is_fixed { sent - sent % PERIOD_US } else { *sent };
                // Every call of an aligned window names the same one.
                if is_fixed && window == start {
                    continue;
                }
                start = window;
                let end = window + PERIOD_US;
                let first = admitted.partition_point(|(sent, _)| *sent < window);
                let inside = admitted.iter().skip(first).take_while(|(sent, _)| *sent < end);
                let count = inside.filter(|(_, received)| *received < end).count();
                // A loss is written down as the time from which and to which it may have happened.
                let lost = self.losses.chunks(2);
                let lost =
                    lost.filter(|loss| matches!(loss, [from, to] if *from < end && *to >= window)).count();
                fullest = fullest.max(if lost == 0 { count } else { 0 });
                if count > LIMIT * (1 + lost) {
                    self.wrong
                        .push(format!("{key}: {count} in the window from {window}, with {lost} losses"));
                }
            }
            admitted.retain(|(sent, _)| *sent >= settled.saturating_sub(PERIOD_US));
        }
        self.fullest = self.fullest.max(fullest);
        self.losses.drain(
            ..self
                .losses
                .chunks(2)
                .take_while(|loss| loss.iter().all(|at| *at + 4 * PERIOD_US < now))
                .count()
                * 2,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Auditor, LIMIT, PERIOD_US};

    const LATER: u64 = 100 * PERIOD_US;

    fn admitted(key: &str, start: u64, count: usize) -> Auditor {
        let mut auditor = Auditor::default();
        for number in 0..count as u64 {
            auditor.admit(key, start + number * 1_000, start + number * 1_000 + 900);
        }
        auditor
    }

    #[test]
    fn one_too_many_is_found_in_any_window_of_a_log_and_in_aligned_ones_of_a_window() {
        for (key, start, count, wrong) in [
            ("fixed_window/1", 10 * PERIOD_US, LIMIT, false),
            ("fixed_window/1", 10 * PERIOD_US, LIMIT + 1, true),
            ("fixed_window/1", 11 * PERIOD_US - 50_000, LIMIT + 1, false),
            ("sliding_log/1", 11 * PERIOD_US - 50_000, LIMIT + 1, true),
            ("sliding_log/1", 11 * PERIOD_US - 50_000, LIMIT, false),
        ] {
            let mut auditor = admitted(key, start, count);
            auditor.judge(LATER);
            assert_eq!(!auditor.wrong.is_empty(), wrong, "{key} {start} {count}: {:?}", auditor.wrong);
        }
    }

    #[test]
    fn each_loss_admits_the_limit_once_more() {
        for (count, wrong) in [(2 * LIMIT, false), (2 * LIMIT + 1, true)] {
            let mut auditor = admitted("fixed_window/1", 10 * PERIOD_US, count);
            auditor.lose(10 * PERIOD_US + 5, 10 * PERIOD_US + 6);
            auditor.lose(12 * PERIOD_US, 12 * PERIOD_US + 1);
            auditor.judge(LATER);
            assert_eq!(!auditor.wrong.is_empty(), wrong, "{count}");
        }
    }

    #[test]
    fn what_is_judged_is_forgotten() {
        let mut auditor = admitted("sliding_log/1", 10 * PERIOD_US, LIMIT);
        auditor.judge(LATER);
        assert!(auditor.admitted.values().all(Vec::is_empty));
        assert_eq!(auditor.total, LIMIT as u64);
    }
}
