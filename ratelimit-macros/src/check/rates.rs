//! How much passes: the rate, one for all or one for each plan, with what belongs to its algorithm.

use super::value::{expression, integer, string, text};
use crate::{
    args::{Arguments, shown},
    errors::{Errors, Reported},
    extent::Extent,
    plan::Cost,
};
use proc_macro2::Span;
use ratelimit_spec::{Algorithm, Argument, Draft, Fault, Period, Rate, Rule};
use syn::{Expr, ExprAssign, ExprCall, ext::IdentExt as _};

/// The rules of a layer.
pub(super) struct Rates {
    pub(super) otherwise: Rule,
    pub(super) plans: Vec<(String, Option<Rule>)>,
    /// How long the store keeps a permit, in microseconds, if a call holds one.
    pub(super) lease: Option<u64>,
}

/// A rate as it is written, and where.
struct Written {
    /// `None` has no limit.
    text: Option<String>,
    extent: Extent,
}

/// Arguments whose values no rule depends on, but which others exclude or require.
const TOGETHER: [Argument; 7] = [
    Argument::Cost,
    Argument::DefaultCost,
    Argument::Settle,
    Argument::OnErr,
    Argument::OnCancel,
    Argument::ChargeIf,
    Argument::Wait,
];

pub(super) fn check(
    layer: &Arguments,
    cost: Option<&Cost>,
    keeps_permits: bool,
    errors: &mut Errors,
) -> Result<Rates, Reported> {
    let algo = text(layer, Argument::Algo, errors);
    let rate = rate(layer, errors);
    let precision = text(layer, Argument::Precision, errors);
    let lease = text(layer, Argument::Lease, errors);
    let mut number = |argument| layer.get(argument).map(|given| integer(given, errors)).transpose();
    let (burst, queue, limit) = (number(Argument::Burst), number(Argument::Queue), number(Argument::Limit));
    let known = |text: &Result<Option<(String, Span)>, Reported>| {
        text.as_ref().ok().and_then(Option::as_ref).map(|(text, _)| text.clone())
    };
    let texts = [known(&algo), known(&precision), known(&lease)];
    let [algo_text, precision_text, lease_text] = texts.each_ref().map(Option::as_deref);
    let given: Vec<Argument> =
        TOGETHER.into_iter().filter(|argument| layer.get(*argument).is_some()).collect();
    let plans = rate.as_ref().ok();
    let otherwise = plans.and_then(|(otherwise, _)| otherwise.text.as_deref());
    let draft = Draft {
        algo: algo_text,
        rate: otherwise,
        precision: precision_text,
        lease: lease_text,
        burst: burst.ok().flatten(),
        queue: queue.ok().flatten(),
        limit: limit.ok().flatten(),
        cost: match cost {
            Some(Cost::Constant(cost)) if layer.get(Argument::Cost).is_some() => Some(*cost),
            _ => None,
        },
        given: &given,
        keeps_permits,
    };
    let broken = [
        rate.as_ref().err().copied(),
        algo.err(),
        precision.err(),
        lease.err(),
        burst.err(),
        queue.err(),
        limit.err(),
    ];
    let missing = layer.unreadable.filter(|_| otherwise.is_none());
    let mut reported = broken.into_iter().flatten().next().or(missing);
    let is_whole = reported.is_none();
    // What is broken has been told, and what only follows from it is not told again.
    let stands_alone = |fault: &Fault| match fault.argument() {
        Argument::Rate => otherwise.is_some(),
        Argument::Algo => true,
        argument => precision_text.is_some_and(|text| Period::parse(argument, text).as_ref() == Err(fault)),
    };
    let checked = draft.check();
    let faults = checked.as_ref().err().map_or(&[][..], Vec::as_slice);
    for fault in faults.iter().filter(|fault| is_whole || stands_alone(fault)) {
        let extent = match (fault.argument(), plans) {
            (Argument::Rate, Some((otherwise, _))) => otherwise.extent,
            (argument, _) => layer.extent(argument),
        };
        reported = Some(errors.push_fault(extent, fault));
    }
    let planned = match plans {
        Some((_, plans)) => check_plans(layer, plans, &draft, checked.as_ref().ok(), errors),
        None => Ok(Vec::new()),
    };
    match (checked, planned, reported) {
        (Ok(otherwise), Ok(plans), None) => {
            // What costs one whatever happens has nothing to correct.
            let holds = keeps_permits && given.contains(&Argument::Cost)
                || otherwise.algorithm() == Algorithm::Concurrency
                || given.iter().any(|argument| matches!(argument, Argument::Settle | Argument::ChargeIf));
            let lease = draft.lease().ok().filter(|_| holds).map(Period::as_micros);
            Ok(Rates { otherwise, plans, lease })
        }
        (_, Err(reported), _) | (_, _, Some(reported)) => Err(reported),
        _ => Err(errors.push(layer.span, "`rate_limit`: this is no limit")),
    }
}

