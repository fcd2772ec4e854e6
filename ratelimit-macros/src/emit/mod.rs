//! Writing what a plan says.

mod constants;
mod function;
mod future;
mod handler;

use crate::{
    function::Function,
    plan::{Cost, Plan, Shape, Value},
};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

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
    let call = local("__ratelimit_call");
    let constants = constants::emit(plan, function);
    let begin = match &plan.limiter {
        Some(limiter) => quote! { #rt::Call::with_limiter(&SITE, #rt::limiter(&(#limiter))) },
        None => quote! { #rt::Call::new(&SITE) },
    };
    let allow = plan.limiter.as_ref().map(|_| quote! { #[allow(unused_parens, unused_braces)] });
    quote! {
        #allow
        let mut #call = {
            #constants
            #begin
        };
    }
}

/// The values of the keys and the costs, evaluated in written order, layer by layer.
fn values(plan: &Plan) -> TokenStream {
    let rt = door(plan);
    let call = local("__ratelimit_call");
    let mut values = TokenStream::new();
    for (layer, facts) in plan.layers.iter().enumerate() {
        for (slot, value) in facts.values.iter().enumerate() {
            let (part, span) = match value {
                Value::Field { root, fields, parameter } => (quote! { #root #fields }, *parameter),
                Value::Expression(expression) => (quote! { (#expression) }, expression.span()),
            };
            // A type that can't be a part is told where it is written.
            let write = Ident::new("__ratelimit_part", Span::mixed_site().located_at(span));
            values.extend(quote! {
                #[allow(unused_imports, unused_parens, unused_braces)]
                {
                    use #rt::{ViaDisplay as _, ViaKeyPart as _, ViaNothing as _};
                    (&&&#rt::Part(&#part)).#write(#rt::Call::part(&mut #call, #layer, #slot));
                }
            });
        }
        if let Cost::Expression(cost) = &facts.cost {
            let units = local("__ratelimit_units");
            values.extend(quote! {
                #[allow(unused_parens, unused_braces)]
                let #units = #rt::cost(#cost);
                #rt::Call::cost(&mut #call, #layer, #units);
            });
        }
    }
    values
}

/// `FromDenied::from_denied(..)`, which a return type that can't carry a denial makes an error at that type.
fn from_denied(plan: &Plan, span: Span) -> TokenStream {
    let rt = door(plan);
    let place = Span::mixed_site().located_at(span);
    let denied = Ident::new("__ratelimit_denied", place);
    let path = quote_spanned! { span => #rt::FromDenied::from_denied };
    let path: TokenStream = path
        .into_iter()
        .map(|mut token| {
            token.set_span(token.span().located_at(span));
            token
        })
        .collect();
    let mut arguments = Group::new(Delimiter::Parenthesis, quote! { #denied });
    arguments.set_span(place);
    quote! { #path #arguments }
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
                let mut inner = Group::new(group.delimiter(), without_impl(group.stream()));
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
