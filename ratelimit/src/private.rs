//! The door that generated code comes in by. Not for use by hand: it changes with every version.

pub use crate::{
    handler::{Guard, Id, Limited, Marker, SiteOf, fit, id},
    http::Outcome,
    into::{FromDenied, actual, actual_usd, condition, cost, cost_or, usd, usd_or},
    key::{Part, Slot, ViaDisplay, ViaKeyPart, ViaNothing},
    limit::{Facts, Name, PlanRule, Unused},
    limiter::{Call, Limiter},
    permit::{Actual, Holding, Output, Permit, Settling, ViaResult, ViaValue, charge_if, with},
    site::{Declared, Site},
};
pub use core::{
    column, concat, file, line, module_path,
    option::Option::{self, None, Some},
    result::Result::{self, Err, Ok},
};
pub use inventory::submit;
pub use ratelimit_spec::{Algorithm, FailMode, Key, Period, Rate, Request, Rule, Source, Unit, Word};
pub use std::{borrow::Cow, boxed::Box};

use core::borrow::Borrow;

/// The name of a value's type: of an item inside a function it is the function's path.
pub fn type_name_of_val<T: ?Sized>(value: &T) -> &'static str {
    core::any::type_name_of_val(value)
}

/// What `limiter` can be: a limiter, or anything that holds one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no limiter, write an expression that gives a `ratelimit::Limiter`",
    label = "has to be a `ratelimit::Limiter`, or an `Arc` of one"
)]
pub trait AsLimiter {
    /// A handle to it.
    fn as_limiter(&self) -> Limiter;
}

#[diagnostic::do_not_recommend]
impl<T: Borrow<Limiter> + ?Sized> AsLimiter for T {
    fn as_limiter(&self) -> Limiter {
        self.borrow().clone()
    }
}

/// The limiter that an expression gives.
pub fn limiter<L: AsLimiter + ?Sized>(limiter: &L) -> Limiter {
    limiter.as_limiter()
}
