//! One layer: each argument by itself, then against the others by `ratelimit_spec`.

use super::{
    key,
    value::{expression, integer, is_number, period, string, text},
};
use crate::{
    args::{Arguments, Given, example},
    errors::{Errors, Reported},
    extent::Extent,
    function::Function,
    plan::{Cost, Layer},
};
use proc_macro2::Span;
use ratelimit_spec::{Argument, Draft, FailMode, Fault, Period, Rule, check_name};
use syn::Expr;

pub(super) fn check(layer: &Arguments, function: &Function, errors: &mut Errors) -> Result<Layer, Reported> {
    let key = key::check(layer, function, errors);
    let cost = layer.get(Argument::Cost).map_or(Ok(Cost::Constant(1)), |given| cost(given, errors));
    let rule = rule(layer, cost.as_ref().ok(), errors);
    let name = name(layer, errors);
    let fail = fail(layer, errors);
    let wait = period(layer, Argument::Wait, errors);
    let deadline = period(layer, Argument::Deadline, errors);
    let (key, values) = key?;
    Ok(Layer {
        name: name?,
        key,
        values,
        rule: rule?,
        cost: cost?,
        wait: wait?,
        deadline: deadline?,
        fail: fail?,
        arguments: layer.tokens.clone(),
    })
}

fn name(layer: &Arguments, errors: &mut Errors) -> Result<Option<String>, Reported> {
    let Some((name, span)) = text(layer, Argument::Name, errors)? else { return Ok(None) };
    check_name(&name).map_err(|fault| errors.push_fault(span, &fault))?;
    Ok(Some(name))
}

fn fail(layer: &Arguments, errors: &mut Errors) -> Result<Option<FailMode>, Reported> {
    let Some((mode, span)) = text(layer, Argument::Fail, errors)? else { return Ok(None) };
    FailMode::parse(&mode).map(Some).map_err(|fault| errors.push_fault(span, &fault))
}

fn cost(given: &Given, errors: &mut Errors) -> Result<Cost, Reported> {
    let value = expression(given, errors)?;
    if is_number(value) || string(value).is_some_and(|(text, _)| text.parse::<u64>().is_ok()) {
        return integer(given, errors).map(Cost::Constant);
    }
    if let Expr::Lit(_) = value {
        let example = example(Some(Argument::Cost));
        let sentence = format!(
            "`cost`: has to be a whole number or an expression, write for example `{example}` or `cost = rows.len()`"
        );
        return Err(errors.push(Extent::of(value), sentence));
    }
    Ok(Cost::Expression(value.clone()))
}

fn rule(layer: &Arguments, cost: Option<&Cost>, errors: &mut Errors) -> Result<Rule, Reported> {
    let algo = text(layer, Argument::Algo, errors);
    let rate = text(layer, Argument::Rate, errors);
    let precision = text(layer, Argument::Precision, errors);
    let mut number = |argument| layer.get(argument).map(|given| integer(given, errors)).transpose();
    let (burst, queue) = (number(Argument::Burst), number(Argument::Queue));
    let known = |text: &Result<Option<(String, Span)>, Reported>| {
        text.as_ref().ok().and_then(Option::as_ref).map(|(text, _)| text.clone())
    };
    let texts = [known(&algo), known(&rate), known(&precision)];
    let [algo_text, rate_text, precision_text] = texts.each_ref().map(Option::as_deref);
    let draft = Draft {
        algo: algo_text,
        rate: rate_text,
        precision: precision_text,
        burst: burst.ok().flatten(),
        queue: queue.ok().flatten(),
        cost: match cost {
            Some(Cost::Constant(cost)) if layer.get(Argument::Cost).is_some() => Some(*cost),
            _ => None,
        },
        ..Draft::default()
    };
    let broken = [algo.err(), rate.err(), precision.err(), burst.err(), queue.err()];
    let missing = layer.unreadable.filter(|_| rate_text.is_none());
    let mut reported = broken.into_iter().flatten().next().or(missing);
    let is_whole = reported.is_none();
    let faults = match draft.check() {
        Ok(rule) if is_whole => return Ok(rule),
        Ok(_) => Vec::new(),
        Err(faults) => faults,
    };
    // What is broken has been told, and what only follows from it is not told again.
    let stands_alone = |fault: &Fault| match fault.argument() {
        Argument::Rate => rate_text.is_some(),
        Argument::Algo => true,
        argument => precision_text.is_some_and(|text| Period::parse(argument, text).as_ref() == Err(fault)),
    };
    for fault in faults.iter().filter(|fault| is_whole || stands_alone(fault)) {
        reported = Some(errors.push_fault(layer.extent(fault.argument()), fault));
    }
    Err(reported.unwrap_or_else(|| errors.push(layer.span, "`rate_limit`: this is no limit")))
}
