//! The key language: who is counted.

mod parse;

use crate::{Argument, Fault, nearest};
use core::fmt;
use std::borrow::Cow;

/// Who is counted: words joined with `+`, alternatives with `|`.
///
/// Built by [`Key::parse`], or written as a constant by the attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// One bucket for all: the word `global`.
    Global,
    /// One word.
    Word(Word),
    /// All of them, joined with `+`; missing as soon as one is.
    All(Cow<'static, [Key]>),
    /// The first that is present, written with `|`.
    First(Cow<'static, [Key]>),
}

/// One word of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word as written (`user`, `user.id`, `header:x-tenant`): the label in the stored key.
    pub text: Cow<'static, str>,
    /// Where its value comes from.
    pub source: Source,
}

/// Where the value of a word comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The function's parameter (or a field of it); `slot` numbers the distinct parameter words of a key from zero.
    Parameter {
        /// The place of its value among the values that the caller hands in.
        slot: usize,
    },
    /// The request.
    Request(Request),
}

/// What a key can ask of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// The client's address.
    Ip,
    /// The user that the application vouches for.
    User,
    /// The tenant that the application vouches for.
    Tenant,
    /// The API key that the application vouches for.
    ApiKey,
    /// The method.
    Method,
    /// The matched route.
    Path,
    /// `path:NAME`: a segment of the matched route.
    PathParam(Cow<'static, str>),
    /// `query:NAME`: a value of the query string.
    Query(Cow<'static, str>),
    /// `header:NAME`: a header, its name in lower case.
    Header(Cow<'static, str>),
    /// `cookie:NAME`: a cookie.
    Cookie(Cow<'static, str>),
}

impl Key {
    /// Reads a key. A word is first looked up among `parameters` (the text before its first dot), then among the words
    /// of a request; `request.user` forces the request.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that points at the word that is wrong and says what to write instead.
    pub fn parse(text: &str, parameters: &[&str]) -> Result<Key, Fault> {
        parse::parse(text, parameters)
    }

    /// The fault of a limit without a key.
    pub fn missing() -> Fault {
        Fault::new(
            Argument::Key,
            "missing, write who is counted, for example `key = \"user\"`, or `key = \"global\"`",
        )
    }

    /// Every word, in written order; a word written twice comes twice.
    pub fn words(&self) -> Vec<&Word> {
        let mut words = Vec::new();
        self.collect(&mut words);
        words
    }

    fn collect<'k>(&'k self, words: &mut Vec<&'k Word>) {
        match self {
            Key::Global => {}
            Key::Word(word) => words.push(word),
            Key::All(parts) | Key::First(parts) => parts.iter().for_each(|part| part.collect(words)),
        }
    }

    /// Whether a word can choose the slot of a cluster: a part that every key of the limit has.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that lists those that can.
    pub fn check_colocate(&self, text: &str) -> Result<(), Fault> {
        let parts = match self {
            Key::All(parts) => parts,
            whole => core::slice::from_ref(whole),
        };
        let words: Vec<&str> = parts
            .iter()
            .filter_map(|part| match part {
                Key::Word(word) => Some(&*word.text),
                _ => None,
            })
            .collect();
        if words.contains(&text) {
            return Ok(());
        }
        let shown = text.escape_debug();
        let sentence = match nearest(text, words.iter().copied()) {
            _ if words.is_empty() => {
                format!("no part of the key `{self}` is in every call, leave out `colocate`")
            }
            Some(meant) => format!("the key has no part `{shown}`, write `{meant}`"),
            None if self.words().iter().any(|word| word.text == text) => {
                format!("`{shown}` is not in every call, write a part that is: `{}`", words.join("`, `"))
            }
            None => {
                format!("the key has no part `{shown}`, write one of its parts: `{}`", words.join("`, `"))
            }
        };
        Err(Fault::new(Argument::Colocate, sentence).at(text, 0..text.len()))
    }

    /// Whether some word asks the request.
    pub fn needs_request(&self) -> bool {
        self.asks(|_| true)
    }

    /// Whether some word asks the request for something that `is_asked` names.
    pub fn asks(&self, is_asked: fn(&Request) -> bool) -> bool {
        match self {
            Key::Global | Key::Word(Word { source: Source::Parameter { .. }, .. }) => false,
            Key::Word(Word { source: Source::Request(request), .. }) => is_asked(request),
            Key::All(parts) | Key::First(parts) => parts.iter().any(|part| part.asks(is_asked)),
        }
    }

    /// Whether some word asks a parameter.
    pub fn needs_parameters(&self) -> bool {
        self.words().iter().any(|w| matches!(w.source, Source::Parameter { .. }))
    }
}

/// Prints the canonical form, which parses to the same key.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Key], between: &str| {
            parts.iter().enumerate().try_for_each(|(at, part)| {
                f.write_str(if at > 0 { between } else { "" })?;
                match part {
                    Key::Global | Key::Word(_) => write!(f, "{part}"),
                    Key::All(_) | Key::First(_) => write!(f, "({part})"),
                }
            })
        };
        match self {
            Key::Global => f.write_str("global"),
            Key::Word(word) => f.write_str(&word.text),
            Key::All(parts) => list(f, parts, " + "),
            Key::First(parts) => list(f, parts, " | "),
        }
    }
}

#[cfg(test)]
mod tests;
