//! An HTTP handler: a hidden first extractor that decides, and `Limited` around what it returns.
//!
//! The extractor has to know its handler. Nothing that could be named is legal both in a module and in an `impl` block,
//! so a type inside the body stands for the handler, and the compiler infers it: the body implements `SiteOf` once, for
//! the number of this place, and the signature asks for what implements it. Where the handler may not have a type
//! parameter more (it has some of its own, or `debug_handler` reads it), an item beside it does.

use super::{constants, door, local, values, without_impl};
use crate::{function::Function, plan::Plan};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{GenericParam, parse_quote};

pub(super) fn emit(plan: &Plan, function: &Function) -> TokenStream {
    if let Some(moved) = below_neighbours(plan, function) {
        return moved;
    }
    let rt = door(plan);
    let constants = constants::emit(plan, function);
    let site = if needs_sibling(function) {
        Site::beside(&rt, function, &constants)
    } else {
        Site::inside(&rt, plan, function, &constants)
    };
    let Site { beside, inside, ty, parameter, bound } = site;

    let mut signature = function.signature.clone();
    let guard = local("__ratelimit_guard");
    if let Some(parameter) = parameter {
        signature.generics.params.push(parameter);
    }
    if let Some(bound) = bound {
        signature.generics.make_where_clause().predicates.push(bound);
    }
    signature.inputs.insert(0, parse_quote! { #guard: #rt::Guard<#ty> });
    let output = function.output();
    signature.output = parse_quote! { -> #rt::Limited<#output> };

    let Function { attributes, .. } = function;
    let head = function.head();
    let (inner, body) = function.split_body();
    let (call, outcome, future) =
        (local("__ratelimit_call"), local("__ratelimit_outcome"), local("__ratelimit_future"));
    let (permit, denied, pinned) =
        (local("__ratelimit_permit"), local("__ratelimit_denied"), local("__ratelimit_return"));
    let output = without_impl(output);
    // Pins the type that `?` and early returns of the body aim at.
    let future = quote! {
        let #future = async move {
            #[allow(unknown_lints, unreachable_code, clippy::all, clippy::pedantic, clippy::nursery)]
            if false {
                let #pinned: #output = loop {};
                return #pinned;
            }
            match () {
                () => #body
            }
        };
    };
    let future_name = local("__ratelimit_future");
    let values = values(plan);
    let content = if plan.is_late() {
        quote! {
            let mut #call = #rt::Guard::call(#guard);
            #values
            #future
            let #outcome = #rt::Call::admit(#call).await;
            match #outcome {
                #rt::Ok(#permit) => #rt::Limited::allowed(#future_name.await, #permit),
                #rt::Err(#denied) => #rt::Limited::denied(#denied),
            }
        }
    } else {
        quote! {
            #future
            #rt::Limited::allowed(#future_name.await, #rt::Guard::permit(#guard))
        }
    };
    quote! {
        #beside
        #(#attributes)*
        #head #signature {
            #inner
            #inside
            #content
        }
    }
}

/// What tells the extractor which handler it belongs to.
struct Site {
    beside: Option<TokenStream>,
    inside: Option<TokenStream>,
    ty: Ident,
    parameter: Option<GenericParam>,
    bound: Option<syn::WherePredicate>,
}

impl Site {
    /// A type inside the body, found by inference.
    fn inside(rt: &TokenStream, plan: &Plan, function: &Function, constants: &TokenStream) -> Site {
        let name = function.signature.ident.to_string();
        let places = plan.place.map(|place| u32::try_from(place).unwrap_or(0));
        let id = quote! {
            { #rt::id(#rt::concat!(#rt::module_path!(), "::", #name), &[#rt::line!(), #rt::column!(), #(#places),*]) }
        };
        let inside = quote! {
            {
                #constants
                // Not private: the handler's signature names it, wherever the handler is used.
                #[doc(hidden)]
                #[allow(missing_docs, missing_debug_implementations, missing_copy_implementations, unreachable_pub)]
                #[allow(clippy::pedantic, clippy::restriction)]
                pub struct Here;
                impl #rt::Marker for Here {
                    const SITE: &'static #rt::Site = &SITE;
                }
                impl #rt::SiteOf<Here> for #rt::Id<#id> {}
            }
        };
        let ty = format_ident!("__RateLimitSite");
        Site {
            beside: None,
            inside: Some(inside),
            parameter: Some(parse_quote! { #ty: #rt::Marker }),
            bound: Some(parse_quote! { #rt::Id<#id>: #rt::SiteOf<#ty> }),
            ty,
        }
    }

    /// A type beside the function.
    fn beside(rt: &TokenStream, function: &Function, constants: &TokenStream) -> Site {
        let ty = format_ident!("__ratelimit_site_{}", function.signature.ident);
        let visibility = &function.visibility;
        let beside = quote! {
            #[doc(hidden)]
            #[allow(missing_docs, missing_debug_implementations, missing_copy_implementations)]
            #[allow(non_camel_case_types, unreachable_pub, clippy::pedantic, clippy::restriction)]
            #visibility enum #ty {}
            const _: () = {
                #constants
                impl #rt::Marker for #ty {
                    const SITE: &'static #rt::Site = &SITE;
                }
            };
        };
        Site { beside: Some(beside), inside: None, ty, parameter: None, bound: None }
    }
}

/// Whether the handler may not have one type parameter more.
fn needs_sibling(function: &Function) -> bool {
    let has_own = function
        .signature
        .generics
        .params
        .iter()
        .any(|parameter| matches!(parameter, GenericParam::Type(_) | GenericParam::Const(_)));
    has_own || has_attribute(function, &["debug_handler"])
}

/// `instrument` and `path` look at the signature as the user wrote it, so they have to be expanded before us: our
/// attributes move below them, once.
fn below_neighbours(plan: &Plan, function: &Function) -> Option<TokenStream> {
    if !has_attribute(function, &["instrument", "path"]) {
        return None;
    }
    let krate = &plan.krate;
    let ours = plan.layers.iter().map(|layer| {
        let arguments = &layer.arguments;
        quote! { #[#krate::rate_limit(#arguments)] }
    });
    let Function { attributes, signature, body, .. } = function;
    let head = function.head();
    Some(quote! { #(#attributes)* #(#ours)* #head #signature #body })
}

fn has_attribute(function: &Function, names: &[&str]) -> bool {
    function.attributes.iter().any(|attribute| {
        attribute.path().segments.last().is_some_and(|segment| names.iter().any(|name| segment.ident == name))
    })
}
