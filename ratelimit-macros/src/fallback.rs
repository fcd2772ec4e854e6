//! The door that every fault leaves by: the errors, and the user's function as it was written, so that nothing else
//! turns red.

use crate::{
    errors::Errors,
    function::{Function, NotAFunction},
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

pub(crate) fn with_function(errors: Errors, function: &Function) -> TokenStream {
    let errors = errors.into_tokens();
    let function = function.as_written();
    quote! { #errors #function }
}

/// What is no function is given back untouched; rustc says what is wrong with one that is half typed.
pub(crate) fn without_function(item: TokenStream, why: NotAFunction) -> TokenStream {
    match why {
        NotAFunction::Unreadable => item,
        NotAFunction::Other { keyword, span } => {
            let sentence = format!(
                "`rate_limit` limits an async function, not a `{keyword}`: write it above each function that is to be \
                 limited"
            );
            let error = quote_spanned! { span => ::core::compile_error! { #sentence } };
            quote! { #error #item }
        }
        NotAFunction::NoBody { span } => {
            let sentence = "`rate_limit` needs a body to guard: write it above the function in the `impl`";
            let error = quote_spanned! { span => ::core::compile_error! { #sentence } };
            quote! { #error #item }
        }
    }
}
