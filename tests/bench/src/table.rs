//! The tables that are printed.

use crate::rounds::{Spread, Times};
use std::fmt;

/// What is divided by what.
#[derive(Clone, Copy)]
pub(crate) enum Ratio {
    /// Our time by the peer's: less is better.
    Time,
    /// Our rate by the peer's: more is better.
    Rate,
}

/// What the ratio is meant to be: at most that for times, at least that for rates.
#[derive(Clone, Copy)]
pub(crate) struct Goal(pub(crate) f64);

pub(crate) struct Table {
    ratio: Ratio,
}

impl Table {
    /// Begins one, with a line on what is measured, lines on what there is to know of it, and the head of the columns.
    #[expect(clippy::print_stdout, reason = "what a benchmark finds is its output")]
    pub(crate) fn begin(title: &str, notes: &[&str], work: &str, ratio: Ratio) -> Table {
        println!("\n{title}");
        for note in notes {
            println!("  {note}");
        }
        let what = match ratio {
            Ratio::Time => "time, ours ÷ peer",
            Ratio::Rate => "rate, ours ÷ peer",
        };
        println!("\n{work:<24} {:<20} {:<20} {:>9} {:>9}   {what:<20} goal", "ours", "peer", "ours", "peer");
        Table { ratio }
    }

    #[expect(clippy::print_stdout, reason = "what a benchmark finds is its output")]
    pub(crate) fn row(&self, work: &str, ours: &Times, peer: &Times, goal: Option<Goal>) {
        let ratio = match self.ratio {
            Ratio::Time => ours.divided_by(peer),
            Ratio::Rate => peer.divided_by(ours),
        };
        let goal = goal.map_or_else(String::new, |goal| self.judge(goal, ratio));
        println!(
            "{work:<24} {:<20} {:<20} {:>9} {:>9}   {:<20} {goal}",
            ours.name,
            peer.name,
            self.absolute(ours.spread()),
            self.absolute(peer.spread()),
            ratio.to_string(),
        );
    }

    fn judge(&self, Goal(goal): Goal, ratio: Spread) -> String {
        let (sign, met) = match self.ratio {
            Ratio::Time => ('≤', ratio.median <= goal),
            Ratio::Rate => ('≥', ratio.median >= goal),
        };
        format!("{sign} {goal} {}", if met { "met" } else { "missed" })
    }

    fn absolute(&self, seconds: Spread) -> String {
        let seconds = seconds.median;
        match self.ratio {
            Ratio::Time if seconds < 1e-6 => format!("{:.0} ns", seconds * 1e9),
            Ratio::Time => format!("{:.2} µs", seconds * 1e6),
            Ratio::Rate => format!("{:.0}/s", seconds.recip()),
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2} … {:.2})", self.median, self.low, self.high)
    }
}
