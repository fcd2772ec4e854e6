//! Writing what a plan says.

mod constants;
mod function;
mod future;
mod handler;
mod held;

use crate::{
    extent::Extent,
    function::Function,
    plan::{Cost, Layer, Plan, Shape, Value},
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::Expr;

pub(crate) fn emit(plan: &Plan, function: &Function) -> TokenStream {
    match plan.shape {
        Shape::Async => function::emit(plan, function),
        Shape::Future => future::emit(plan, function),
        Shape::Handler => handler::emit(plan, function),
    }
}

/// A name that no user's code can see or hide.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The door of the runtime.
fn door(plan: &Plan) -> TokenStream {
    let krate = &plan.krate;
    quote! { #krate::__private }
}

/// `let mut __ratelimit_call = ..;` for a function, with the constants that belong to it.
fn begin(plan: &Plan, function: &Function) -> TokenStream {
    let rt = door(plan);
    let (call, limiter) = (local("__ratelimit_call"), local("__ratelimit_limiter"));
    let constants = constants::emit(plan, function, constants::Within::Function);
    let find = plan.limiter.as_ref().map(|expression| {
        let given = limiter_of(&rt, expression);
        quote! { let #limiter = #given; }
    });
    let begin = match find {
        Some(_) => quote! { #rt::Call::with_limiter(&SITE, #limiter) },
        None => quote! { #rt::Call::new(&SITE) },
    };
    let values = values(plan);
    let mutability = (!values.is_empty()).then(|| quote! { mut });
    quote! {
        #find
        let #mutability #call = {
            #constants
            #begin
        };
        #values
    }
}

/// The limiter that the user's expression gives; what gives none is told where it is written.
fn limiter_of(rt: &TokenStream, expression: &Expr) -> TokenStream {
    let limiter = Extent::of(expression).cover(quote! { #rt::limiter });
    let expression = borrowed(expression);
    quote! { #limiter(#expression) }
}

/// Whether each layer applies, its plan, the values of its key and its cost, evaluated in written order, layer by layer.
fn values(plan: &Plan) -> TokenStream {
    let rt = door(plan);
    let call = local("__ratelimit_call");
    let mut all = TokenStream::new();
    for (place, layer) in plan.layers.iter().enumerate() {
        let values = values_of(&rt, place, layer);
        let Some(when) = &layer.when else {
            all.extend(values);
            continue;
        };
        let applies = local("__ratelimit_applies");
        // What is no condition is told where it is written.
        let condition = Extent::of(when).cover(quote! { #rt::condition });
        let condition = quote! { let #applies = #condition(#when); };
        let leave = quote! { #rt::Call::leave(&mut #call, #place); };
        all.extend(if values.is_empty() {
            quote! { #condition if !#applies { #leave } }
        } else {
            quote! { #condition if #applies { #values } else { #leave } }
        });
    }
    all
}

fn values_of(rt: &TokenStream, layer: usize, facts: &Layer) -> TokenStream {
    let call = local("__ratelimit_call");
    let mut values = TokenStream::new();
    if let Some(plan) = &facts.plan {
        let name = borrowed(plan);
        let set = Extent::of(plan).cover(quote! { #rt::Call::plan });
        values.extend(quote! { #set(&mut #call, #layer, #name); });
    }
    for (slot, value) in facts.values.iter().enumerate() {
        let (part, extent) = match value {
            Value::Field { root, fields, parameter } => (quote! { &#root #fields }, Extent::from(*parameter)),
            Value::Expression(expression) => (borrowed(expression), Extent::of(expression)),
        };
        // A type that can't be a part is told where it is written.
        let write = extent.cover(quote! { __ratelimit_part });
        values.extend(quote! {
            {
                use #rt::{ViaDisplay as _, ViaKeyPart as _, ViaNothing as _};
                (&&&#rt::Part(#part)).#write(#rt::Call::part(&mut #call, #layer, #slot));
            }
        });
    }
    if let Cost::Expression(cost) = &facts.cost {
        let units = local("__ratelimit_units");
        let extent = Extent::of(cost);
        let unit = if facts.is_money() { "usd" } else { "cost" };
        let known = match &facts.default_cost {
            None => {
                let convert = Ident::new(unit, Span::call_site());
                let convert = extent.cover(quote! { #rt::#convert });
                quote! { #convert(#cost) }
            }
            Some(default) => {
                let convert = quote::format_ident!("{unit}_or");
                let convert = extent.cover(quote! { #rt::#convert });
                let default = match default {
                    Cost::Constant(units) => quote! { #units },
                    Cost::Expression(default) => {
                        let convert = Ident::new(unit, Span::call_site());
                        let convert = Extent::of(default).cover(quote! { #rt::#convert });
                        quote! { #convert(#default) }
                    }
                };
                quote! { #convert(#cost, || #default) }
            }
        };
        values.extend(quote! {
            let #units = #known;
            #rt::Call::cost(&mut #call, #layer, #units);
        });
    }
    values
}

/// `FromDenied::from_denied(..)`, which a return type that can't carry a denial makes an error at that type.
fn from_denied(plan: &Plan, function: &Function) -> TokenStream {
    let rt = door(plan);
    let denied = local("__ratelimit_denied");
    function.output_extent().cover(quote! { #rt::FromDenied::from_denied(#denied) })
}

/// A dead first statement that pins the type which `?` and early returns of the body aim at, at that type's place.
fn pin_output(plan: &Plan, function: &Function) -> TokenStream {
    pin(plan, function, function.output())
}

fn pin(plan: &Plan, function: &Function, output: TokenStream) -> TokenStream {
    let rt = door(plan);
    let span = Span::mixed_site().located_at(function.output_extent().first);
    let pinned = Ident::new("__ratelimit_return", span);
    let output = without_impl(output);
    quote_spanned! { span =>
        if let #rt::Some(#pinned) = #rt::Option::<#output>::None {
            return #pinned;
        }
    }
}

/// `&(EXPRESSION)`, which an error about its type shows at the user's expression.
fn borrowed(expression: &Expr) -> TokenStream {
    Extent::of(expression).cover(quote! { &(#expression) })
}

/// A return type with `_` for each `impl ..`, which may not stand in a `let`.
fn without_impl(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "impl" => {
                skip_bounds(&mut tokens);
                out.extend(quote! { _ });
            }
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), without_impl(group.stream()));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// Skips the bounds of an `impl`: up to a comma or a bracket that it did not open.
fn skip_bounds(tokens: &mut core::iter::Peekable<impl Iterator<Item = TokenTree>>) {
    let mut depth = 0_u32;
    let mut is_arrow = false;
    while let Some(token) = tokens.peek() {
        let mark = match token {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
        match mark {
            ',' if depth == 0 => return,
            '>' if is_arrow => {}
            '>' if depth == 0 => return,
            '>' => depth -= 1,
            '<' => depth += 1,
            _ => {}
        }
        is_arrow = mark == '-';
        tokens.next();
    }
}
