//! From where to where a fault is shown.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// A first and a last place: stable Rust cannot join two spans into one, but an error over tokens that carry them is
/// shown from one to the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) first: Span,
    pub(crate) last: Span,
}

impl From<Span> for Extent {
    fn from(span: Span) -> Extent {
        Extent { first: span, last: span }
    }
}

impl Extent {
    /// All of something that the user wrote.
    pub(crate) fn of(tokens: &impl ToTokens) -> Extent {
        let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
        let first = spans.next().unwrap_or_else(Span::call_site);
        Extent { first, last: spans.last().unwrap_or(first) }
    }

    /// Generated tokens, with their own hygiene, that an error shows as if they stood here.
    pub(crate) fn cover(self, tokens: TokenStream) -> TokenStream {
        let mut tokens: Vec<_> = tokens.into_iter().collect();
        for token in &mut tokens {
            token.set_span(token.span().located_at(self.first));
        }
        if let Some(token) = tokens.last_mut() {
            token.set_span(token.span().located_at(self.last));
        }
        tokens.into_iter().collect()
    }
}
