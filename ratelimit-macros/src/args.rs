//! Reading the arguments of one attribute: every span is kept, no value is judged.
//!
//! An argument that cannot be read does not hide the others: reading goes on behind the next comma.

use crate::{
    errors::{Errors, Reported},
    extent::Extent,
    function::Function,
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use ratelimit_spec::{Argument, Rate, nearest};
use syn::{
    Expr, Lit, Meta, Stmt, Token,
    ext::IdentExt as _,
    parse::{ParseStream, Parser},
};

/// What an attribute of ours that was moved below its neighbours says, so that it is not moved again.
pub(crate) const MOVED: &str = "__ratelimit_moved";

/// The arguments of one attribute: one layer.
pub(crate) struct Arguments {
    /// As they were written, for an attribute that has to move.
    pub(crate) tokens: TokenStream,
    /// Where a fault of the whole is shown.
    pub(crate) span: Span,
    /// Some argument could not be read, so what seems to be missing may stand there.
    pub(crate) unreadable: Option<Reported>,
    pub(crate) has_moved: bool,
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

    /// Where a fault in an argument's value is shown.
    pub(crate) fn extent(&self, argument: Argument) -> Extent {
        let Some(given) = self.get(argument) else { return self.span.into() };
        given.value.as_ref().map_or(given.name.into(), Extent::of)
    }

    fn read(tokens: TokenStream, span: Span, errors: &mut Errors) -> Arguments {
        let mut arguments =
            Arguments { tokens: tokens.clone(), span, unreadable: None, has_moved: false, given: Vec::new() };
        let read = |input: ParseStream<'_>| -> syn::Result<()> {
            while !input.is_empty() {
                if let Err(error) = arguments.read_one(input, errors) {
                    arguments.unreadable = Some(errors.push(error.span(), error));
                    while !input.is_empty() && !input.peek(Token![,]) {
                        input.parse::<TokenTree>()?;
                    }
                }
                if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
                    continue;
                }
                let next = input.fork().parse::<TokenTree>()?;
                let sentence = format!("`rate_limit`: no comma in front of `{next}`, write one");
                arguments.unreadable = Some(errors.push(next.span(), sentence));
            }
            Ok(())
        };
        if let Err(error) = read.parse2(tokens) {
            arguments.unreadable = Some(errors.push(error.span(), format!("`rate_limit`: {error}")));
        }
        arguments
    }

    /// `name = value`, or a flag; an error ends with what to write.
    fn read_one(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
        if input.peek(Lit) {
            let value: Lit = input.parse()?;
            return Err(syn::Error::new(value.span(), nameless(&value)));
        }
        if !input.peek(Ident::peek_any) {
            let token: TokenTree = input.parse()?;
            let sentence = format!("`rate_limit`: no argument begins with `{token}`, write `name = value`");
            return Err(syn::Error::new(token.span(), sentence));
        }
        let name = input.call(Ident::parse_any)?;
        if name == MOVED {
            self.has_moved = true;
            return Ok(());
        }
        if input.is_empty() || input.peek(Token![,]) {
            self.add(&name, None, errors);
            return Ok(());
        }
        let separator = input.span();
        let is_separated = input.parse::<Option<Token![=]>>()?.is_some();
        if !is_separated {
            input.parse::<Option<Token![:]>>()?;
        }
        let value = read_value(input, &name)?;
        if !is_separated {
            let sentence =
                format!("`{name}`: no `=` in front of its value, write `{name} = {}`", shown(&value));
            errors.push(separator, sentence);
        }
        self.add(&name, Some(value), errors);
        Ok(())
    }

    fn add(&mut self, name: &Ident, value: Option<Expr>, errors: &mut Errors) {
        let word = name.to_string();
        let Some(argument) = Argument::from_word(&word) else {
            let words = || Argument::ALL.iter().map(|argument| argument.word());
            let all = words().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            let way_out = match nearest(&word, words()) {
                Some(meant) => format!("write `{meant}`"),
                None => format!("write one of {all}"),
            };
            self.unreadable = Some(
                errors.push(name.span(), format!("`rate_limit`: no such argument: `{word}`, {way_out}")),
            );
            return;
        };
        if let Some(first) = self.get(argument) {
            let value = first.value.as_ref().map(|value| format!(" (first as `{}`)", shown(value)));
            let value = value.unwrap_or_default();
            errors.push(first.name, format!("`{word}`: given here, and a second time below"));
            errors.push(name.span(), format!("`{word}`: given twice{value}, remove one of them"));
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
        let ours = attribute.path().segments.last().filter(|segment| segment.ident == "rate_limit");
        let Some(span) = ours.map(|segment| segment.ident.span()) else {
            others.push(attribute);
            continue;
        };
        let tokens = match attribute.meta {
            Meta::List(list) => list.tokens,
            Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
        };
        layers.push(Arguments::read(tokens, span, errors));
    }
    function.attributes = others;
    layers
}

