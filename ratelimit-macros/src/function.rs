//! The annotated function: its signature, and its body as tokens that nobody parses.

use crate::extent::Extent;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, GenericArgument, Pat, PathArguments, PathSegment, ReturnType, Signature, Token, Type,
    TypeParamBound, Visibility,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
};

pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    defaultness: Option<Token![default]>,
    pub(crate) signature: Signature,
    pub(crate) body: Group,
}

/// Why an item is no function that could be limited.
pub(crate) enum NotAFunction {
    /// It cannot be read; rustc reports that by itself.
    Unreadable,
    Other {
        keyword: String,
        span: Span,
    },
    NoBody {
        span: Span,
    },
}

impl Function {
    pub(crate) fn read(item: TokenStream) -> Result<Function, NotAFunction> {
        let read = |input: ParseStream<'_>| -> syn::Result<(Function, Option<Span>)> {
            let attributes = input.call(Attribute::parse_outer)?;
            let visibility = input.parse()?;
            let defaultness = input.parse()?;
            let signature: Signature = input.parse()?;
            let no_body = input.peek(Token![;]).then(|| signature.ident.span());
            let body = if no_body.is_some() {
                input.parse::<Token![;]>()?;
                Group::new(Delimiter::Brace, TokenStream::new())
            } else {
                body(&input.parse()?).ok_or_else(|| input.error("expected a body"))?
            };
            Ok((Function { attributes, visibility, defaultness, signature, body }, no_body))
        };
        match read.parse2(item.clone()) {
            Ok((function, None)) => Ok(function),
            Ok((_, Some(span))) => Err(NotAFunction::NoBody { span }),
            Err(_) => Err(other(item)),
        }
    }

    /// The function as the user wrote it, without attributes of ours.
    pub(crate) fn as_written(&self) -> TokenStream {
        let Function { attributes, signature, body, .. } = self;
        let head = self.head();
        quote! { #(#attributes)* #head #signature #body }
    }

    /// A body in place of the user's, with its braces: from ours rustc would take the function for one that the macro
    /// made up, and not say that nobody uses it.
    pub(crate) fn body_of(&self, content: TokenStream) -> Group {
        let mut body = Group::new(Delimiter::Brace, content);
        body.set_span(self.body.span());
        body
    }

    /// What stands in front of the signature.
    pub(crate) fn head(&self) -> TokenStream {
        let Function { visibility, defaultness, .. } = self;
        quote! { #visibility #defaultness }
    }

    /// The inner attributes of the body, and the body without them: its own group where there are none.
    pub(crate) fn split_body(&self) -> (TokenStream, Group) {
        let mut rest: Vec<TokenTree> = self.body.stream().into_iter().collect();
        let mut inner = TokenStream::new();
        while let [TokenTree::Punct(hash), TokenTree::Punct(bang), TokenTree::Group(_), ..] = rest.as_slice()
        {
            if hash.as_char() != '#' || bang.as_char() != '!' {
                break;
            }
            inner.extend(rest.drain(..3));
        }
        if inner.is_empty() {
            return (inner, self.body.clone());
        }
        let mut body = Group::new(Delimiter::Brace, rest.into_iter().collect());
        body.set_span(self.body.span());
        (inner, body)
    }

    pub(crate) fn has_receiver(&self) -> bool {
        matches!(self.signature.inputs.first(), Some(FnArg::Receiver(_)))
    }

    /// The names that a key can use: parameters, what patterns bind, and `self`, as they were written.
    pub(crate) fn parameters(&self) -> Vec<Ident> {
        let mut names = Vec::new();
        for input in &self.signature.inputs {
            match input {
                FnArg::Receiver(receiver) => names.push(Ident::new("self", receiver.self_token.span)),
                FnArg::Typed(parameter) => bound(&parameter.pat, &mut names),
            }
        }
        names
    }

    /// Whether some parameter is destructured as an extractor is: `Name(x): Name<T>`.
    pub(crate) fn has_extractor(&self) -> bool {
        self.signature.inputs.iter().any(|input| {
            let FnArg::Typed(parameter) = input else { return false };
            let (Pat::TupleStruct(pattern), Some(ty)) = (&*parameter.pat, last_segment(&parameter.ty)) else {
                return false;
            };
            pattern.path.segments.last().is_some_and(|name| name.ident == ty.ident)
        })
    }

    /// The written return type, `()` where there is none.
    pub(crate) fn output(&self) -> TokenStream {
        match &self.signature.output {
            ReturnType::Default => quote! { () },
            ReturnType::Type(_, output) => output.to_token_stream(),
        }
    }

    /// The type that a written future gives, as far as it is written.
    pub(crate) fn future_output(&self) -> Option<&Type> {
        let ReturnType::Type(_, output) = &self.signature.output else { return None };
        if let Some(alias) = last_segment(output).filter(|last| last.ident.to_string().ends_with("BoxFuture"))
        {
            let PathArguments::AngleBracketed(arguments) = &alias.arguments else { return None };
            return arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
        }
        let boxed = argument_of(output, "Pin").and_then(|boxed| argument_of(boxed, "Box"));
        let bounds = match ungrouped(boxed.unwrap_or(output)) {
            Type::TraitObject(object) => &object.bounds,
            Type::ImplTrait(object) => &object.bounds,
            _ => return None,
        };
        bounds.iter().find_map(|bound| {
            let TypeParamBound::Trait(bound) = bound else { return None };
            let last = bound.path.segments.last().filter(|last| last.ident == "Future")?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::AssocType(output) => Some(&output.ty),
                _ => None,
            })
        })
    }

    /// Whether the body names something, anywhere in its tokens.
    pub(crate) fn body_names(&self, name: &str) -> bool {
        fn scan(tokens: TokenStream, name: &str) -> bool {
            tokens.into_iter().any(|token| match token {
                TokenTree::Ident(ident) => ident == name,
                TokenTree::Group(group) => scan(group.stream(), name),
                TokenTree::Punct(_) | TokenTree::Literal(_) => false,
            })
        }
        scan(self.body.stream(), name)
    }

    /// Where a fault of the return type is shown: at it, or at the name where there is none.
    pub(crate) fn output_extent(&self) -> Extent {
        match &self.signature.output {
            ReturnType::Default => self.signature.ident.span().into(),
            ReturnType::Type(_, output) => Extent::of(output),
        }
    }

    /// Whether the return type is `impl TRAIT` for a trait of one of these names.
    pub(crate) fn returns_impl(&self, names: &[&str]) -> bool {
        let ReturnType::Type(_, output) = &self.signature.output else { return false };
        match ungrouped(output) {
            Type::ImplTrait(output) => names_one(&output.bounds, names),
            _ => false,
        }
    }

    /// Whether the return type is a boxed future, as `async_trait` leaves it, or the alias for one of `futures`.
    pub(crate) fn returns_boxed_future(&self) -> bool {
        let ReturnType::Type(_, output) = &self.signature.output else { return false };
        if is_called(output, &["BoxFuture", "LocalBoxFuture"]) {
            return true;
        }
        let boxed = argument_of(output, "Pin").and_then(|boxed| argument_of(boxed, "Box"));
        matches!(boxed.map(ungrouped), Some(Type::TraitObject(object)) if names_one(&object.bounds, &["Future"]))
    }
}

