//! One layer: each argument by itself, then against the others by `ratelimit_spec`.

use super::{
    key, rates, settling,
    value::{expression, integer, is_number, period, string, text},
};
use crate::{
    args::{Arguments, Given, example},
    errors::{Errors, Reported},
    extent::Extent,
    function::Function,
    plan::{Cost, Layer},
};
use ratelimit_spec::{Argument, FailMode, Key, Scope, check_name};
use syn::{Expr, ExprLit, Lit};

pub(super) fn check(layer: &Arguments, function: &Function, errors: &mut Errors) -> Result<Layer, Reported> {
    let key = key::check(layer, function, errors);
    let cost = layer.get(Argument::Cost).map_or(Ok(Cost::Constant(1)), |given| cost(given, errors));
    let default_cost = layer.get(Argument::DefaultCost).map(|given| self::cost(given, errors)).transpose();
    let keeps_permits = function.body_names("current_permit");
    let rates = rates::check(layer, cost.as_ref().ok(), keeps_permits, errors);
    let plan = expression_of(layer, Argument::Plan, errors);
    let when = condition(layer, errors);
    let end = settling::end(layer, errors);
    let refunds_cancelled = settling::refunds_cancelled(layer, errors);
    let name = name(layer, errors);
    let fail = fail(layer, errors);
    let scope = scope(layer, errors);
    let colocate = colocate(layer, key.as_ref().ok().map(|(key, _)| key), errors);
    let wait = period(layer, Argument::Wait, errors);
    let deadline = period(layer, Argument::Deadline, errors);
    let (key, values) = key?;
    let rates = rates?;
    Ok(Layer {
        name: name?,
        key,
        values,
        rule: rates.otherwise,
        plans: rates.plans,
        plan: plan?,
        when: when?,
        cost: cost?,
        default_cost: default_cost?,
        end: end?,
        lease: rates.lease,
        refunds_cancelled: refunds_cancelled?,
        wait: wait?,
        deadline: deadline?,
        fail: fail?,
        scope: scope?,
        colocate: colocate?,
        arguments: layer.tokens.clone(),
    })
}

fn expression_of(
    layer: &Arguments,
    argument: Argument,
    errors: &mut Errors,
) -> Result<Option<Expr>, Reported> {
    layer.get(argument).map(|given| expression(given, errors).cloned()).transpose()
}

/// `when`: anything but a text or a number, which rustc would find a mismatch in our code.
fn condition(layer: &Arguments, errors: &mut Errors) -> Result<Option<Expr>, Reported> {
    let Some(when) = expression_of(layer, Argument::When, errors)? else { return Ok(None) };
    if let Expr::Lit(ExprLit { lit, .. }) = &when
        && !matches!(lit, Lit::Bool(_))
    {
        let sentence =
            format!("`when`: has to be a condition, write for example `{}`", example(Some(Argument::When)));
        return Err(errors.push(Extent::of(&when), sentence));
    }
    Ok(Some(when))
}

fn scope(layer: &Arguments, errors: &mut Errors) -> Result<Scope, Reported> {
    let Some((scope, span)) = text(layer, Argument::Scope, errors)? else { return Ok(Scope::Cluster) };
    Scope::parse(&scope).map_err(|fault| errors.push_fault(span, &fault))
}

fn colocate(layer: &Arguments, key: Option<&Key>, errors: &mut Errors) -> Result<Option<String>, Reported> {
    let Some((word, span)) = text(layer, Argument::Colocate, errors)? else { return Ok(None) };
    if let Some(key) = key {
        key.check_colocate(&word).map_err(|fault| errors.push_fault(span, &fault))?;
    }
    Ok(Some(word))
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
        let (word, example) = (given.argument, example(Some(given.argument)));
        let sentence = format!(
            "`{word}`: has to be a whole number or an expression, write for example `{example}` or `{word} = rows.len()`"
        );
        return Err(errors.push(Extent::of(value), sentence));
    }
    Ok(Cost::Expression(value.clone()))
}
