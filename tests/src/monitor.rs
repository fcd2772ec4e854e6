//! What a server is sent, as `MONITOR` shows it.

use crate::RedisServer;
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Duration,
};

/// Watches a server from [`Monitor::start`] to [`Monitor::finish`].
#[derive(Debug)]
pub struct Monitor<'s> {
    server: &'s RedisServer,
    lines: BufReader<TcpStream>,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Whether a script ran it, and no client.
    pub of_script: bool,
    /// The command and its arguments; what is no printable text is escaped as the server escapes it.
    pub words: Vec<String>,
}

/// The last command of a watch, which only this kit sends.
const LAST: &str = "monitor:last";

impl<'s> Monitor<'s> {
    /// Begins to watch.
    ///
    /// # Panics
    ///
    /// If the server does not answer.
    #[allow(clippy::expect_used, reason = "a test kit fails loudly")]
    pub fn start(server: &'s RedisServer) -> Monitor<'s> {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port())).expect("redis-server answers");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a read timeout");
        stream.write_all(b"MONITOR\r\n").expect("a connection");
        let mut lines = BufReader::new(stream);
        let mut ok = String::new();
        lines.read_line(&mut ok).expect("a reply");
        assert_eq!(ok, "+OK\r\n");
        Monitor { server, lines }
    }

    /// What was sent up to now; connecting is left out.
    ///
    /// # Panics
    ///
    /// If the server does not answer.
    #[allow(clippy::expect_used, reason = "a test kit fails loudly")]
    pub fn finish(self) -> Vec<Line> {
        let _: String = self.server.ask(redis::cmd("ECHO").arg(LAST));
        let mut lines = Vec::new();
        for line in self.lines.lines() {
            let line = Line::parse(&line.expect("a line of MONITOR"));
            if line.words.last().is_some_and(|word| word == LAST) {
                break;
            }
            if !matches!(line.verb(), "CLIENT" | "HELLO") {
                lines.push(line);
            }
        }
        lines
    }
}

impl Line {
    /// The command, in upper case.
    pub fn verb(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// `+1700000000.123456 [0 127.0.0.1:1234] "get" "key"`, or `[0 lua]` for a script's own.
    fn parse(line: &str) -> Line {
        let (source, mut rest) =
            line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).unwrap_or(("", line));
        let mut words = Vec::new();
        while let Some((_, quoted)) = rest.split_once('"') {
            let mut escaped = false;
            let end = quoted.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let (word, behind) = quoted.split_at(end.unwrap_or(quoted.len()));
            words.push(word.to_owned());
            rest = behind.get(1..).unwrap_or_default();
        }
        if let Some(verb) = words.first_mut() {
            verb.make_ascii_uppercase();
        }
        Line { of_script: source.ends_with("lua"), words }
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn line_is_told_by_its_source_and_split_at_its_quotes() {
        let line = Line::parse(r#"+1700000000.123456 [0 127.0.0.1:50000] "set" "a \"b\\" "\x00 c""#);
        assert_eq!((line.of_script, line.verb()), (false, "SET"));
        assert_eq!(line.words[1..], [r#"a \"b\\"#, r"\x00 c"]);
        assert!(Line::parse(r#"+1700000000.123456 [0 lua] "get" "k""#).of_script);
    }
}
