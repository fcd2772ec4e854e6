//! The arguments of a limit by name: one table for the parser, the sentences and the suggestions.

use core::fmt;

/// An argument of a limit, in the attribute and in every other place that describes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the word itself; the attribute's page says what it means")]
pub enum Argument {
    Key,
    Rate,
    Plan,
    Algo,
    Burst,
    Queue,
    Precision,
    Limit,
    Lease,
    Cost,
    DefaultCost,
    Settle,
    OnErr,
    OnCancel,
    ChargeIf,
    Wait,
    When,
    Scope,
    Colocate,
    Fail,
    Deadline,
    Name,
    Handler,
    Limiter,
    Crate,
}

impl Argument {
    /// Every argument, in the order in which messages list them.
    pub const ALL: &'static [Argument] = &[
        Argument::Key,
        Argument::Rate,
        Argument::Plan,
        Argument::Algo,
        Argument::Burst,
        Argument::Queue,
        Argument::Precision,
        Argument::Limit,
        Argument::Lease,
        Argument::Cost,
        Argument::DefaultCost,
        Argument::Settle,
        Argument::OnErr,
        Argument::OnCancel,
        Argument::ChargeIf,
        Argument::Wait,
        Argument::When,
        Argument::Scope,
        Argument::Colocate,
        Argument::Fail,
        Argument::Deadline,
        Argument::Name,
        Argument::Handler,
        Argument::Limiter,
        Argument::Crate,
    ];

    /// The word that names it.
    pub const fn word(self) -> &'static str {
        match self {
            Argument::Key => "key",
            Argument::Rate => "rate",
            Argument::Plan => "plan",
            Argument::Algo => "algo",
            Argument::Burst => "burst",
            Argument::Queue => "queue",
            Argument::Precision => "precision",
            Argument::Limit => "limit",
            Argument::Lease => "lease",
            Argument::Cost => "cost",
            Argument::DefaultCost => "default_cost",
            Argument::Settle => "settle",
            Argument::OnErr => "on_err",
            Argument::OnCancel => "on_cancel",
            Argument::ChargeIf => "charge_if",
            Argument::Wait => "wait",
            Argument::When => "when",
            Argument::Scope => "scope",
            Argument::Colocate => "colocate",
            Argument::Fail => "fail",
            Argument::Deadline => "deadline",
            Argument::Name => "name",
            Argument::Handler => "handler",
            Argument::Limiter => "limiter",
            Argument::Crate => "crate",
        }
    }

    /// The argument of that name.
    pub fn from_word(word: &str) -> Option<Argument> {
        Argument::ALL.iter().copied().find(|a| a.word() == word)
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