/// An expression; an error ends with what to write.
fn read_value(input: ParseStream<'_>, name: &Ident) -> syn::Result<Expr> {
    let example = example(Argument::from_word(&name.to_string()));
    if input.is_empty() || input.peek(Token![,]) {
        let sentence = format!("`{name}`: misses its value, write for example `{example}`");
        return Err(syn::Error::new(name.span(), sentence));
    }
    if input.peek(Token![$]) {
        let mut text = String::new();
        let dollar = input.span();
        while !input.is_empty() && !input.peek(Token![,]) {
            text += &input.parse::<TokenTree>()?.to_string();
        }
        let sentence = format!("`{name}`: has to be a text in quotes, write `{name} = \"{text}\"`");
        return Err(syn::Error::new(dollar, sentence));
    }
    input.parse().map(bare).map_err(|error: syn::Error| {
        // At the end there is no token to point at.
        let span = if input.is_empty() { name.span() } else { error.span() };
        syn::Error::new(span, format!("`{name}`: {error}, write for example `{example}`"))
    })
}

/// An expression without what rustc finds unnecessary where we put it, parentheses and braces, and without the invisible
/// group that a macro's `$e:expr` wraps it in.
fn bare(expression: Expr) -> Expr {
    match expression {
        Expr::Group(inner) => bare(*inner.expr),
        Expr::Paren(inner) if inner.attrs.is_empty() => bare(*inner.expr),
        Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
            match block.block.stmts.as_slice() {
                [Stmt::Expr(inner, None)] => bare(inner.clone()),
                _ => Expr::Block(block),
            }
        }
        other => other,
    }
}

/// A value without a name: the name that would suit it.
fn nameless(value: &Lit) -> String {
    let shown = value.to_token_stream();
    let name = match value {
        Lit::Str(text) if Rate::parse(&text.value()).is_ok() => Argument::Rate,
        Lit::Str(_) => Argument::Key,
        _ => return format!("`rate_limit`: `{shown}` has no name, write `name = {shown}`"),
    };
    format!("`rate_limit`: `{shown}` has no name, write `{name} = {shown}`")
}

/// An expression as a sentence shows it.
pub(crate) fn shown(value: &Expr) -> String {
    const LONGEST: usize = 40;
    let text = value.to_token_stream().to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain("..".chars()).collect()
}

/// What an argument looks like.
pub(crate) fn example(argument: Option<Argument>) -> &'static str {
    match argument {
        Some(Argument::Key) => "key = \"user\"",
        Some(Argument::Rate) => "rate = \"100/min\"",
        Some(Argument::Algo) => "algo = \"token_bucket\"",
        Some(Argument::Burst) => "burst = 20",
        Some(Argument::Queue) => "queue = 20",
        Some(Argument::Precision) => "precision = \"1s\"",
        Some(Argument::Plan) => "plan = tenant.plan",
        Some(Argument::Limit) => "limit = 32",
        Some(Argument::Lease) => "lease = \"30s\"",
        Some(Argument::Cost) => "cost = 10",
        Some(Argument::DefaultCost) => "default_cost = 10",
        Some(Argument::Settle) => "settle = |out| out.tokens",
        Some(Argument::OnErr) => "on_err = keep",
        Some(Argument::OnCancel) => "on_cancel = refund",
        Some(Argument::ChargeIf) => "charge_if = |out| out.is_err()",
        Some(Argument::When) => "when = tenant.is_trial",
        Some(Argument::Scope) => "scope = \"instance\"",
        Some(Argument::Colocate) => "colocate = \"tenant\"",
        Some(Argument::Wait) => "wait = \"2s\"",
        Some(Argument::Fail) => "fail = \"closed\"",
        Some(Argument::Deadline) => "deadline = \"20ms\"",
        Some(Argument::Name) => "name = \"search\"",
        Some(Argument::Handler) => "handler",
        Some(Argument::Limiter) => "limiter = self.limiter",
        Some(Argument::Crate) => "crate = ::my_framework::ratelimit",
        None => "name = value",
    }
}
