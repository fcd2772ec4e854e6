//! The compile-fail cases as data: what was written, and what the compiler says of it.

use std::{fs, path::Path};

/// One file of `ui/fail`.
pub(crate) struct Case {
    /// Its name, `rate_month`.
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) errors: Vec<Said>,
}

/// One error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// `E0277`, where it is one of the compiler's own kind.
    pub(crate) code: Option<String>,
    /// The first line of its text.
    pub(crate) sentence: String,
    /// Where it is shown, from 1.
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Where the cases are, whatever the working directory.
pub(crate) fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/ui/fail"))
}

/// All of them, by name.
pub(crate) fn read() -> Vec<Case> {
    let mut cases: Vec<Case> = fs::read_dir(folder())
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let text =
                |path: &Path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            Case { name, source: text(&path), errors: errors(&text(&path.with_extension("stderr"))) }
        })
        .collect();
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    cases
}

/// The errors of what a compiler has printed.
fn errors(printed: &str) -> Vec<Said> {
    let mut errors = Vec::new();
    let mut lines = printed.lines();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("error") else { continue };
        let (kind, sentence) = rest.split_once(": ").expect("a kind and a sentence");
        let code = kind.strip_prefix('[').and_then(|code| code.strip_suffix(']'));
        let place = lines.by_ref().find_map(|line| line.trim_start().strip_prefix("--> ")).expect("a place");
        let mut numbers = place.rsplit(':').map(|number| number.parse().expect("a number"));
        let (column, line) = (numbers.next().expect("a column"), numbers.next().expect("a line"));
        errors.push(Said { code: code.map(str::to_owned), sentence: sentence.to_owned(), line, column });
    }
    errors
}

impl Case {
    /// The line that an error is shown at.
    pub(crate) fn line(&self, said: &Said) -> &str {
        self.source.lines().nth(said.line - 1).expect("a line of the source").trim()
    }
}
