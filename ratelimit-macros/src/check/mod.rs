//! All rules: from arguments as they were written to a plan that can be emitted.
//!
//! What a limit can say is judged by `ratelimit_spec`, as everywhere else; here is what follows from standing in an
//! attribute on a function. A rule that finds a fault goes on, so that all of them are reported at once.

mod key;
mod layer;
mod layers;
mod rates;
mod settling;
mod shape;
mod value;

use crate::{
    args::{Arguments, Given},
    errors::{Errors, Reported},
    extent::Extent,
    function::Function,
    place::Place,
    plan::{Layer, Plan, Shape},
};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use ratelimit_spec::Argument;
use syn::{Expr, Path, parse_quote};

pub(crate) fn check(
    written: Vec<Arguments>,
    function: &Function,
    place: Place,
    errors: &mut Errors,
) -> Result<Plan, Reported> {
    let krate = match of_all_layers(&written, Argument::Crate, errors) {
        Some(given) => path(given, errors),
        None => Ok(parse_quote!(::ratelimit)),
    };
    let limiter = of_all_layers(&written, Argument::Limiter, errors)
        .map(|given| value::expression(given, errors).cloned())
        .transpose();
    let flags: Vec<&Given> = written.iter().filter_map(|layer| layer.get(Argument::Handler)).collect();
    for flag in &flags {
        if let Some(value) = &flag.value {
            errors.push(Extent::of(value), "`handler`: has no value, write `handler`, or remove it");
        }
    }
    let layers: Vec<Result<Layer, Reported>> =
        written.iter().map(|layer| layer::check(layer, function, errors)).collect();
    let request_word = written.iter().zip(&layers).find_map(|(written, layer)| {
        let word = layer.as_ref().ok()?.key.words().into_iter().find(|word| shape::asks_request(word))?;
        Some((written.extent(Argument::Key), word.text.to_string()))
    });
    let shape = shape::check(function, request_word, flags.first().copied(), errors);
    if let Ok(Shape::Handler) = shape {
        check_handler(&written, limiter.as_ref().ok().and_then(Option::as_ref), function, errors);
    }
    layers::check(&written, &layers, function, errors);
    check_renamed(function, errors);
    Ok(Plan {
        has_moved: written.iter().any(|layer| layer.has_moved),
        layers: layers.into_iter().collect::<Result<_, _>>()?,
        krate: krate?,
        limiter: limiter?,
        shape: shape?,
        place,
    })
}

/// An argument that is said once for all layers; said again, it has to say the same.
fn of_all_layers<'l>(layers: &'l [Arguments], argument: Argument, errors: &mut Errors) -> Option<&'l Given> {
    let text = |given: &Given| given.value.to_token_stream().to_string();
    let mut all = layers.iter().filter_map(|layer| layer.get(argument));
    let first = all.next()?;
    for other in all.filter(|other| text(other) != text(first)) {
        let sentence = format!("`{argument}`: one holds for all layers of a function, remove this one");
        errors.push(other.name, sentence);
    }
    Some(first)
}

fn path(given: &Given, errors: &mut Errors) -> Result<Path, Reported> {
    let expression = value::expression(given, errors)?;
    if let Expr::Path(path) = expression {
        return Ok(path.path.clone());
    }
    let quoted = value::string(expression).filter(|(text, _)| syn::parse_str::<Path>(text).is_ok());
    let path = quoted.map_or("::my_framework::ratelimit".to_owned(), |(text, _)| text);
    Err(errors.push(Extent::of(expression), format!("`crate`: has to be a path, write `crate = {path}`")))
}

/// What can't be said on a handler, though it can on a function.
fn check_handler(written: &[Arguments], limiter: Option<&Expr>, function: &Function, errors: &mut Errors) {
    if let Some(limiter) = limiter {
        let parameters = function.parameters();
        if let Some(parameter) = value::mentioned(limiter.to_token_stream(), &parameters) {
            let sentence = format!(
                "`limiter`: is needed before there are parameters, and `{parameter}` is one, write an expression \
                 without it"
            );
            errors.push(Extent::of(limiter), sentence);
        }
    }
    for layer in written {
        for argument in [Argument::Key, Argument::Plan, Argument::When, Argument::Cost, Argument::DefaultCost]
        {
            let expression = layer.get(argument).and_then(|given| given.value.as_ref());
            if expression.is_some_and(value::leaves_early) {
                let sentence = format!(
                    "`{argument}`: `?` can't leave a handler before its limit is decided, handle the error here"
                );
                errors.push(layer.extent(argument), sentence);
            }
        }
    }
}

/// A function that we have expanded before: the two decisions would not be one.
fn check_renamed(function: &Function, errors: &mut Errors) {
    let tokens = function.signature.to_token_stream();
    if is_ours(tokens) || is_ours(function.body.stream()) {
        errors.push(
            function.signature.ident.span(),
            "`rate_limit`: the function has another limit already, from the same attribute under another name, so the \
             two would not be one decision, write both as `rate_limit`",
        );
    }
}

/// Whether something of ours stands in tokens: nested items are not expanded yet when we see them.
fn is_ours(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name.to_string().starts_with("__ratelimit_"),
        TokenTree::Group(group) => is_ours(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
