//! Reading the arguments of one attribute: every span is kept, nothing is judged.

use crate::{errors::Errors, function::Function};
use proc_macro2::{Ident, Span, TokenStream};
use ratelimit_spec::{Argument, nearest};
use syn::{
    Expr, Meta, Token,
    ext::IdentExt as _,
    parse::{ParseStream, Parser},
};

/// The arguments of one attribute: one layer.
pub(crate) struct Arguments {
    /// As they were written, for an attribute that has to move.
    pub(crate) tokens: TokenStream,
    /// Where a fault of the whole is shown.
    pub(crate) span: Span,
    given: Vec<Given>,
}

/// One argument: its name, and its value unless it is a flag.
pub(crate) struct Given {
    pub(crate) argument: Argument,
    pub(crate) name: Span,
    pub(crate) value: Option<Expr>,
}

impl Arguments {
    pub(crate) fn get(&self, argument: Argument) -> Option<&Given> {
        self.given.iter().find(|given| given.argument == argument)
    }

    fn read(tokens: TokenStream, span: Span, errors: &mut Errors) -> Arguments {
        let mut arguments = Arguments { tokens: tokens.clone(), span, given: Vec::new() };
        let read = |input: ParseStream<'_>| -> syn::Result<()> {
            while !input.is_empty() {
                let name = input.call(Ident::parse_any)?;
                let value = if input.peek(Token![=]) {
                    input.parse::<Token![=]>()?;
                    Some(input.parse::<Expr>()?)
                } else {
                    None
                };
                arguments.add(&name, value, errors);
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        };
        if let Err(error) = read.parse2(tokens) {
            errors.push(
                error.span(),
                format!("`rate_limit`: {error}, write `name = value` pairs with commas between"),
            );
        }
        arguments
    }

    fn add(&mut self, name: &Ident, value: Option<Expr>, errors: &mut Errors) {
        let word = name.to_string();
        let Some(argument) = Argument::from_word(&word) else {
            let words = || Argument::ALL.iter().map(|argument| argument.word());
            let way_out = match nearest(&word, words()) {
                Some(meant) => format!("write `{meant}`"),
                None => format!(
                    "there are {}",
                    words().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
                ),
            };
            errors.push(name.span(), format!("no such argument: `{word}`, {way_out}"));
            return;
        };
        if self.get(argument).is_some() {
            errors.push(name.span(), format!("`{word}`: given twice, remove one of them"));
            return;
        }
        self.given.push(Given { argument, name: name.span(), value });
    }
}

/// The layers of a function in written order: the attribute that is being expanded, and those below it, which are
/// taken off the function.
pub(crate) fn read_layers(own: TokenStream, function: &mut Function, errors: &mut Errors) -> Vec<Arguments> {
    let name = function.signature.ident.span();
    let span = own.clone().into_iter().next().map_or(name, |token| token.span());
    let mut layers = vec![Arguments::read(own, span, errors)];
    let mut others = Vec::new();
    for attribute in core::mem::take(&mut function.attributes) {
        let is_ours = attribute.path().segments.last().is_some_and(|segment| segment.ident == "rate_limit");
        if !is_ours {
            others.push(attribute);
            continue;
        }
        let span = attribute.path().segments.last().map_or(name, |segment| segment.ident.span());
        let tokens = match attribute.meta {
            Meta::List(list) => list.tokens,
            Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
        };
        layers.push(Arguments::read(tokens, span, errors));
    }
    function.attributes = others;
    layers
}
