//! What was checked: all that the emitter needs to know.

use crate::place::Place;
use proc_macro2::{Ident, Span, TokenStream};
use ratelimit_spec::{FailMode, Key, Rule};
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
    pub(crate) rule: Rule,
    pub(crate) cost: Cost,
    pub(crate) wait: Option<u64>,
    pub(crate) deadline: Option<u64>,
    pub(crate) fail: Option<FailMode>,
    /// As it was written, for an attribute that has to move.
    pub(crate) arguments: TokenStream,
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
}

impl Layer {
    fn is_late(&self) -> bool {
        !self.values.is_empty() || matches!(self.cost, Cost::Expression(_))
    }
}
