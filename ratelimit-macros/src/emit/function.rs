//! A plain async function: a prelude that decides, and the user's body, untouched, in the arm that passes.

use super::{begin, door, from_denied, local};
use crate::{function::Function, plan::Plan};
use proc_macro2::{Group, TokenStream};
use quote::quote;

pub(super) fn emit(plan: &Plan, function: &Function) -> TokenStream {
    let Function { attributes, signature, .. } = function;
    let head = function.head();
    let (inner, body) = function.split_body();
    let decided = decide(plan, function, &body);
    let body = function.body_of(quote! { #inner #decided });
    quote! {
        #(#attributes)*
        #head #signature #body
    }
}

/// The decision, and the block that runs if the call passes.
pub(super) fn decide(plan: &Plan, function: &Function, body: &Group) -> TokenStream {
    let rt = door(plan);
    let begin = begin(plan, function);
    let (call, outcome) = (local("__ratelimit_call"), local("__ratelimit_outcome"));
    let (permit, denied) = (local("__ratelimit_permit"), local("__ratelimit_denied"));
    let from_denied = from_denied(plan, function);
    // A `let`, not a `match` on it: temporaries of the admission must not live as long as the body.
    quote! {
        #begin
        let #outcome = #rt::Call::admit(#call).await;
        match #outcome {
            #rt::Ok(#permit) => #body
            #rt::Err(#denied) => return #from_denied,
        }
    }
}
