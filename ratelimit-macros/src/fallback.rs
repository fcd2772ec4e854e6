//! The door that every fault leaves by: the errors, and the user's function as it was written, so that nothing else
//! turns red.

use crate::{
    errors::compile_error,
    function::{Function, NotAFunction},
};
use proc_macro2::TokenStream;
use quote::quote;

pub(crate) fn with_function(errors: &TokenStream, function: &Function) -> TokenStream {
    let function = function.as_written();
    quote! { #errors #function }
}

/// What is no function is given back untouched; rustc says what is wrong with one that is half typed.
pub(crate) fn without_function(item: TokenStream, why: &NotAFunction) -> TokenStream {
    let error = match why {
        NotAFunction::Unreadable => return item,
        NotAFunction::Other { keyword, span } => {
            let sentence = format!(
                "`rate_limit`: only an async function can be limited, this is `{keyword}`, write it above each \
                 function that is to be limited"
            );
            compile_error((*span).into(), &sentence)
        }
        NotAFunction::NoBody { span } => {
            let sentence =
                "`rate_limit`: there is no body to guard, write it above the function in the `impl`";
            compile_error((*span).into(), sentence)
        }
    };
    quote! { #error #item }
}
