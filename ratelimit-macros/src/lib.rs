//! The `#[rate_limit]` attribute. Use it through the `ratelimit` crate, which documents it.
//!
//! Three rooms in a row: `args` and `function` read and keep every span, `check` judges, `emit` writes what a
//! checked `plan` says. Every fault leaves by one door, `fallback`, with the user's function beside it.

mod args;
mod check;
mod emit;
mod errors;
mod fallback;
mod function;
mod plan;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Limits how often a function runs; see `ratelimit::rate_limit` for its arguments.
#[proc_macro_attribute]
pub fn rate_limit(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let call_site = proc_macro::Span::call_site();
    let place = [call_site.line(), call_site.column()];
    expand(arguments.into(), item.into(), place).into()
}

/// The expansion; `place` tells apart attributes that one macro wrote.
fn expand(
    arguments: proc_macro2::TokenStream,
    item: proc_macro2::TokenStream,
    place: [usize; 2],
) -> proc_macro2::TokenStream {
    let mut errors = errors::Errors::default();
    let mut function = match function::Function::read(item.clone()) {
        Ok(function) => function,
        Err(not_a_function) => return fallback::without_function(item, not_a_function),
    };
    let layers = args::read_layers(arguments, &mut function, &mut errors);
    match check::check(layers, &function, place, &mut errors) {
        Some(plan) if errors.is_empty() => emit::emit(&plan, &function),
        _ => fallback::with_function(errors, &function),
    }
}
