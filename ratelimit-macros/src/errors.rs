//! Every fault that was found, each with the place that it is shown at.

use crate::extent::Extent;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use ratelimit_spec::Fault;
use std::fmt;

/// Collects faults, so that all of them are reported at once.
///
/// It has to be finished: a fault that nobody reads would let a limit that was not understood pass in silence.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<(Extent, String)>,
    is_finished: bool,
}

/// The proof that a fault was found: only [`Errors`] makes one, so nothing can be given up without a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported(());

impl Errors {
    pub(crate) fn push(&mut self, at: impl Into<Extent>, sentence: impl fmt::Display) -> Reported {
        self.found.push((at.into(), sentence.to_string()));
        Reported(())
    }

    pub(crate) fn push_fault(&mut self, at: impl Into<Extent>, fault: &Fault) -> Reported {
        self.push(at, fault.with_mark())
    }

    /// One `compile_error!` for each fault; `None` where there is none.
    pub(crate) fn finish(mut self) -> Option<TokenStream> {
        self.is_finished = true;
        let errors = self.found.iter().map(|(at, sentence)| compile_error(*at, sentence));
        (!self.found.is_empty()).then(|| errors.collect())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(self.is_finished || std::thread::panicking(), "faults were dropped unread");
    }
}

pub(crate) fn compile_error(at: Extent, sentence: &str) -> TokenStream {
    let Extent { first, last } = at;
    let path = quote_spanned! { first => ::core::compile_error };
    let argument = quote_spanned! { last => ! { #sentence } };
    quote! { #path #argument }
}

#[cfg(test)]
mod tests {
    use super::Errors;
    use proc_macro2::Span;

    #[test]
    fn every_fault_becomes_an_error() {
        let mut errors = Errors::default();
        assert!(Errors::default().finish().is_none());
        errors.push(Span::call_site(), "one");
        errors.push(Span::call_site(), "two");
        let tokens = errors.finish().unwrap().to_string();
        assert_eq!(tokens.matches("compile_error").count(), 2);
        assert!(tokens.contains("one") && tokens.contains("two"));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic = "dropped unread"]
    fn collector_that_nobody_reads_panics() {
        drop(Errors::default());
    }
}
