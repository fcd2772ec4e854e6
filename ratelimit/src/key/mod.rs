//! Who is counted: the one function that builds stored keys, and what it reads from.
//!
//! A stored key reads `rl:{3fa9}:name:algorithm[:period]:label=value…`. Different limits, labels, kinds of value and
//! values never make the same key ([`write`](fn@write) says why), its length is bounded whatever a client sends, and
//! nothing that a client sends can reach the hash tag between the braces, which chooses the slot in a Redis Cluster. The
//! tag is a checksum of what follows it, or of one value that the limit names.

mod encode;
mod part;
mod request;
mod values;

pub use part::{ByDisplay, KeyPart, Part, Slot, ViaDisplay, ViaKeyPart, ViaNothing};
pub(crate) use request::{Client, read_request};
pub(crate) use values::Values;

use crate::limit::Limit;
use core::ops::Range;
use encode::{label, tag};
use ratelimit_spec::{Key, Source, Word};
use smallvec::SmallVec;

/// A stored key; ordinary ones need no allocation.
pub(crate) type KeyBuf = SmallVec<[u8; 192]>;

/// Bytes of a key in front of the limit's stem, but for the prefix: the hash tag.
pub(crate) const FRAME: usize = TAG.len();
const TAG: &[u8; 7] = b"{0000}:";

/// The word of a key that has no value, in a call that has no client's address to fall back to.
#[derive(Debug)]
pub(crate) struct Missing<'k>(pub(crate) &'k Word);

/// Writes the stored key of a limit for these values. Every key of every store comes from here.
///
/// No two (name, algorithm, period, labels, values) make the same key. Values and labels are encoded so that neither
/// holds a `=` and a value holds a `:` only where it is an address, whose groups are no label. So the key can be read from its end:
/// `label=value` pairs first, then the period where there is one (it starts with a digit), then one of five words, and
/// the rest is the name.
pub(crate) fn write<'k>(
    out: &mut KeyBuf,
    prefix: &str,
    limit: &'k Limit,
    values: &Values,
    client: Option<Client>,
) -> Result<(), Missing<'k>> {
    out.extend_from_slice(prefix.as_bytes());
    let tag_at = out.len() + 1;
    out.extend_from_slice(TAG);
    let body_at = out.len();
    out.extend_from_slice(limit.stem().as_bytes());
    let colocate = limit.facts().colocate.as_deref();
    let mut writer = Writer { out, values, client, next_request: 0, colocate, colocated: None };
    writer.required(limit.key())?;
    // The tag spreads keys over the slots of a cluster, and companions of a key share it.
    let tagged = writer.colocated.unwrap_or(body_at..out.len());
    let digits = tag(out.get(tagged).unwrap_or_default());
    if let Some(place) = out.get_mut(tag_at..tag_at + digits.len()) {
        place.copy_from_slice(&digits);
    }
    Ok(())
}

struct Writer<'a> {
    out: &'a mut KeyBuf,
    values: &'a Values,
    client: Option<Client>,
    /// Request words are numbered in written order.
    next_request: usize,
    /// The word whose value chooses the slot, and where its value was written.
    colocate: Option<&'a str>,
    colocated: Option<Range<usize>>,
}

impl Writer<'_> {
    /// A part that must be there: one that is not falls back to the client's address, under a mark of its own.
    fn required<'k>(&mut self, key: &'k Key) -> Result<(), Missing<'k>> {
        match key {
            Key::Global => {
                self.out.extend_from_slice(b":global");
                Ok(())
            }
            Key::All(parts) => parts.iter().try_for_each(|part| self.required(part)),
            Key::Word(word) => {
                let start = self.out.len();
                self.present(key).or_else(|_| self.fall_back(word))?;
                if self.colocate.is_some_and(|colocate| word.text == colocate) {
                    // Limits may call the same value by different words.
                    self.colocated = Some(self.value_from(start)..self.out.len());
                }
                Ok(())
            }
            Key::First(_) => self.present(key).or_else(|missing| self.fall_back(missing.0)),
        }
    }

    /// A part if it is there; what was written of it is taken back if it is not.
    fn present<'k>(&mut self, key: &'k Key) -> Result<(), Missing<'k>> {
        let start = self.out.len();
        let outcome = match key {
            Key::Global => {
                self.out.extend_from_slice(b":global");
                Ok(())
            }
            Key::Word(word) => self.word(word),
            Key::All(parts) => {
                // Every part is walked, so that the request words behind a missing one keep their numbers.
                let mut outcome = Ok(());
                for part in parts.iter() {
                    outcome = outcome.and(self.present(part));
                }
                outcome
            }
            Key::First(choices) => self.first(choices),
        };
        if outcome.is_err() {
            self.out.truncate(start);
        }
        outcome
    }

    fn first<'k>(&mut self, choices: &'k [Key]) -> Result<(), Missing<'k>> {
        let mut outcome: Option<Result<(), Missing<'k>>> = None;
        for choice in choices {
            let written = self.out.len();
            let this = self.present(choice);
            match (&outcome, this) {
                // The first that is present stands; later ones are walked for their numbers alone.
                (Some(Ok(())), _) => self.out.truncate(written),
                (_, Ok(())) => outcome = Some(Ok(())),
                (None, missing) => outcome = Some(missing),
                (Some(Err(_)), Err(_)) => {}
            }
        }
        outcome.unwrap_or(Ok(()))
    }

    fn word<'k>(&mut self, word: &'k Word) -> Result<(), Missing<'k>> {
        let value = match word.source {
            Source::Parameter { slot } => self.values.parameter(slot),
            Source::Request(_) => {
                self.next_request += 1;
                self.values.request(self.next_request - 1)
            }
        };
        let value = value.ok_or(Missing(word))?;
        self.label(word);
        self.out.push(b'=');
        self.out.extend_from_slice(value);
        Ok(())
    }

    /// Nobody shares an anonymous bucket with everybody, and nobody passes unlimited.
    fn fall_back<'k>(&mut self, word: &'k Word) -> Result<(), Missing<'k>> {
        let client = self.client.ok_or(Missing(word))?;
        self.label(word);
        client.write_fallback(self.out);
        Ok(())
    }

    /// Where the value of a part begins that was written from there.
    fn value_from(&self, start: usize) -> usize {
        let part = self.out.get(start..).unwrap_or_default();
        part.iter().position(|byte| *byte == b'=').map_or(start, |at| start + at)
    }

    fn label(&mut self, word: &Word) {
        self.out.push(b':');
        label(self.out, &word.text);
    }
}

#[cfg(test)]
mod tests;
