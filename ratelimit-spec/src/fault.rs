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
        let Some((text, bytes)) = &self.place else { return self.sentence.clone() };
        let columns = |part: Option<&str>| part.map_or(0, |part| part.chars().count());
        let (before, marked) = (columns(text.get(..bytes.start)), columns(text.get(bytes.clone())));
        // A mark under everything, or under a text that does not stand on one line, says nothing.
        if text.is_empty() || text.chars().any(char::is_control) || marked == text.chars().count() {
            return self.sentence.clone();
        }
        format!("{}\n  {text}\n  {:before$}{}", self.sentence, "", "^".repeat(marked.max(1)))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::Fault;
    use crate::Argument;

    #[test]
    fn mark_stands_under_the_part_that_is_wrong() {
        let fault = Fault::new(Argument::Rate, "no such period: `mn`, write `min`").at("100/mn", 4..6);
        assert_eq!(fault.with_mark(), "`rate`: no such period: `mn`, write `min`\n  100/mn\n      ^^",);
    }

    #[test]
    fn mark_counts_letters_not_bytes_and_is_left_out_under_everything() {
        assert!(
            Fault::new(Argument::Key, "x").at("ä + mn", 5..7).with_mark().ends_with("\n  ä + mn\n      ^^")
        );
        assert_eq!(Fault::new(Argument::Key, "x").at("mn", 0..2).with_mark(), "`key`: x");
    }
}
