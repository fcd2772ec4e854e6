//! An HTTP handler: a hidden first extractor that decides, and `Limited` around what it returns.
//!
//! The extractor has to know its handler. Nothing that could be named is legal both in a module and in an `impl` block,
//! so a type inside the body stands for the handler, and the compiler infers it: the body implements `SiteOf` once, for
//! the number of this place, and the signature asks for what implements it. Where the handler may not have a type
//! parameter more (it has some of its own, or `debug_handler` reads it), an item beside it stands for it.

use super::{
    constants::{self, Within},
    door, held, limiter_of, local, pin_output, values,
};
use crate::{
    extent::Extent,
    function::{Function, is_called},
    place::Place,
    plan::Plan,
};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{FnArg, GenericParam, Meta, Signature, Type, ext::IdentExt as _, parse_quote};

pub(super) fn emit(plan: &Plan, function: &Function) -> TokenStream {
    if let Some(moved) = below_neighbours(plan, function) {
        return moved;
    }
    let Function { attributes, .. } = function;
    let marker = Marker::of(plan, function);
    let signature = signature(plan, function, &marker);
    let site = site(plan, function, &marker);
    let (beside, inside) = match &marker.kind {
        Kind::Beside { item } => (Some(quote! { #item const _: () = { #site }; }), None),
        Kind::Inferred { .. } => (None, Some(site)),
    };
    let head = function.head();
    let (inner, body) = function.split_body();
    let (call, outcome, future, guard) = (
        local("__ratelimit_call"),
        local("__ratelimit_outcome"),
        local("__ratelimit_future"),
        local("__ratelimit_guard"),
    );
    let (permit, denied) = (local("__ratelimit_permit"), local("__ratelimit_denied"));
    let rt = door(plan);
    let pin_output = pin_output(plan, function);
    // Made before the decision: made behind it, the whole would hold the parameters twice.
    let run = quote! {
        let #future = async move {
            #pin_output
            match () {
                () => #body
            }
        };
    };
    let of_gate = quote! { #rt::Guard::permit(#guard) };
    let respond = |permit: TokenStream| {
        let output = local("__ratelimit_output");
        let fits = reply_fits(&rt, function);
        if plan.is_held() {
            held::respond(plan, &permit, &fits)
        } else {
            quote! {
                let #output = #future.await;
                #fits
                #rt::Limited::allowed(#output, #permit)
            }
        }
    };
    let content = if plan.is_late() {
        let respond = respond(quote! { #permit });
        let values = values(plan);
        quote! {
            let mut #call = #rt::Guard::call(#guard);
            #values
            #run
            let #outcome = #rt::Call::admit(#call).await;
            match #outcome {
                #rt::Ok(#permit) => { #respond }
                #rt::Err(#denied) => #rt::Limited::denied(#denied),
            }
        }
    } else {
        let respond = respond(of_gate);
        quote! {
            #run
            #respond
        }
    };
    let parameters_fit = parameters_fit(&rt, function);
    let body = function.body_of(quote! { #inner #inside #parameters_fit #content });
    quote! {
        #beside
        #(#attributes)*
        #head #signature #body
    }
}

/// Asks whether the output is a response, at the return type.
///
/// Not where it may be a type parameter: whether that one is, is known where the handler is routed.
fn reply_fits(rt: &TokenStream, function: &Function) -> TokenStream {
    if has_own_types(function) || function.output().to_string().len() == 1 {
        return TokenStream::new();
    }
    let output = local("__ratelimit_output");
    let reply = function.output_extent().cover(quote! { __ratelimit_reply });
    quote! {
        {
            use #rt::fit::*;
            (&&&Reply(&#output)).#reply();
        }
    }
}

/// Asks of each parameter that others follow, and that is called like one of those that read the body, whether it does.
fn parameters_fit(rt: &TokenStream, function: &Function) -> Option<TokenStream> {
    const READ_THE_BODY: [&str; 7] = ["Json", "Form", "Bytes", "String", "Request", "Multipart", "RawForm"];
    let types = function.signature.inputs.iter().filter_map(|parameter| match parameter {
        FnArg::Typed(parameter) => Some(&*parameter.ty),
        FnArg::Receiver(_) => None,
    });
    let types: Vec<&Type> = types.collect();
    let (_, followed) = types.split_last()?;
    let asked = followed.iter().filter(|ty| is_called(ty, &READ_THE_BODY)).map(|ty| {
        let before = Extent::of(ty).cover(quote! { __ratelimit_before });
        quote! { (&&&Before::<#ty>::TYPE).#before(); }
    });
    let asked: Vec<TokenStream> = asked.collect();
    (!asked.is_empty()).then(|| {
        quote! {
            {
                use #rt::fit::*;
                #(#asked)*
            }
        }
    })
}

/// The user's signature with the extractor in front of its parameters and `Limited` around its output.
fn signature(plan: &Plan, function: &Function, marker: &Marker) -> Signature {
    let rt = door(plan);
    let mut signature = function.signature.clone();
    let (guard, ty) = (local("__ratelimit_guard"), &marker.ty);
    if let Kind::Inferred { id } = &marker.kind {
        signature.generics.params.push(parse_quote! { #ty: #rt::Marker });
        let bound = parse_quote! { #rt::Id<#id>: #rt::SiteOf<#ty> };
        signature.generics.make_where_clause().predicates.push(bound);
    }
    signature.inputs.insert(0, parse_quote! { #guard: #rt::Guard<#ty> });
    let output = function.output();
    // At the user's type, so that an error about the response is shown there.
    let Extent { first, last } = function.output_extent();
    let open = Extent::from(first).cover(quote! { -> #rt::Limited< });
    let close = Extent::from(last).cover(quote! { > });
    signature.output = parse_quote! { #open #output #close };
    signature
}

/// A function that gives the limiter: it is asked for before there are parameters.
fn limiter(plan: &Plan) -> Option<TokenStream> {
    let rt = door(plan);
    let name = local("__ratelimit_limiter");
    plan.limiter.as_ref().map(|expression| {
        let limiter = limiter_of(&rt, expression);
        quote! {
            fn #name() -> #rt::Limiter {
                #limiter
            }
        }
    })
}

/// The handler's constants, tied to its marker.
fn site(plan: &Plan, function: &Function, marker: &Marker) -> TokenStream {
    let rt = door(plan);
    let limiter = limiter(plan);
    let (constants, ty, declared) = match &marker.kind {
        Kind::Beside { .. } => {
            let constants = constants::emit(plan, function, Within::Const);
            (constants, marker.ty.clone(), None)
        }
        Kind::Inferred { id } => {
            let here = format_ident!("Here");
            let declared = quote! {
                // Not private: the signature names it, wherever the handler is used.
                #[doc(hidden)]
                pub struct #here;
                impl #rt::SiteOf<#here> for #rt::Id<#id> {}
            };
            (constants::emit(plan, function, Within::Function), here, Some(declared))
        }
    };
    quote! {
        #limiter
        {
            #constants
            #declared
            impl #rt::Marker for #ty {
                const SITE: &'static #rt::Site = &SITE;
            }
        }
    }
}

/// The type that stands for a handler.
struct Marker {
    ty: Ident,
    kind: Kind,
}

enum Kind {
    /// A type inside the body, inferred from this number.
    Inferred { id: TokenStream },
    /// A type beside the function.
    Beside { item: TokenStream },
}

impl Marker {
    fn of(plan: &Plan, function: &Function) -> Marker {
        let rt = door(plan);
        let name = function.signature.ident.unraw();
        if may_not_grow(function) {
            let ty = format_ident!("__ratelimit_site_{name}");
            let visibility = &function.visibility;
            let item = quote! { #[doc(hidden)] #visibility enum #ty {} };
            return Marker { ty, kind: Kind::Beside { item } };
        }
        let ty = format_ident!("__RateLimitSite");
        let text = name.to_string();
        let Place(place) = plan.place;
        let path = quote! { #rt::concat!(#rt::module_path!(), "::", #text) };
        let id = quote! { { #rt::id(#path, &[#rt::line!(), #rt::column!(), #(#place),*]) } };
        Marker { ty, kind: Kind::Inferred { id } }
    }
}

/// Whether the handler may not have one type parameter more.
fn may_not_grow(function: &Function) -> bool {
    has_own_types(function) || has_attribute(function, &["debug_handler"])
}

fn has_own_types(function: &Function) -> bool {
    let mut parameters = function.signature.generics.params.iter();
    parameters.any(|parameter| matches!(parameter, GenericParam::Type(_) | GenericParam::Const(_)))
}

/// `instrument` and `path` look at the signature as the user wrote it, so they have to be expanded before us: our
/// attributes move below them, once. (One that nobody has imported stays above us: rustc says so.)
fn below_neighbours(plan: &Plan, function: &Function) -> Option<TokenStream> {
    if plan.has_moved || !has_attribute(function, &["instrument", "path"]) {
        return None;
    }
    let krate = &plan.krate;
    let moved = local(crate::args::MOVED);
    let ours = plan.layers.iter().map(|layer| {
        let arguments = &layer.arguments;
        quote! { #[#krate::rate_limit(#moved, #arguments)] }
    });
    let Function { attributes, signature, body, .. } = function;
    let head = function.head();
    Some(quote! { #(#attributes)* #(#ours)* #head #signature #body })
}

fn has_attribute(function: &Function, names: &[&str]) -> bool {
    function.attributes.iter().any(|attribute| {
        let last = attribute.path().segments.last();
        !matches!(attribute.meta, Meta::NameValue(_))
            && last.is_some_and(|segment| names.iter().any(|name| segment.ident == name))
    })
}
