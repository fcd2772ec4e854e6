//! The annotated function: its signature, and its body as tokens that nobody parses.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, Pat, ReturnType, Signature, Token, Type, Visibility,
    parse::{ParseStream, Parser},
    spanned::Spanned,
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
                FnArg::Receiver(receiver) => names.push(Ident::new("self", receiver.self_token.span())),
                FnArg::Typed(parameter) => bound(&parameter.pat, &mut names),
            }
        }
        names
    }

    /// Whether some parameter is destructured as an extractor is: `Name(x): Name<T>`.
    pub(crate) fn has_extractor(&self) -> bool {
        self.signature.inputs.iter().any(|input| {
            let FnArg::Typed(parameter) = input else { return false };
            let (Pat::TupleStruct(pattern), Type::Path(path)) = (&*parameter.pat, &*parameter.ty) else {
                return false;
            };
            let last = |path: &syn::Path| path.segments.last().map(|segment| segment.ident.clone());
            last(&pattern.path).is_some_and(|name| Some(name) == last(&path.path))
        })
    }

    /// The written return type, `()` where there is none.
    pub(crate) fn output(&self) -> TokenStream {
        match &self.signature.output {
            ReturnType::Default => quote! { () },
            ReturnType::Type(_, output) => output.to_token_stream(),
        }
    }

    /// Where a fault of the return type is shown: at it, or at the name where there is none.
    pub(crate) fn output_span(&self) -> Span {
        match &self.signature.output {
            ReturnType::Default => self.signature.ident.span(),
            ReturnType::Type(_, output) => output.span(),
        }
    }

    /// Whether the return type is `impl TRAIT` for a trait of that name.
    pub(crate) fn returns_impl(&self, names: &[&str]) -> bool {
        let ReturnType::Type(_, output) = &self.signature.output else { return false };
        let Type::ImplTrait(output) = &**output else { return false };
        output.bounds.iter().any(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => bound
                .path
                .segments
                .last()
                .is_some_and(|segment| names.iter().any(|name| segment.ident == name)),
            _ => false,
        })
    }

    /// Whether the return type is a boxed future, as `async_trait` leaves it.
    pub(crate) fn returns_boxed_future(&self) -> bool {
        let ReturnType::Type(_, output) = &self.signature.output else { return false };
        let Type::Path(path) = &**output else { return false };
        let Some(last) = path.path.segments.last() else { return false };
        let text = last.to_token_stream().to_string();
        last.ident == "BoxFuture"
            || last.ident == "LocalBoxFuture"
            || (last.ident == "Pin" && text.contains("Box") && text.contains("Future"))
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

fn other(item: TokenStream) -> NotAFunction {
    const KEYWORDS: [&str; 9] = ["struct", "enum", "union", "impl", "trait", "mod", "type", "static", "use"];
    for token in item {
        if let TokenTree::Ident(word) = token {
            let keyword = word.to_string();
            if keyword == "fn" {
                break;
            }
            if KEYWORDS.contains(&keyword.as_str()) {
                return NotAFunction::Other { keyword, span: word.span() };
            }
        }
    }
    NotAFunction::Unreadable
}
