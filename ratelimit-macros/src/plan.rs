//! What was checked: all that the emitter needs to know.

use crate::place::Place;
use proc_macro2::{Ident, Span, TokenStream};
use ratelimit_spec::{FailMode, Key, Rule, Scope, Unit};
use syn::{Expr, Path};

pub(crate) struct Plan {
    pub(crate) layers: Vec<Layer>,
    /// The runtime crate.
    pub(crate) krate: Path,
    pub(crate) limiter: Option<Expr>,
    pub(crate) shape: Shape,
    pub(crate) place: Place,
    /// The attribute stands below its neighbours already.
    pub(crate) has_moved: bool,
}

pub(crate) struct Layer {
    pub(crate) name: Option<String>,
    pub(crate) key: Key,
    /// The values of the key's parameter words, by slot.
    pub(crate) values: Vec<Value>,
    /// The rule; where the rate goes by plan, that of all others.
    pub(crate) rule: Rule,
    /// The plans that have a rule of their own, or none.
    pub(crate) plans: Vec<(String, Option<Rule>)>,
    /// The expression that gives the plan.
    pub(crate) plan: Option<Expr>,
    pub(crate) when: Option<Expr>,
    pub(crate) cost: Cost,
    pub(crate) default_cost: Option<Cost>,
    pub(crate) end: End,
    /// How long the store keeps a permit, in microseconds, if a call holds one.
    pub(crate) lease: Option<u64>,
    pub(crate) refunds_cancelled: bool,
    pub(crate) wait: Option<u64>,
    pub(crate) deadline: Option<u64>,
    pub(crate) fail: Option<FailMode>,
    pub(crate) scope: Scope,
    /// The word of the key that chooses the slot.
    pub(crate) colocate: Option<String>,
    /// As it was written, for an attribute that has to move.
    pub(crate) arguments: TokenStream,
}

/// What a call costs when it has run.
pub(crate) enum End {
    /// What it was charged.
    AsCharged,
    Settle {
        cost: Expr,
        on_err: OnErr,
    },
    ChargeIf(Expr),
}

/// What an errored call costs.
pub(crate) enum OnErr {
    Refund,
    Keep,
    Closure(Expr),
}

/// The value of a parameter word.
pub(crate) enum Value {
    /// A parameter, the fields behind it, and where it is declared.
    Field { root: Ident, fields: TokenStream, parameter: Span },
    /// An expression over the parameters.
    Expression(Expr),
}

pub(crate) enum Cost {
    Constant(u64),
    Expression(Expr),
}

/// What kind of function it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An async function or method.
    Async,
    /// A function that returns a future.
    Future,
    Handler,
}

impl Plan {
    /// Whether some layer needs more than the request: then all are decided together in the handler's body.
    pub(crate) fn is_late(&self) -> bool {
        self.layers.iter().any(Layer::is_late)
    }

    /// Whether a call holds a permit while it runs.
    pub(crate) fn is_held(&self) -> bool {
        self.layers.iter().any(|layer| layer.lease.is_some())
    }
}

impl Layer {
    fn is_late(&self) -> bool {
        let is_expression = |cost: &Cost| matches!(cost, Cost::Expression(_));
        !self.values.is_empty()
            || self.plan.is_some()
            || self.when.is_some()
            || is_expression(&self.cost)
            || self.default_cost.as_ref().is_some_and(is_expression)
    }

    /// Whether its cost is counted in micro-dollars.
    pub(crate) fn is_money(&self) -> bool {
        self.rule.rate().unit == Unit::MicroUsd
    }
}
