//! What an annotated function's types have to do: carry a denial, and be a cost.

use crate::{decision::Denied, permit::Actual};
use ratelimit_spec::Usd;

/// A return type that can carry a denial.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't carry a denial, return `Result<_, E>` with `E: From<ratelimit::Denied>`, or write `handler` \
               if it answers HTTP requests",
    label = "a denied call has no way out of this type"
)]
pub trait FromDenied {
    /// The value that says that the call was denied.
    fn from_denied(denied: Denied) -> Self;
}

/// An error that a denial can be made into: every one with `From<Denied>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't carry a denial, write `impl From<ratelimit::Denied> for {Self}`",
    label = "a denied call returns this error"
)]
pub trait DenialError {
    /// The error.
    fn from_denied(denied: Denied) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Denied>> DenialError for E {
    fn from_denied(denied: Denied) -> Self {
        E::from(denied)
    }
}

impl<T, E: DenialError> FromDenied for Result<T, E> {
    fn from_denied(denied: Denied) -> Self {
        Err(E::from_denied(denied))
    }
}

/// A number of units that can be a cost.
///
/// Under a limit in `$` an amount of [`Usd`] is a cost as well, and a number one of micro-dollars: [`IntoUsd`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a cost, write an integer, or for an `Option` of one also `default_cost`",
    label = "has to be an integer, in the unit of the rate"
)]
pub trait IntoCost {
    /// The cost in units; `None` if it is below zero.
    fn into_cost(self) -> Option<u64>;
}

/// An amount that can be a cost under a limit in `$`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a cost in dollars, write a `ratelimit::Usd`, or for an `Option` of one also `default_cost`",
    label = "has to be an amount: a `Usd`, or an integer of micro-dollars"
)]
pub trait IntoUsd {
    /// The cost in micro-dollars; `None` if it is below zero.
    fn into_usd(self) -> Option<u64>;
}

macro_rules! costs {
    ($($number:ty),*) => {$(
        impl IntoCost for $number {
            fn into_cost(self) -> Option<u64> {
                // What is too large for 64 bits is above every capacity.
                (self >= 0).then(|| u64::try_from(self).unwrap_or(u64::MAX))
            }
        }

        impl MaybeCost for $number {
            fn known_cost(self) -> Option<u64> {
                Some(cost(self))
            }
        }

        impl MaybeUsd for $number {
            fn known_usd(self) -> Option<u64> {
                Some(usd(self))
            }
        }

        impl IntoUsd for $number {
            fn into_usd(self) -> Option<u64> {
                self.into_cost()
            }
        }
    )*};
}
#[allow(
    unused_comparisons,
    clippy::absurd_extreme_comparisons,
    reason = "unsigned numbers are never below zero"
)]
mod numbers {
    use super::{IntoCost, IntoUsd, MaybeCost, MaybeUsd, cost, usd};
    costs!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
}

impl IntoUsd for Usd {
    fn into_usd(self) -> Option<u64> {
        Some(self.micros())
    }
}

/// The cost that an expression gives, in units. One below zero is above every capacity: it never passes.
pub fn cost<C: IntoCost>(cost: C) -> u64 {
    cost.into_cost().unwrap_or(u64::MAX)
}

/// The same in micro-dollars.
pub fn usd<C: IntoUsd>(cost: C) -> u64 {
    cost.into_usd().unwrap_or(u64::MAX)
}

/// A cost that may be unknown: then `default_cost` goes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a cost, write an integer, or an `Option` of one",
    label = "has to be an integer, or an `Option` of one"
)]
pub trait MaybeCost {
    /// The cost in units, if it is known.
    fn known_cost(self) -> Option<u64>;
}

/// The same under a limit in `$`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a cost in dollars, write a `ratelimit::Usd`, or an `Option` of one",
    label = "has to be an amount, or an `Option` of one"
)]
pub trait MaybeUsd {
    /// The cost in micro-dollars, if it is known.
    fn known_usd(self) -> Option<u64>;
}

impl<C: IntoCost> MaybeCost for Option<C> {
    fn known_cost(self) -> Option<u64> {
        self.map(cost)
    }
}

impl<C: IntoUsd> MaybeUsd for Option<C> {
    fn known_usd(self) -> Option<u64> {
        self.map(usd)
    }
}

impl MaybeUsd for Usd {
    fn known_usd(self) -> Option<u64> {
        Some(self.micros())
    }
}

/// The cost that an expression gives, or the default where it gives none.
pub fn cost_or<C: MaybeCost>(cost: C, default: impl FnOnce() -> u64) -> u64 {
    cost.known_cost().unwrap_or_else(default)
}

/// The same in micro-dollars.
pub fn usd_or<C: MaybeUsd>(cost: C, default: impl FnOnce() -> u64) -> u64 {
    cost.known_usd().unwrap_or_else(default)
}

/// What a call cost in the end, in units.
pub fn actual<C: IntoCost>(cost: C) -> Actual {
    cost.into_cost().map_or(Actual::Negative, Actual::Units)
}

/// The same in micro-dollars.
pub fn actual_usd<C: IntoUsd>(cost: C) -> Actual {
    cost.into_usd().map_or(Actual::Negative, Actual::Units)
}

/// What `when` and the closure of `charge_if` give.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no condition, write an expression of type `bool`",
    label = "has to be a `bool`"
)]
pub trait Condition {
    /// Whether it holds.
    fn holds(self) -> bool;
}

impl Condition for bool {
    fn holds(self) -> bool {
        self
    }
}

/// Whether a condition holds.
pub fn condition<C: Condition>(condition: C) -> bool {
    condition.holds()
}
