//! Where an attribute stands, as numbers that tell it apart from others.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

/// Where an attribute stands: line, column, and how many stood at the same place before it in this compilation.
///
/// rustc gives all functions that one macro invocation writes the place of that invocation; this is the place inside
/// the macro, and the count tells repetitions apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) [u32; 3]);

/// How many attributes have been seen by file, line and column.
type Seen = HashMap<(String, usize, usize), u32>;

static SEEN: LazyLock<Mutex<Seen>> = LazyLock::new(Mutex::default);

impl Place {
    /// The place of the attribute that is being expanded.
    pub(crate) fn here() -> Place {
        let span = proc_macro::Span::call_site();
        Place::of(span.file(), span.line(), span.column())
    }

    /// Rises with every call for one place; a place of its own starts at zero, so that adding an attribute to a file
    /// does not change the others.
    pub(crate) fn of(file: String, line: usize, column: usize) -> Place {
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        let count = seen.entry((file, line, column)).or_default();
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let place = Place([number(line), number(column), *count]);
        *count = count.wrapping_add(1);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn repetitions_at_one_place_are_numbered() {
        let place = || Place::of("place.rs".to_owned(), 7, 5);
        assert_eq!([place(), place()], [Place([7, 5, 0]), Place([7, 5, 1])]);
        assert_eq!(Place::of("other.rs".to_owned(), 7, 5), Place([7, 5, 0]));
    }
}
