//! A function that returns a future: what `async_trait` leaves, and what is written by hand.

use super::{begin, door, from_denied, function::decide, held, local, pin as pin_to};
use crate::{function::Function, plan::Plan};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};

pub(super) fn emit(plan: &Plan, function: &Function) -> TokenStream {
    let Function { attributes, signature, .. } = function;
    let head = function.head();
    let (inner, body) = function.split_body();
    let content = match boxed_block(&body) {
        Some((pin, block)) => {
            let pin_output =
                function.future_output().map(|output| pin_to(plan, function, output.to_token_stream()));
            let decided = decide(plan, function, &block, &pin_output.unwrap_or_default());
            quote! { #pin(async move { #decided }) }
        }
        None => around(plan, function, &body),
    };
    let body = function.body_of(quote! { #inner #content });
    quote! {
        #(#attributes)*
        #head #signature #body
    }
}

/// `Box::pin(async move { .. })` and nothing else: its path, and its block. With statements before it, an early return
/// would slip past the limit.
fn boxed_block(body: &Group) -> Option<(TokenStream, Group)> {
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let (last, path) = tokens.split_last()?;
    let TokenTree::Group(arguments) = last else { return None };
    let text: String = path.iter().map(ToString::to_string).collect();
    if arguments.delimiter() != Delimiter::Parenthesis
        || !(text == "Box::pin" || text.ends_with("::Box::pin"))
    {
        return None;
    }
    let inner: Vec<TokenTree> = arguments.stream().into_iter().collect();
    match inner.as_slice() {
        [TokenTree::Ident(is_async), TokenTree::Ident(is_move), TokenTree::Group(block)]
            if is_async == "async" && is_move == "move" && block.delimiter() == Delimiter::Brace =>
        {
            Some((path.iter().cloned().collect(), block.clone()))
        }
        _ => None,
    }
}

/// The user's future, awaited after the decision. What the body does before it makes the future happens at the call.
fn around(plan: &Plan, function: &Function, body: &Group) -> TokenStream {
    let rt = door(plan);
    let begin = begin(plan, function);
    let (call, future) = (local("__ratelimit_call"), local("__ratelimit_future"));
    let (permit, denied) = (local("__ratelimit_permit"), local("__ratelimit_denied"));
    let from_denied = from_denied(plan, function);
    let is_boxed = function.returns_boxed_future();
    let output = is_boxed.then(|| {
        let output = function.output();
        quote! { -> #output }
    });
    let passes = if plan.is_held() {
        let run = held::run(plan);
        quote! { { #run } }
    } else {
        quote! { #future.await, }
    };
    let guarded = quote! {
        async move {
            match #rt::Call::admit(#call).await {
                #rt::Ok(#permit) => #passes
                #rt::Err(#denied) => #from_denied,
            }
        }
    };
    let guarded = if is_boxed {
        quote! { #rt::Box::pin(#guarded) }
    } else {
        guarded
    };
    quote! {
        #begin
        let #future = (move || #output #body)();
        #guarded
    }
}
