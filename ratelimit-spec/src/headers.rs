//! What responses say of a limit: which header fields, and how much of it.

use crate::{Argument, Fault, nearest};
use core::fmt;

/// The header fields that tell clients of a limit: any set of three families.
///
/// Written as words with `+` between them: `"structured + triple"` is the default, `"none"` is no field at all.
///
/// | word | fields |
/// |---|---|
/// | `structured`, `draft-11` | `RateLimit-Policy` and `RateLimit` of `draft-ietf-httpapi-ratelimit-headers-11` |
/// | `draft-12` | the same in the words of `-12`: `a`, `w`, and the cost as `c` |
/// | `triple` | `RateLimit-Limit`, `-Remaining` and `-Reset`, in seconds from now |
/// | `triple:unix` | the same, the reset in seconds since 1970 |
/// | `x` | `X-RateLimit-Limit`, `-Remaining` and `-Reset`, in seconds since 1970 |
/// | `x:seconds` | the same, the reset in seconds from now |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Headers {
    /// `RateLimit-Policy` and `RateLimit`.
    pub structured: Option<Dialect>,
    /// `RateLimit-Limit`, `-Remaining` and `-Reset`.
    pub triple: Option<Reset>,
    /// `X-RateLimit-Limit`, `-Remaining` and `-Reset`.
    pub x: Option<Reset>,
}

/// A revision of `draft-ietf-httpapi-ratelimit-headers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `"name";r=50;t=30`.
    Draft11,
    /// `"name";a=50;w=30;c=1`.
    Draft12,
}

/// How the time of a reset is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reset {
    /// In seconds from now.
    Seconds,
    /// In seconds since 1970-01-01 UTC.
    Unix,
}

/// How much of a limit clients are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Expose {
    /// All of it.
    #[default]
    Full,
    /// The policy, the limit and the reset, but not what is left.
    Reset,
    /// Nothing: a denial says when to come back, and not why.
    None,
}

impl Headers {
    /// No field.
    pub const NONE: Headers = Headers { structured: None, triple: None, x: None };
    /// `structured + triple`.
    pub const DEFAULT: Headers =
        Headers { structured: Some(Dialect::Draft11), triple: Some(Reset::Seconds), x: None };

    /// Reads the words.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that points at the word that is wrong and says what to write instead.
    pub fn parse(text: &str) -> Result<Headers, Fault> {
        const WORDS: [&str; 7] =
            ["structured", "draft-11", "draft-12", "triple", "triple:unix", "x", "x:seconds"];
        let fault = |at: usize, word: &str, sentence: String| {
            Err(Fault::new(Argument::Headers, sentence).at(text, at..at + word.len()))
        };
        if text.trim() == "none" {
            return Ok(Headers::NONE);
        }
        let mut headers = Headers::NONE;
        let mut start = 0;
        for part in text.split('+') {
            let word = part.trim();
            let at = start + part.len() - part.trim_start().len();
            start += part.len() + 1;
            let twice = match word {
                "structured" | "draft-11" => headers.structured.replace(Dialect::Draft11).is_some(),
                "draft-12" => headers.structured.replace(Dialect::Draft12).is_some(),
                "triple" => headers.triple.replace(Reset::Seconds).is_some(),
                "triple:unix" => headers.triple.replace(Reset::Unix).is_some(),
                "x" => headers.x.replace(Reset::Unix).is_some(),
                "x:seconds" => headers.x.replace(Reset::Seconds).is_some(),
                "" => {
                    let sentence = "a word is missing, write for example `structured + triple`, or `none`";
                    return fault(at, word, sentence.to_owned());
                }
                "none" => return fault(at, word, "`none` stands alone, leave it out".to_owned()),
                _ => {
                    let way_out = match nearest(word, WORDS) {
                        Some(meant) => format!("write `{meant}`"),
                        None => format!("write some of `{}`, or `none`", WORDS.join("`, `")),
                    };
                    return fault(at, word, format!("no such fields: `{}`, {way_out}", word.escape_debug()));
                }
            };
            if twice {
                return fault(
                    at,
                    word,
                    format!("`{word}` writes fields that are written already, leave out one"),
                );
            }
        }
        Ok(headers)
    }
}

impl Default for Headers {
    fn default() -> Self {
        Headers::DEFAULT
    }
}

/// The words, as they are read.
impl fmt::Display for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let structured = self.structured.map(|dialect| match dialect {
            Dialect::Draft11 => "draft-11",
            Dialect::Draft12 => "draft-12",
        });
        let triple = self.triple.map(|reset| match reset {
            Reset::Seconds => "triple",
            Reset::Unix => "triple:unix",
        });
        let x = self.x.map(|reset| match reset {
            Reset::Unix => "x",
            Reset::Seconds => "x:seconds",
        });
        let words: Vec<&str> = [structured, triple, x].into_iter().flatten().collect();
        if words.is_empty() { f.write_str("none") } else { f.write_str(&words.join(" + ")) }
    }
}

impl Expose {
    /// Every value, in the order in which messages list them.
    pub const ALL: &'static [Expose] = &[Expose::Full, Expose::Reset, Expose::None];

    /// The word that names it.
    pub const fn word(self) -> &'static str {
        match self {
            Expose::Full => "full",
            Expose::Reset => "reset",
            Expose::None => "none",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that lists the words.
    pub fn parse(text: &str) -> Result<Expose, Fault> {
        let all = "`full`, `reset` or `none`";
        crate::rule::one_of(Expose::ALL, Expose::word, text, (Argument::Expose, "value", all))
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Headers, Reset};

    #[test]
    fn words_name_the_families() {
        for (text, structured, triple, x) in [
            ("none", None, None, None),
            ("structured + triple", Some(Dialect::Draft11), Some(Reset::Seconds), None),
            (" draft-12+x ", Some(Dialect::Draft12), None, Some(Reset::Unix)),
            ("triple:unix + x:seconds", None, Some(Reset::Unix), Some(Reset::Seconds)),
        ] {
            let headers = Headers::parse(text).unwrap();
            assert_eq!(headers, Headers { structured, triple, x }, "{text}");
            assert_eq!(Headers::parse(&headers.to_string()).unwrap(), headers);
        }
    }

    #[test]
    fn mistakes_are_named_with_the_way_out() {
        for (text, sentence) in [
            ("", "`headers`: a word is missing, write for example `structured + triple`, or `none`"),
            ("triple +", "`headers`: a word is missing, write for example `structured + triple`, or `none`"),
            ("tripel", "`headers`: no such fields: `tripel`, write `triple`"),
            ("triple + none", "`headers`: `none` stands alone, leave it out"),
            (
                "draft-11 + draft-12",
                "`headers`: `draft-12` writes fields that are written already, leave out one",
            ),
        ] {
            assert_eq!(Headers::parse(text).unwrap_err().to_string(), sentence);
        }
        assert!(Headers::parse("github").unwrap_err().to_string().contains("write some of `structured`"));
    }
}
