//! The `#[rate_limit]` attribute. Use it through the `ratelimit` crate, which documents it.
//!
//! Three rooms in a row: `args` and `function` read and keep every span, `check` judges, `emit` writes what a
//! checked `plan` says. Every fault leaves by one door, `fallback`, with the user's function beside it.

mod args;
mod check;
mod emit;
mod errors;
mod extent;
mod fallback;
mod function;
mod place;
mod plan;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;

/// Limits how often a function runs; see `ratelimit::rate_limit` for its arguments.
#[proc_macro_attribute]
pub fn rate_limit(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(arguments.into(), item.into(), place::Place::here()).into()
}

fn expand(arguments: TokenStream2, item: TokenStream2, place: place::Place) -> TokenStream2 {
    let mut function = match function::Function::read(item.clone()) {
        Ok(function) => function,
        Err(not_a_function) => return fallback::without_function(item, &not_a_function),
    };
    let mut errors = errors::Errors::default();
    let layers = args::read_layers(arguments, &mut function, &mut errors);
    let plan = check::check(layers, &function, place, &mut errors);
    match (plan, errors.finish()) {
        (Ok(plan), None) => emit::emit(&plan, &function),
        (_, errors) => fallback::with_function(&errors.unwrap_or_default(), &function),
    }
}
