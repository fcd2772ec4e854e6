//! Reading one value: texts, numbers, lengths of time, and what an expression mentions.

use crate::{
    args::{Arguments, Given, example, shown},
    errors::{Errors, Reported},
    extent::Extent,
};
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use ratelimit_spec::{Algorithm, Argument, FailMode, Period, Rate, Scope, check_name};
use syn::{Expr, ExprLit, ExprUnary, Lit, LitInt, UnOp};

/// The value of an argument that is no flag.
pub(super) fn expression<'g>(given: &'g Given, errors: &mut Errors) -> Result<&'g Expr, Reported> {
    match &given.value {
        Some(value) => Ok(value),
        None => {
            let (word, example) = (given.argument, example(Some(given.argument)));
            Err(errors.push(given.name, format!("`{word}`: misses its value, write for example `{example}`")))
        }
    }
}

pub(super) fn string(expression: &Expr) -> Option<(String, Span)> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some((text.value(), text.span())),
        _ => None,
    }
}

/// The text of an argument that has to be one, if it is given.
pub(super) fn text(
    layer: &Arguments,
    argument: Argument,
    errors: &mut Errors,
) -> Result<Option<(String, Span)>, Reported> {
    let Some(given) = layer.get(argument) else { return Ok(None) };
    let value = expression(given, errors)?;
    if let Some(text) = string(value) {
        return Ok(Some(text));
    }
    // `100 / min` is an expression too: what only lacks its quotes is shown with them.
    let mut meant = value.to_token_stream().to_string();
    meant.retain(|c| !c.is_whitespace());
    // A bare number of an argument that is a time: of seconds.
    if meant.parse::<u64>().is_ok() && argument_takes(argument, "1s") && argument != Argument::Name {
        meant.push('s');
    }
    let way_out = if argument_takes(argument, &meant) {
        format!("write `{argument} = \"{meant}\"`")
    } else {
        format!("write for example `{}`", example(Some(argument)))
    };
    Err(errors.push(Extent::of(value), format!("`{argument}`: has to be a text in quotes, {way_out}")))
}

fn argument_takes(argument: Argument, text: &str) -> bool {
    match argument {
        Argument::Rate => Rate::parse(text).is_ok(),
        Argument::Algo => Algorithm::ALL.iter().any(|algorithm| algorithm.word() == text),
        Argument::Precision | Argument::Lease | Argument::Wait | Argument::Deadline => {
            Period::parse(argument, text).is_ok()
        }
        Argument::Fail => FailMode::parse(text).is_ok(),
        Argument::Scope => Scope::parse(text).is_ok(),
        Argument::Name => check_name(text).is_ok(),
        _ => false,
    }
}

/// A length of time in microseconds.
pub(super) fn period(
    layer: &Arguments,
    argument: Argument,
    errors: &mut Errors,
) -> Result<Option<u64>, Reported> {
    let Some((text, span)) = text(layer, argument, errors)? else { return Ok(None) };
    let period = Period::parse(argument, &text).map_err(|fault| errors.push_fault(span, &fault))?;
    Ok(Some(period.as_micros()))
}

pub(super) fn is_number(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(ExprLit { lit, .. }) => matches!(lit, Lit::Int(_) | Lit::Float(_)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => is_number(expr),
        _ => false,
    }
}

/// The number of an argument that has to be one.
pub(super) fn integer(given: &Given, errors: &mut Errors) -> Result<u64, Reported> {
    let word = given.argument;
    let value = expression(given, errors)?;
    let fault = match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => match digits(number) {
            Ok(number) => return Ok(number),
            Err(fault) => fault,
        },
        Expr::Unary(negative) if is_number(value) => {
            format!("can't be negative, write `{word} = {}`", shown(&negative.expr))
        }
        _ => match string(value).and_then(|(text, _)| text.parse::<u64>().ok()) {
            Some(number) => format!("is a number without quotes, write `{word} = {number}`"),
            None => format!(
                "has to be a whole number in digits, write for example `{}`",
                example(Some(given.argument))
            ),
        },
    };
    Err(errors.push(Extent::of(value), format!("`{word}`: {fault}")))
}

/// A literal's number, or what is wrong with it.
fn digits(number: &LitInt) -> Result<u64, String> {
    const TYPES: [&str; 13] =
        ["", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    let suffix = number.suffix();
    let value = number.base10_parse::<u64>();
    let factor = match suffix {
        "k" => 1_000,
        "M" => 1_000_000,
        suffix if TYPES.contains(&suffix) => {
            return value
                .map_err(|_| format!("`{number}` is too large to be counted exactly, write at most 2^53"));
        }
        _ => return Err(format!("`{number}` is no number, write its digits")),
    };
    let value = value.map(|value| value.saturating_mul(factor)).unwrap_or(u64::MAX);
    Err(format!("has no suffix outside of a rate, write `{value}`"))
}

/// Whether a `?` in an expression leaves the function. Closures and blocks, out of which it may lead elsewhere, are left
/// to rustc.
pub(super) fn leaves_early(expression: &Expr) -> bool {
    fn scan(tokens: TokenStream) -> Option<bool> {
        let mut leaves = false;
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '?' => leaves = true,
                TokenTree::Punct(mark) if mark.as_char() == '|' => return None,
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return None,
                TokenTree::Group(group) => leaves |= scan(group.stream())?,
                _ => {}
            }
        }
        Some(leaves)
    }
    scan(expression.to_token_stream()).unwrap_or(false)
}

/// The first of some variables that an expression uses; not as a field (`.name`) or in a path (`name::`).
pub(super) fn mentioned(expression: TokenStream, variables: &[Ident]) -> Option<Ident> {
    let is_joint = |token: Option<&TokenTree>, mark: char| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
    let tokens: Vec<TokenTree> = expression.into_iter().collect();
    let mut before = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name)
                if variables.contains(name)
                    && !is_joint(before, '.')
                    && !is_joint(before, ':')
                    && !is_joint(tokens.get(at + 1), ':') =>
            {
                return Some(name.clone());
            }
            TokenTree::Group(group) => {
                if let Some(found) = mentioned(group.stream(), variables) {
                    return Some(found);
                }
            }
            _ => {}
        }
        before = Some(token);
    }
    None
}
