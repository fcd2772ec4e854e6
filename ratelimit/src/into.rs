//! What an annotated function's types have to do: carry a denial, and be a cost.

use crate::decision::Denied;

/// A return type that can carry a denial.
#[diagnostic::on_unimplemented(
    message = "a denial of `rate_limit` has no way out of `{Self}`",
    label = "return `Result<_, E>` here, with `E: From<ratelimit::Denied>`",
    note = "an HTTP handler says so with `handler`"
)]
pub trait FromDenied {
    /// The value that says that the call was denied.
    fn from_denied(denied: Denied) -> Self;
}

/// An error that a denial can be made into: every one with `From<Denied>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be made from a denial of `rate_limit`",
    label = "this error needs `impl From<ratelimit::Denied> for {Self}`"
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

/// A number that can be a cost, in units. A negative one is above every capacity: it never passes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a cost",
    label = "a cost is an integer, in the unit of the rate"
)]
pub trait IntoCost {
    /// The cost in units.
    fn into_cost(self) -> u64;
}

macro_rules! costs {
    ($($number:ty),*) => {$(
        impl IntoCost for $number {
            fn into_cost(self) -> u64 {
                u64::try_from(self).unwrap_or(u64::MAX)
            }
        }
    )*};
}
costs!(u8, u16, u32, u64, u128, usize, i32, i64);

/// The cost that an expression gives.
pub fn cost<C: IntoCost>(cost: C) -> u64 {
    cost.into_cost()
}
