//! A call that holds a permit while it runs: the body as a future of its own, and what it costs when it has run.

use super::{door, local};
use crate::{
    extent::Extent,
    plan::{End, Layer, OnErr, Plan},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Expr;

/// The variable that holds what a closure gave.
const GIVEN: &str = "__ratelimit_given";

/// Runs the body's future under the permit; its value is that of the block.
pub(super) fn run(plan: &Plan) -> TokenStream {
    let rt = door(plan);
    let (permit, future, output) =
        (local("__ratelimit_permit"), local("__ratelimit_future"), local("__ratelimit_output"));
    let (holding, settling) = (local("__ratelimit_holding"), local("__ratelimit_settling"));
    let ends: Vec<TokenStream> =
        plan.layers.iter().enumerate().filter_map(|(place, layer)| of_output(&rt, place, layer)).collect();
    let mutability = (!ends.is_empty()).then(|| quote! { mut });
    quote! {
        let #holding = #rt::Holding::new(#permit);
        let #output = #rt::Holding::run(&#holding, #future).await;
        let #mutability #settling = #rt::Holding::end(#holding);
        #(#ends)*
        #rt::Settling::done(#settling).await;
        #output
    }
}

/// The same in a handler: what it costs is known when its response is made.
pub(super) fn respond(plan: &Plan, permit: &TokenStream, fits: &TokenStream) -> TokenStream {
    let rt = door(plan);
    let (future, output, holding) =
        (local("__ratelimit_future"), local("__ratelimit_output"), local("__ratelimit_holding"));
    let (outcome, settling) = (local("__ratelimit_outcome"), local("__ratelimit_settling"));
    let ends = plan.layers.iter().enumerate().filter_map(|(place, layer)| of_outcome(&rt, place, layer));
    let ends: Vec<TokenStream> = ends.collect();
    let settle = if ends.is_empty() {
        quote! { |_, _| () }
    } else {
        quote! { move |#outcome, #settling| { #(#ends)* } }
    };
    quote! {
        let #holding = #rt::Holding::new(#permit);
        let #output = #rt::Holding::run(&#holding, #future).await;
        #fits
        #rt::Limited::settles(#output, #holding, #settle)
    }
}

fn of_output(rt: &TokenStream, place: usize, layer: &Layer) -> Option<TokenStream> {
    let (output, settling) = (local("__ratelimit_output"), local("__ratelimit_settling"));
    let given = local(GIVEN);
    let actual = match &layer.end {
        End::AsCharged => return None,
        End::ChargeIf(counts) => counts_if(rt, quote! { &#output }, counts),
        End::Settle { cost, on_err } => {
            let ok = Extent::of(cost).cover(quote! { __ratelimit_ok });
            let units = units(rt, layer, cost);
            let errored = match on_err {
                OnErr::Refund => quote! { #rt::Actual::Units(0) },
                OnErr::Keep => quote! { #rt::Actual::Keep },
                OnErr::Closure(cost) => {
                    let err = Extent::of(cost).cover(quote! { __ratelimit_err });
                    let units = self::units(rt, layer, cost);
                    quote! {
                        match (&&#rt::Output(&#output)).#err(#cost) {
                            #rt::Some(#given) => #units,
                            #rt::None => #rt::Actual::Keep,
                        }
                    }
                }
            };
            quote! {
                match (&&#rt::Output(&#output)).#ok(#cost) {
                    #rt::Some(#given) => #units,
                    #rt::None => #errored,
                }
            }
        }
    };
    Some(quote! {
        {
            use #rt::{ViaResult as _, ViaValue as _};
            let #given = #actual;
            #rt::Settling::layer(&mut #settling, #place, #given);
        }
    })
}

fn of_outcome(rt: &TokenStream, place: usize, layer: &Layer) -> Option<TokenStream> {
    let (outcome, settling) = (local("__ratelimit_outcome"), local("__ratelimit_settling"));
    let given = local(GIVEN);
    let over_outcome = |cost: &Expr| {
        let with = Extent::of(cost).cover(quote! { #rt::with });
        let units = units(rt, layer, cost);
        quote! {
            {
                let #given = #with(#outcome, #cost);
                #units
            }
        }
    };
    let actual = match &layer.end {
        End::AsCharged => return None,
        End::ChargeIf(counts) => counts_if(rt, quote! { #outcome }, counts),
        End::Settle { cost, on_err } => {
            let errored = match on_err {
                OnErr::Refund => quote! { #rt::Actual::Units(0) },
                OnErr::Keep => quote! { #rt::Actual::Keep },
                OnErr::Closure(cost) => over_outcome(cost),
            };
            let cost = over_outcome(cost);
            quote! { if #rt::Outcome::is_error(#outcome) { #errored } else { #cost } }
        }
    };
    Some(quote! { #rt::Settling::layer(#settling, #place, #actual); })
}

/// Whether a call counts; a closure that gives no condition is told where it is written.
fn counts_if(rt: &TokenStream, output: TokenStream, counts: &Expr) -> TokenStream {
    let extent = Extent::of(counts);
    let given = Ident::new(GIVEN, Span::mixed_site().located_at(extent.first));
    let with = extent.cover(quote! { #rt::with });
    let condition = extent.cover(quote! { #rt::condition(#given) });
    quote! {
        {
            let #given = #with(#output, #counts);
            #rt::charge_if(#condition)
        }
    }
}

/// The cost that a closure gave, in units; a type that is none is told at the closure.
fn units(rt: &TokenStream, layer: &Layer, cost: &Expr) -> TokenStream {
    let convert = Ident::new(if layer.is_money() { "actual_usd" } else { "actual" }, Span::call_site());
    let extent = Extent::of(cost);
    let given = Ident::new(GIVEN, Span::mixed_site().located_at(extent.first));
    extent.cover(quote! { #rt::#convert(#given) })
}
