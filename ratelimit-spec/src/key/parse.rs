//! Reading a key: words, `+`, `|` and parentheses.

use super::{Key, Request, Source, Word};
use crate::{Argument, Fault, suggest::nearest};
use core::{fmt, ops::Range};
use std::borrow::Cow;

/// Words of a request that stand alone.
const PLAIN: &[(&str, Request)] = &[
    ("ip", Request::Ip),
    ("user", Request::User),
    ("tenant", Request::Tenant),
    ("api_key", Request::ApiKey),
    ("method", Request::Method),
    ("path", Request::Path),
];

/// Words of a request that take a name, `header:NAME`.
const NAMED: &[&str] = &["path", "query", "header", "cookie"];

/// How deep parentheses may go; a key has a handful of words.
const DEEPEST: usize = 8;

pub(super) fn parse(text: &str, parameters: &[&str]) -> Result<Key, Fault> {
    let mut parser = Parser { text, at: 0, parameters, slots: Vec::new(), depth: 0 };
    if text.trim().is_empty() {
        return Err(parser.fault(0..text.len(), format!("empty, write who is counted: {}", parser.known())));
    }
    let key = parser.alternatives()?;
    if parser.peek() == Some(')') {
        return Err(parser.fault(parser.at..parser.at + 1, "a `)` that closes nothing, remove it"));
    }
    if key != Key::Global && has_global(&key) {
        let start = text.find("global").unwrap_or(0);
        let sentence =
            "`global` is one bucket for all, so nothing can stand beside it, write it alone or leave it out";
        return Err(parser.fault(start..start + "global".len(), sentence));
    }
    Ok(key)
}

fn has_global(key: &Key) -> bool {
    match key {
        Key::Global => true,
        Key::Word(_) => false,
        Key::All(parts) | Key::First(parts) => parts.iter().any(has_global),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    parameters: &'a [&'a str],
    /// The distinct parameter words so far; a word's slot is its place.
    slots: Vec<&'a str>,
    depth: usize,
}

/// One word, or parts that were joined with one operator.
struct Joined {
    operator: Option<char>,
    parts: Vec<Key>,
}

impl<'a> Parser<'a> {
    /// Parts joined with one operator, up to a `)` or the end.
    fn alternatives(&mut self) -> Result<Key, Fault> {
        let start = self.at;
        let mut joined = Joined { operator: None, parts: Vec::new() };
        loop {
            joined.parts.push(self.part(joined.operator)?);
            let operator_at = self.skip_blanks();
            match self.peek() {
                None | Some(')') => break,
                Some(operator @ ('+' | '|')) => {
                    if joined.operator.is_some_and(|before| before != operator) {
                        return Err(self.mixed(start));
                    }
                    joined.operator = Some(operator);
                    self.at += 1;
                }
                Some(_) => {
                    let sentence = "two words without an operator, write `+` to count both together or `|` for the \
                                    first that is present";
                    return Err(self.fault(operator_at..self.text.len(), sentence));
                }
            }
        }
        let Joined { operator, mut parts } = joined;
        Ok(match operator {
            Some('+') => Key::All(Cow::Owned(parts)),
            Some(_) => Key::First(Cow::Owned(parts)),
            None => parts.pop().unwrap_or(Key::Global),
        })
    }

    /// A word, or what stands in parentheses.
    fn part(&mut self, before: Option<char>) -> Result<Key, Fault> {
        let start = self.skip_blanks();
        match self.peek() {
            Some('(') => {
                if self.depth == DEEPEST {
                    return Err(self.fault(start..start + 1, "parentheses too deep, a key has a few words"));
                }
                self.depth += 1;
                self.at += 1;
                let key = self.alternatives()?;
                if self.peek() != Some(')') {
                    return Err(self
                        .fault(start..start + 1, "a `(` that is not closed, write a `)` behind its words"));
                }
                self.at += 1;
                self.depth -= 1;
                Ok(key)
            }
            None | Some('+' | '|' | ')') => {
                let (at, sentence) = match before {
                    Some(operator) => {
                        let at = self.text.get(..start).and_then(|text| text.rfind(operator)).unwrap_or(0);
                        (at, format!("no word behind `{operator}`, write one or remove the `{operator}`"))
                    }
                    None => {
                        let operator = self.peek().unwrap_or('+');
                        (
                            start,
                            format!("no word in front of `{operator}`, write one or remove the `{operator}`"),
                        )
                    }
                };
                Err(self.fault(at..at + 1, sentence))
            }
            Some(_) => self.word(start),
        }
    }

    fn word(&mut self, start: usize) -> Result<Key, Fault> {
        let rest = self.text.get(start..).unwrap_or_default();
        let end = rest
            .find(|c: char| c.is_whitespace() || "+|()".contains(c))
            .map_or(self.text.len(), |n| start + n);
        let word = self.text.get(start..end).unwrap_or_default();
        self.at = end;
        self.look_up(word, start..end)
    }

    fn look_up(&mut self, word: &'a str, place: Range<usize>) -> Result<Key, Fault> {
        let root = word.split('.').next().unwrap_or(word);
        if self.parameters.contains(&root) {
            return self.parameter(word, place);
        }
        if word == "global" {
            return Ok(Key::Global);
        }
        let asked = word.strip_prefix("request.").unwrap_or(word);
        let source = match asked.split_once(':') {
            Some((kind, name)) => self.named(kind, name, &place)?,
            None => PLAIN.iter().find(|(plain, _)| *plain == asked).map(|(_, request)| request.clone()),
        };
        match source {
            Some(request) => {
                let text = Cow::Owned(word.to_owned());
                Ok(Key::Word(Word { text, source: Source::Request(request) }))
            }
            None => Err(self.unknown(word, place)),
        }
    }

