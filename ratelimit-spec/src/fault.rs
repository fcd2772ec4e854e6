//! A mistake in a limit, with the sentence that explains it.

use crate::Argument;
use core::{fmt, ops::Range};

/// One mistake in what a limit says.
///
/// Its sentence names the argument, says what is wrong and offers the text to type:
/// `` `rate`: no such period `mn`, write `min` ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    argument: Argument,
    sentence: String,
    /// The text that was read, and the bytes of it that are wrong.
    place: Option<(String, Range<usize>)>,
}

impl Fault {
    /// A fault of the argument as a whole. `sentence` is what follows the argument's name.
    pub fn new(argument: Argument, sentence: impl fmt::Display) -> Fault {
        Fault { argument, sentence: format!("`{}`: {sentence}", argument.word()), place: None }
    }

    /// The same fault, pointing at some bytes of the text that was read.
    pub fn at(mut self, text: &str, bytes: Range<usize>) -> Fault {
        self.place = Some((text.to_owned(), bytes));
        self
    }

    /// The argument that the fault stands in.
    pub fn argument(&self) -> Argument {
        self.argument
    }

    /// The sentence, and below it the text that was read with a mark under the part that is wrong.
    ///
    /// For diagnostics that are shown in a terminal; the marks are left out where they would say nothing.
    pub fn with_mark(&self) -> String {
        todo!()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for Fault {}
