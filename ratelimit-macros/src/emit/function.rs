//! A plain async function: a prelude that decides, and the user's body, untouched, in the arm that passes.

use super::{begin, door, from_denied, held, local, pin_output};
use crate::{function::Function, plan::Plan};
use proc_macro2::{Group, TokenStream};
use quote::{ToTokens as _, quote};

pub(super) fn emit(plan: &Plan, function: &Function) -> TokenStream {
    let Function { attributes, signature, .. } = function;
    let head = function.head();
    let (inner, body) = function.split_body();
    let decided = decide(plan, function, &body, &pin_output(plan, function));
    let body = function.body_of(quote! { #inner #decided });
    quote! {
        #(#attributes)*
        #head #signature #body
    }
}

/// The decision, and the block that runs if the call passes; `pin_output` pins the block's type where it is known.
pub(super) fn decide(
    plan: &Plan,
    function: &Function,
    body: &Group,
    pin_output: &TokenStream,
) -> TokenStream {
    let rt = door(plan);
    let begin = begin(plan, function);
    let (call, outcome) = (local("__ratelimit_call"), local("__ratelimit_outcome"));
    let (permit, denied) = (local("__ratelimit_permit"), local("__ratelimit_denied"));
    let from_denied = from_denied(plan, function);
    let (future, passes) = if plan.is_held() {
        let future = local("__ratelimit_future");
        // Made before the decision: made behind it, the whole would hold the parameters twice.
        let make = quote! {
            let #future = async move {
                #pin_output
                match () {
                    () => #body
                }
            };
        };
        let run = held::run(plan);
        (Some(make), quote! { { #run } })
    } else {
        (None, body.to_token_stream())
    };
    // A `let`, not a `match` on it: temporaries of the admission must not live as long as the body.
    quote! {
        #begin
        #future
        let #outcome = #rt::Call::admit(#call).await;
        match #outcome {
            #rt::Ok(#permit) => #passes
            #rt::Err(#denied) => return #from_denied,
        }
    }
}
