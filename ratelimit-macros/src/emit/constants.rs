//! The constants of one annotated function: what its layers say, and where it stands.

use super::{door, local};
use crate::{
    function::Function,
    plan::{Cost, Layer, Plan, Shape},
};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use ratelimit_spec::{Algorithm, FailMode, Key, Rate, Request, Rule, Scope, Source, Unit};
use syn::ext::IdentExt as _;

/// What the constants stand in.
#[derive(Clone, Copy)]
pub(super) enum Within {
    /// The function's body.
    Function,
    /// A `const _` beside it.
    Const,
}

/// `static FACTS`, `static SITE`, and the entry in the list of all limits. They belong into a block of their own, where
/// no expression of the user's can meet their names.
pub(super) fn emit(plan: &Plan, function: &Function, within: Within) -> TokenStream {
    let rt = door(plan);
    let name = function.signature.ident.unraw();
    // The type of an item says the path of the function that it stands in, with the type that the function belongs to.
    let (path, declared) = match within {
        Within::Function => (quote! { || #rt::type_name_of_val(&here) }, quote! { fn here() {} }),
        Within::Const => {
            let declared = quote! {
                fn #name() -> &'static str {
                    fn here() {}
                    #rt::type_name_of_val(&here)
                }
            };
            (quote! { #name }, declared)
        }
    };
    let declared = plan.layers.iter().any(|layer| layer.name.is_none()).then_some(declared);
    let late = (plan.shape == Shape::Handler && plan.is_late()).then(|| quote! { .late() });
    let plans = plan.layers.iter().enumerate().filter_map(|(place, layer)| plans(&rt, place, layer));
    let facts = plan.layers.iter().enumerate().map(|(place, layer)| facts(&rt, place, layer, &path));
    let count = plan.layers.len();
    let name = name.to_string();
    let limiter = (plan.shape == Shape::Handler && plan.limiter.is_some()).then(|| {
        let limiter = local("__ratelimit_limiter");
        quote! { .limiter(#limiter) }
    });
    quote! {
        #declared
        #(#plans)*
        static FACTS: [#rt::Facts; #count] = [#(#facts),*];
        static SITE: #rt::Site = #rt::Site::new(
            &FACTS,
            #rt::concat!(#rt::module_path!(), "::", #name),
            #rt::file!(),
            #rt::line!(),
        )#limiter #late;
        #rt::submit! { #rt::Declared(&SITE) }
    }
}

/// `static PLANS_0`: the rules of the plans of a layer, if its rate goes by plan.
fn plans(rt: &TokenStream, place: usize, layer: &Layer) -> Option<TokenStream> {
    let name = plans_of(place, layer)?;
    let count = layer.plans.len();
    let plans = layer.plans.iter().map(|(name, rule)| match rule {
        Some(rule) => {
            let rule = self::rule(rt, rule);
            quote! { #rt::PlanRule::limited(#name, #rule) }
        }
        None => quote! { #rt::PlanRule::unlimited(#name) },
    });
    Some(quote! { static #name: [#rt::PlanRule; #count] = [#(#plans),*]; })
}

fn plans_of(place: usize, layer: &Layer) -> Option<proc_macro2::Ident> {
    (!layer.plans.is_empty()).then(|| format_ident!("PLANS_{place}"))
}

fn facts(rt: &TokenStream, place: usize, layer: &Layer, path: &TokenStream) -> TokenStream {
    let name = match &layer.name {
        Some(name) => quote! { #rt::Name::Given(#name) },
        None => quote! { #rt::Name::Function(#path) },
    };
    let key = key(rt, &layer.key);
    let rule = rule(rt, &layer.rule);
    let number = |number: u64| Literal::u64_unsuffixed(number);
    let cost = match layer.cost {
        Cost::Constant(cost) if cost != 1 => {
            let cost = number(cost);
            Some(quote! { .cost(#cost) })
        }
        Cost::Constant(_) | Cost::Expression(_) => None,
    };
    let wait = layer.wait.map(number).map(|micros| quote! { .wait(#micros) });
    let deadline = layer.deadline.map(number).map(|micros| quote! { .deadline(#micros) });
    let fail = layer.fail.map(|mode| {
        let mode = match mode {
            FailMode::Open => quote! { Open },
            FailMode::Closed => quote! { Closed },
            FailMode::Local => quote! { Local },
        };
        quote! { .fail(#rt::FailMode::#mode) }
    });
    let instance = (layer.scope == Scope::Instance).then(|| quote! { .instance() });
    let colocate = layer.colocate.as_ref().map(|word| quote! { .colocate(#word) });
    let holds = layer.lease.map(number).map(|micros| quote! { .holds(#micros) });
    let on_cancel = layer.refunds_cancelled.then(|| quote! { .on_cancel(#rt::Unused::Refund) });
    let facts = match plans_of(place, layer) {
        Some(plans) => quote! { #rt::Facts::with_plans(#name, #key, #rule, &#plans) },
        None => quote! { #rt::Facts::new(#name, #key, #rule) },
    };
    quote! { #facts #cost #wait #deadline #fail #instance #colocate #holds #on_cancel }
}

fn rule(rt: &TokenStream, rule: &Rule) -> TokenStream {
    let Rate { count, unit, period } = rule.rate();
    let algorithm = match rule.algorithm() {
        Algorithm::FixedWindow => quote! { FixedWindow },
        Algorithm::SlidingLog => quote! { SlidingLog },
        Algorithm::SlidingWindow => quote! { SlidingWindow },
        Algorithm::TokenBucket => quote! { TokenBucket },
        Algorithm::LeakyBucket => quote! { LeakyBucket },
        Algorithm::Concurrency => {
            let number = |number: u64| Literal::u64_unsuffixed(number);
            let (limit, lease) = (number(*count), number(period.as_micros()));
            return quote! { #rt::Rule::__concurrency(#limit, #rt::Period::from_micros(#lease)) };
        }
    };
    let unit = match unit {
        Unit::Requests => quote! { #rt::Unit::Requests },
        Unit::MicroUsd => quote! { #rt::Unit::MicroUsd },
        Unit::Named(unit) => quote! { #rt::Unit::Named(#rt::Cow::Borrowed(#unit)) },
    };
    let number = |number: u64| Literal::u64_unsuffixed(number);
    let (count, micros, capacity) = (number(*count), number(period.as_micros()), number(rule.capacity()));
    let precision = match rule.precision() {
        Some(slice) => {
            let micros = number(slice.as_micros());
            quote! { #rt::Some(#rt::Period::from_micros(#micros)) }
        }
        None => quote! { #rt::None },
    };
    quote! {
        #rt::Rule::__checked(
            #rt::Algorithm::#algorithm,
            #rt::Rate { count: #count, unit: #unit, period: #rt::Period::from_micros(#micros) },
            #capacity,
            #precision,
        )
    }
}

fn key(rt: &TokenStream, tree: &Key) -> TokenStream {
    let list = |parts: &[Key]| {
        let parts = parts.iter().map(|part| key(rt, part));
        quote! { #rt::Cow::Borrowed(&[#(#parts),*]) }
    };
    match tree {
        Key::Global => quote! { #rt::Key::Global },
        Key::All(parts) => {
            let parts = list(parts);
            quote! { #rt::Key::All(#parts) }
        }
        Key::First(parts) => {
            let parts = list(parts);
            quote! { #rt::Key::First(#parts) }
        }
        Key::Word(word) => {
            let text = &*word.text;
            let source = source(rt, &word.source);
            quote! { #rt::Key::Word(#rt::Word { text: #rt::Cow::Borrowed(#text), source: #source }) }
        }
    }
}

fn source(rt: &TokenStream, source: &Source) -> TokenStream {
    let named = |variant: &str, name: &str| {
        let variant = format_ident!("{variant}");
        quote! { #variant(#rt::Cow::Borrowed(#name)) }
    };
    let request = match source {
        Source::Parameter { slot } => return quote! { #rt::Source::Parameter { slot: #slot } },
        Source::Request(request) => match request {
            Request::Ip => quote! { Ip },
            Request::User => quote! { User },
            Request::Tenant => quote! { Tenant },
            Request::ApiKey => quote! { ApiKey },
            Request::Method => quote! { Method },
            Request::Path => quote! { Path },
            Request::PathParam(name) => named("PathParam", name),
            Request::Query(name) => named("Query", name),
            Request::Header(name) => named("Header", name),
            Request::Cookie(name) => named("Cookie", name),
        },
    };
    quote! { #rt::Source::Request(#rt::Request::#request) }
}
