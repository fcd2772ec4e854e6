//! Token bucket: tokens come in at the rate, up to a burst; a call takes what it costs.
//!
//! In any interval t at most burst + rate × t pass. Known from traffic policing (RFC 2697 calls it a meter); equal to the
//! generic cell rate algorithm of ATM (ITU-T I.371) read the other way round.

use super::{
    Admission,
    bucket::{State, flow, full, parts},
};
use ratelimit_spec::Numbers;

#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(super) at: u64,
    /// Tokens × period.
    pub(super) level: u64,
}

impl View {
    #[inline]
    pub(super) fn of(numbers: &Numbers, state: Option<&State>, now: u64) -> View {
        let full = full(numbers);
        let Some(state) = state else { return View { at: now, level: full } };
        let (since, level) = state.read(numbers, false);
        let at = now.max(since);
        View { at, level: level.saturating_add(flow(numbers, at - since)).min(full) }
    }

    #[inline]
    pub(super) fn admit(&self, numbers: &Numbers, cost: u64) -> Admission {
        match parts(numbers, cost).checked_sub(self.level) {
            None | Some(0) => Admission::Fits(0),
            Some(short) => Admission::Later(short.div_ceil(numbers.count)),
        }
    }

    #[inline]
    pub(super) fn take(&mut self, numbers: &Numbers, cost: u64) {
        self.level = self.level.saturating_sub(parts(numbers, cost));
    }

    #[inline]
    pub(super) fn remaining(&self, numbers: &Numbers) -> u64 {
        self.level / numbers.period
    }

    #[inline]
    pub(super) fn reset(&self, numbers: &Numbers) -> u64 {
        (full(numbers) - self.level).div_ceil(numbers.count)
    }

    #[inline]
    pub(super) fn write(self, numbers: &Numbers) -> State {
        State::new(numbers, self.at, self.level)
    }
}