    /// A parameter or a field of one, `user.id`.
    fn parameter(&mut self, word: &'a str, place: Range<usize>) -> Result<Key, Fault> {
        let well_formed = |part: &str| {
            part.chars().all(|c| c.is_alphanumeric() || c == '_')
                && (part.starts_with(|c: char| c.is_alphabetic() || c == '_')
                    || !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
        };
        if !word.split('.').all(well_formed) {
            let sentence = format!(
                "`{word}` is no field of a parameter, write for example `user.id`; for a call, write the expression \
                 without quotes"
            );
            return Err(self.fault(place, sentence));
        }
        let slot = self.slots.iter().position(|known| *known == word).unwrap_or_else(|| {
            self.slots.push(word);
            self.slots.len() - 1
        });
        Ok(Key::Word(Word { text: Cow::Owned(word.to_owned()), source: Source::Parameter { slot } }))
    }

    /// `header:NAME` and its kind.
    fn named(&self, kind: &str, name: &str, place: &Range<usize>) -> Result<Option<Request>, Fault> {
        if !NAMED.contains(&kind) {
            return Ok(None);
        }
        if name.is_empty() {
            let sentence = format!("`{kind}:` misses a name, write for example `{kind}:{}`", example(kind));
            return Err(self.fault(place.clone(), sentence));
        }
        // A token of RFC 9110, as header and cookie names are.
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        let is_name = |c: char| !c.is_whitespace() && !"+|(){}\":=".contains(c) && !c.is_control();
        let legal = match kind {
            "header" | "cookie" => name.chars().all(is_token),
            _ => name.chars().all(is_name),
        };
        if !legal {
            let sentence = format!("`{}` is no name of a {kind} {}", name.escape_debug(), instead(kind));
            return Err(self.fault(place.clone(), sentence));
        }
        let name = || Cow::Owned(name.to_owned());
        Ok(Some(match kind {
            "path" => Request::PathParam(name()),
            "query" => Request::Query(name()),
            "cookie" => Request::Cookie(name()),
            _ => Request::Header(Cow::Owned(name().to_ascii_lowercase())),
        }))
    }

    fn unknown(&self, word: &str, place: Range<usize>) -> Fault {
        let bare = word.strip_prefix("request.").unwrap_or(word);
        let candidates = self
            .parameters
            .iter()
            .copied()
            .chain(PLAIN.iter().map(|(plain, _)| *plain))
            .chain(["global", "path:", "query:", "header:", "cookie:"]);
        let kind = bare.split_once(':').map_or(bare, |(kind, _)| kind);
        if let Some(name) = bare.strip_prefix(kind).and_then(|rest| rest.strip_prefix(':'))
            && let Some(meant) = nearest(kind, NAMED.iter().copied())
        {
            return self.fault(place, format!("no such word: `{word}`, write `{meant}:{name}`"));
        }
        if NAMED.contains(&bare) {
            return self.fault(place, format!("`{bare}` misses a name, write `{bare}:{}`", example(bare)));
        }
        let root = bare.split('.').next().unwrap_or(bare);
        let known = self.known();
        match nearest(root, candidates) {
            Some(meant) => {
                let fields = bare.strip_prefix(root).unwrap_or_default();
                let fields = if self.parameters.contains(&meant) { fields } else { "" };
                self.fault(
                    place,
                    format!("no such word: `{word}`, write `{meant}{fields}`; there are {known}"),
                )
            }
            None => self.fault(place, format!("no such word: `{}`, there are {known}", word.escape_debug())),
        }
    }

    /// What can stand in a key.
    fn known(&self) -> String {
        let vocabulary = "of a request `ip`, `user`, `tenant`, `api_key`, `method`, `path`, `path:NAME`, `query:NAME`, \
                          `header:NAME`, `cookie:NAME`, and `global`";
        if self.parameters.is_empty() {
            return vocabulary.to_owned();
        }
        let parameters: Vec<String> = self.parameters.iter().map(|name| format!("`{name}`")).collect();
        format!("the parameters {}, {vocabulary}", parameters.join(", "))
    }

    /// `+` beside `|`: both ways to read it.
    fn mixed(&self, start: usize) -> Fault {
        let end =
            self.text.get(start..).and_then(|rest| rest.find(')')).map_or(self.text.len(), |n| start + n);
        let part = self.text.get(start..end).unwrap_or_default();
        let group = |outer: char, inner: char| {
            let pieces: Vec<String> = part
                .split(outer)
                .map(|piece| {
                    let piece = piece.trim();
                    if piece.contains(inner) { format!("({piece})") } else { piece.to_owned() }
                })
                .collect();
            pieces.join(&format!(" {outer} "))
        };
        let sentence = format!(
            "`+` and `|` side by side can be read in two ways, write `{}` or `{}`",
            group('+', '|'),
            group('|', '+')
        );
        self.fault(start..end, sentence)
    }

    fn skip_blanks(&mut self) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn fault(&self, at: Range<usize>, sentence: impl fmt::Display) -> Fault {
        Fault::new(Argument::Key, sentence).at(self.text, at)
    }
}

fn example(kind: &str) -> &'static str {
    match kind {
        "path" => "id",
        "query" => "page",
        "cookie" => "session",
        _ => "x-tenant",
    }
}

fn instead(kind: &str) -> String {
    match kind {
        "header" | "cookie" => {
            format!("(letters, digits and `-`), write for example `{kind}:{}`", example(kind))
        }
        _ => format!("(no blanks, braces, `:` or `=`), write for example `{kind}:{}`", example(kind)),
    }
}
