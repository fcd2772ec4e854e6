//! The door that generated code comes in by. Not for use by hand: it changes with every version.

pub use crate::{
    handler::{Guard, Id, Limited, Marker, SiteOf, id},
    http::Outcome,
    into::{FromDenied, actual, actual_usd, cost, cost_or, usd, usd_or},
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

/// The limiter that an expression gives.
pub fn limiter<L: Borrow<Limiter> + ?Sized>(limiter: &L) -> Limiter {
    limiter.borrow().clone()
}