/// The rules of the plans: what is wrong with the limit as a whole was told with the rate of all others.
fn check_plans(
    layer: &Arguments,
    plans: &[(String, Written)],
    draft: &Draft<'_>,
    otherwise: Option<&Rule>,
    errors: &mut Errors,
) -> Result<Vec<(String, Option<Rule>)>, Reported> {
    let mut rules = Vec::new();
    let mut reported = None;
    for (name, written) in plans {
        let Some(rate) = &written.text else {
            rules.push((name.clone(), None));
            continue;
        };
        match (Draft { rate: Some(rate), ..*draft }.check()) {
            Ok(rule) => {
                if let Some(fault) = otherwise.and_then(|otherwise| rule.differs_in_unit(otherwise)) {
                    reported = Some(errors.push_fault(written.extent, &fault));
                }
                rules.push((name.clone(), Some(rule)));
            }
            Err(faults) => {
                let of_others = |fault: &&Fault| otherwise.is_some() || fault.argument() == Argument::Rate;
                for fault in faults.iter().filter(of_others) {
                    reported = Some(errors.push_fault(written.extent, fault));
                }
            }
        }
    }
    if let Some(given) = layer.get(Argument::Plan)
        && plans.is_empty()
    {
        let sentence = "`plan`: the rate is one for all plans, write for example \
                        `rate = plan(free = \"100/min\", otherwise = \"60/min\")`, or remove it";
        reported = Some(errors.push(given.name, sentence));
    }
    reported.map_or(Ok(rules), Err)
}

/// One rate, or `plan(NAME = RATE, .., otherwise = RATE)`.
fn rate(layer: &Arguments, errors: &mut Errors) -> Result<(Written, Vec<(String, Written)>), Reported> {
    let Some(given) = layer.get(Argument::Rate) else {
        return Ok((Written { text: None, extent: layer.span.into() }, Vec::new()));
    };
    if let Expr::Call(call) = expression(given, errors)?
        && let Expr::Path(name) = &*call.func
        && name.path.is_ident("plan")
    {
        return of_plans(call, errors);
    }
    let (rate, span) = text(layer, Argument::Rate, errors)?.unzip();
    Ok((Written { text: rate, extent: span.map_or(layer.span.into(), Extent::from) }, Vec::new()))
}

fn of_plans(call: &ExprCall, errors: &mut Errors) -> Result<(Written, Vec<(String, Written)>), Reported> {
    let mut plans: Vec<(String, Written)> = Vec::new();
    let mut reported = None;
    for argument in &call.args {
        let Expr::Assign(assign) = argument else {
            let sentence =
                format!("`rate`: `{}` is no plan, write for example `free = \"100/min\"`", shown(argument));
            reported = Some(errors.push(Extent::of(argument), sentence));
            continue;
        };
        match plan(assign, errors) {
            Ok((name, _)) if plans.iter().any(|(before, _)| *before == name) => {
                let sentence = format!("`rate`: the plan `{name}` has two rates, remove one of them");
                reported = Some(errors.push(Extent::of(&assign.left), sentence));
            }
            Ok(plan) => plans.push(plan),
            Err(error) => reported = Some(error),
        }
    }
    if reported.is_some() {
        // What is wrong with one does not hide the others.
        for (text, extent) in plans.iter().filter_map(|(_, plan)| Some((plan.text.as_deref()?, plan.extent)))
        {
            if let Err(fault) = Rate::parse(text) {
                errors.push_fault(extent, &fault);
            }
        }
    }
    let otherwise = plans.iter().position(|(name, _)| name == "otherwise").map(|at| plans.remove(at).1);
    match (otherwise, reported) {
        (Some(Written { text: None, extent }), _) => {
            let sentence = "`rate`: whose plan nobody knows would pass unlimited, write a rate: `otherwise = \"60/min\"`";
            Err(errors.push(extent, sentence))
        }
        (_, Some(reported)) => Err(reported),
        (Some(otherwise), None) => Ok((otherwise, plans)),
        (None, None) => {
            let sentence = "`rate`: what goes for all other plans is missing, write for example `otherwise = \"60/min\"`";
            Err(errors.push(Extent::of(call), sentence))
        }
    }
}

/// `free = "100/min"`, `"pro-plus" = "1k/min"`, `enterprise = unlimited`.
fn plan(assign: &ExprAssign, errors: &mut Errors) -> Result<(String, Written), Reported> {
    let name = match &*assign.left {
        Expr::Path(name) => name.path.get_ident().map(|name| name.unraw().to_string()),
        name => string(name).map(|(name, _)| name),
    };
    let name = name.filter(|name| !name.is_empty()).ok_or_else(|| {
        let sentence =
            format!("`rate`: `{}` names no plan, write a word, or a text in quotes", shown(&assign.left));
        errors.push(Extent::of(&assign.left), sentence)
    })?;
    let extent = Extent::of(&assign.right);
    let text = match &*assign.right {
        Expr::Path(word) if word.path.is_ident("unlimited") => None,
        rate => Some(string(rate).map(|(text, _)| text).ok_or_else(|| {
            let sentence = format!(
                "`rate`: `{}` is no rate for `{name}`, write for example `{name} = \"100/min\"` or `{name} = unlimited`",
                shown(rate)
            );
            errors.push(extent, sentence)
        })?),
    };
    Ok((name, Written { text, extent }))
}
