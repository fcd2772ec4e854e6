//! Every fault that was found, each with the place that it is shown at.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use ratelimit_spec::Fault;
use std::fmt;

/// Collects faults, so that all of them are reported at once.
#[derive(Default)]
pub(crate) struct Errors(Vec<(Span, String)>);

impl Errors {
    pub(crate) fn push(&mut self, span: Span, sentence: impl fmt::Display) {
        self.0.push((span, sentence.to_string()));
    }

    pub(crate) fn push_fault(&mut self, span: Span, fault: &Fault) {
        self.push(span, fault.with_mark());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` for each.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let errors = self.0.into_iter().map(|(span, sentence)| {
            quote_spanned! { span => ::core::compile_error! { #sentence } }
        });
        errors.collect()
    }
}