fn names_one(bounds: &Punctuated<TypeParamBound, Token![+]>, names: &[&str]) -> bool {
    bounds.iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
        }
        _ => false,
    })
}

/// Whether the last name of a type's path is one of these.
pub(crate) fn is_called(ty: &Type, names: &[&str]) -> bool {
    last_segment(ty).is_some_and(|last| names.iter().any(|name| last.ident == name))
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ungrouped(ty) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// `T` of `NAME<T>`.
fn argument_of<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let last = last_segment(ty).filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// A type without parentheses, and without the invisible group that a macro's `$t:ty` wraps it in.
fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(group) => ungrouped(&group.elem),
        other => other,
    }
}

/// A brace group, also when a macro has wrapped it into an invisible one.
fn body(token: &TokenTree) -> Option<Group> {
    let TokenTree::Group(group) = token else { return None };
    match group.delimiter() {
        Delimiter::Brace => Some(group.clone()),
        Delimiter::None => {
            let mut tokens = group.stream().into_iter();
            let inner = body(&tokens.next()?);
            tokens.next().is_none().then_some(inner)?
        }
        Delimiter::Parenthesis | Delimiter::Bracket => None,
    }
}

fn bound(pattern: &Pat, names: &mut Vec<Ident>) {
    match pattern {
        Pat::Ident(name) => {
            names.push(name.ident.clone());
            if let Some((_, inner)) = &name.subpat {
                bound(inner, names);
            }
        }
        Pat::Paren(inner) => bound(&inner.pat, names),
        Pat::Reference(inner) => bound(&inner.pat, names),
        Pat::Type(inner) => bound(&inner.pat, names),
        Pat::Slice(inner) => inner.elems.iter().for_each(|element| bound(element, names)),
        Pat::Tuple(inner) => inner.elems.iter().for_each(|element| bound(element, names)),
        Pat::TupleStruct(inner) => inner.elems.iter().for_each(|element| bound(element, names)),
        Pat::Struct(inner) => inner.fields.iter().for_each(|field| bound(&field.pat, names)),
        _ => {}
    }
}

/// Why an item could not be read: a half-typed function, or something else.
fn other(item: TokenStream) -> NotAFunction {
    const KEYWORDS: [&str; 12] = [
        "struct",
        "enum",
        "union",
        "impl",
        "trait",
        "mod",
        "type",
        "static",
        "use",
        "const",
        "extern",
        "macro_rules",
    ];
    let mut found = None;
    for token in item {
        let TokenTree::Ident(word) = token else { continue };
        let keyword = word.to_string();
        if keyword == "fn" {
            // `const`, `extern` and others may stand in front of it.
            return NotAFunction::Unreadable;
        }
        if found.is_none() && KEYWORDS.contains(&keyword.as_str()) {
            found = Some(NotAFunction::Other { keyword, span: word.span() });
        }
    }
    found.unwrap_or(NotAFunction::Unreadable)
}
