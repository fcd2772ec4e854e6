//! What a call costs when it has run: `settle`, `on_err`, `on_cancel`, `charge_if`.

use super::value::expression;
use crate::{
    args::{Arguments, example, shown},
    errors::{Errors, Reported},
    extent::Extent,
    plan::{End, OnErr},
};
use ratelimit_spec::Argument;
use syn::Expr;

/// Which of them go together is judged with the rule; here is what each of them can be.
pub(super) fn end(layer: &Arguments, errors: &mut Errors) -> Result<End, Reported> {
    let settle = closure(layer, Argument::Settle, errors);
    let charge_if = closure(layer, Argument::ChargeIf, errors);
    let on_err = on_err(layer, errors);
    match (settle?, charge_if?) {
        (Some(cost), _) => Ok(End::Settle { cost, on_err: on_err? }),
        (None, Some(counts)) => on_err.map(|_| End::ChargeIf(counts)),
        (None, None) => on_err.map(|_| End::AsCharged),
    }
}

/// A closure, or the path of a function.
fn closure(layer: &Arguments, argument: Argument, errors: &mut Errors) -> Result<Option<Expr>, Reported> {
    let Some(given) = layer.get(argument) else { return Ok(None) };
    let value = expression(given, errors)?;
    match value {
        Expr::Closure(_) | Expr::Path(_) => Ok(Some(value.clone())),
        _ => {
            let sentence = format!(
                "`{argument}`: has to be a closure over the output, write for example `{}`",
                example(Some(argument))
            );
            Err(errors.push(Extent::of(value), sentence))
        }
    }
}

fn on_err(layer: &Arguments, errors: &mut Errors) -> Result<OnErr, Reported> {
    let Some(given) = layer.get(Argument::OnErr) else { return Ok(OnErr::Refund) };
    let value = expression(given, errors)?;
    match value {
        Expr::Path(word) if word.path.is_ident("refund") => Ok(OnErr::Refund),
        Expr::Path(word) if word.path.is_ident("keep") => Ok(OnErr::Keep),
        Expr::Closure(_) | Expr::Path(_) => Ok(OnErr::Closure(value.clone())),
        _ => {
            let sentence = format!(
                "`on_err`: `{}` is none, write `refund`, `keep`, or a closure over the error",
                shown(value)
            );
            Err(errors.push(Extent::of(value), sentence))
        }
    }
}

pub(super) fn refunds_cancelled(layer: &Arguments, errors: &mut Errors) -> Result<bool, Reported> {
    let Some(given) = layer.get(Argument::OnCancel) else { return Ok(false) };
    let value = expression(given, errors)?;
    match value {
        Expr::Path(word) if word.path.is_ident("refund") => Ok(true),
        Expr::Path(word) if word.path.is_ident("keep") => Ok(false),
        _ => {
            let sentence = format!("`on_cancel`: `{}` is none, write `refund` or `keep`", shown(value));
            Err(errors.push(Extent::of(value), sentence))
        }
    }
}
