//! The part of a limit that one process decides by itself.

use ratelimit_spec::Numbers;

/// A part of a limit: above 0, up to 1, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share(u32);

const WHOLE: u32 = 1_000_000;

impl Share {
    pub(crate) const HALF: Share = Share(WHOLE / 2);

    /// The share, rounded up to millionths; `None` unless above 0 and up to 1.
    pub(crate) fn new(share: f64) -> Option<Share> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 1,000,000")]
        (share > 0.0 && share <= 1.0).then(|| Share((share * f64::from(WHOLE)).ceil() as u32))
    }

    /// The rule at this share: ⌈N·share⌉ per period, ⌈capacity·share⌉ at once.
    pub(crate) fn of(self, numbers: Numbers) -> Numbers {
        Numbers { count: self.part(numbers.count), capacity: self.part(numbers.capacity), ..numbers }
    }

    fn part(self, units: u64) -> u64 {
        let part = (u128::from(units) * u128::from(self.0)).div_ceil(u128::from(WHOLE));
        // No more than the whole, which fitted.
        u64::try_from(part).unwrap_or(units)
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn share_rounds_up_and_stays_within_the_whole() {
        assert_eq!(Share::new(0.25).unwrap().part(10), 3);
        assert_eq!(Share::new(1.0).unwrap().part(u64::MAX), u64::MAX);
        assert_eq!(Share::new(1e-9).unwrap().part(1), 1);
        assert_eq!(Share::HALF.part(5), 3);
    }

    #[test]
    fn share_outside_of_zero_to_one_is_refused() {
        for share in [0.0, -0.5, 1.000_001, f64::NAN, f64::INFINITY] {
            assert_eq!(Share::new(share), None, "{share}");
        }
    }
}
