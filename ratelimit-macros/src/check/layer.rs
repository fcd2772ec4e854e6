//! One layer: each argument by itself, then against the others by `ratelimit_spec`.

use super::{
    key,
    value::{expression, integer, is_number, period, string, text},
};
use crate::{
    args::{Arguments, Given, example},
    errors::{Errors, Reported},
    function::Function,
    plan::{Cost, Layer},
};
use ratelimit_spec::{Argument, Draft, FailMode, Rule, check_name};
use syn::{Expr, spanned::Spanned};

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
        return Err(errors.push(value.span(), sentence));
    }
    Ok(Cost::Expression(value.clone()))
}

fn rule(layer: &Arguments, cost: Option<&Cost>, errors: &mut Errors) -> Result<Rule, Reported> {
    let algo = text(layer, Argument::Algo, errors);
    let rate = text(layer, Argument::Rate, errors);
    let precision = text(layer, Argument::Precision, errors);
    let mut number = |argument| layer.get(argument).map(|given| integer(given, errors)).transpose();
    let (burst, queue) = (number(Argument::Burst), number(Argument::Queue));
    // What is broken has been told; judging the rest without it would tell it twice.
    let (algo, rate, precision, burst, queue) = (algo?, rate?, precision?, burst?, queue?);
    if let (None, Some(reported)) = (&rate, layer.unreadable) {
        return Err(reported);
    }
    let draft = Draft {
        algo: algo.as_ref().map(|(text, _)| text.as_str()),
        rate: rate.as_ref().map(|(text, _)| text.as_str()),
        burst,
        queue,
        precision: precision.as_ref().map(|(text, _)| text.as_str()),
        cost: match cost {
            Some(Cost::Constant(cost)) => Some(*cost),
            _ => None,
        },
    };
    draft.check().map_err(|faults| {
        let mut reported = None;
        for fault in &faults {
            reported = Some(errors.push_fault(layer.value_span(fault.argument()), fault));
        }
        reported.unwrap_or_else(|| errors.push(layer.span, "`rate_limit`: not a limit"))
    })
}
