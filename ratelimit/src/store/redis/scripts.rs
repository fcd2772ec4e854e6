//! The scripts, put together from the files in `lua/`, each with the head that reads the server's clock.
//!
//! The first comment of a script is its contract; a test reads it and holds it against what [`command`](super::command)
//! sends and understands.

use super::command::By;

/// Reads the server's time: the only text of a script that a test replaces.
pub(super) const TIME: &str = include_str!("lua/_time.lua");

/// One walk over all charges. The algorithms stand inside its loop, `take.lua` closes it and writes.
pub(super) const DECIDE: &str = concat!(
    include_str!("lua/decide.lua"),
    include_str!("lua/fixed_window.lua"),
    include_str!("lua/sliding_window.lua"),
    include_str!("lua/token_bucket.lua"),
    include_str!("lua/leaky_bucket.lua"),
    include_str!("lua/sliding_log.lua"),
    include_str!("lua/concurrency.lua"),
    include_str!("lua/take.lua"),
);

/// Corrects charges to what they cost in the end.
pub(super) const SETTLE: &str = include_str!("lua/settle.lua");

/// Lengthens leases.
pub(super) const RENEW: &str = include_str!("lua/renew.lua");

/// A text that the server runs, and the name it knows it by.
///
/// Not `redis::Script`: that one answers a lost script with a load and a second call, three round trips, where one
/// `EVAL` does both.
pub(super) struct Script {
    text: String,
    sha: String,
}

impl Script {
    pub(super) fn new(head: &str, body: &str) -> Script {
        let text = format!("{head}\n{body}");
        let sha = ::redis::Script::new(&text).get_hash().to_owned();
        Script { text, sha }
    }

    /// How it is named in a command: by its text, or by the hash that a server knows which has seen the text.
    pub(super) fn by(&self, text: bool) -> By<'_> {
        if text { By::Text(&self.text) } else { By::Sha(&self.sha) }
    }
}
