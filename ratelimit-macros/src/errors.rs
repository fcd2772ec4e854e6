//! Every fault that was found, each with the place that it is shown at.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use ratelimit_spec::Fault;
use std::fmt;

/// Collects faults, so that all of them are reported at once.
///
/// It has to be finished: a fault that nobody reads would let a limit that was not understood pass in silence.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<(Span, String)>,
    is_finished: bool,
}

/// The proof that a fault was found: only [`Errors`] makes one, so nothing can be given up without a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported(());

impl Errors {
    pub(crate) fn push(&mut self, span: Span, sentence: impl fmt::Display) -> Reported {
        self.found.push((span, sentence.to_string()));
        Reported(())
    }

    pub(crate) fn push_fault(&mut self, span: Span, fault: &Fault) -> Reported {
        self.push(span, fault.with_mark())
    }

    /// One `compile_error!` for each fault; `None` where there is none.
    pub(crate) fn finish(mut self) -> Option<TokenStream> {
        self.is_finished = true;
        let errors = self.found.iter().map(|(span, sentence)| compile_error(*span, sentence));
        (!self.found.is_empty()).then(|| errors.collect())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(self.is_finished || std::thread::panicking(), "faults were dropped unread");
    }
}

pub(crate) fn compile_error(span: Span, sentence: &str) -> TokenStream {
    quote_spanned! { span => ::core::compile_error! { #sentence } }
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
