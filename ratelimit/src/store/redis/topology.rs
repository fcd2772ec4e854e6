//! Who serves which slots, as a node of a cluster or a sentinel says.

use super::slot::SLOTS;
use ::redis::{Cmd, Value};
use core::{fmt, ops::RangeInclusive};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

/// Slots, and the primary that serves them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) slots: RangeInclusive<u16>,
    pub(super) primary: Address,
}

/// What one of those that are asked says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) ranges: Vec<Range>,
    /// Of several answers the one with the highest is the latest; a sentinel hears of a failover seconds after another.
    pub(super) epoch: u64,
}

/// Whom is asked, and how.
#[derive(Clone, Debug)]
pub(super) enum Question {
    /// Any node of a cluster.
    Slots,
    /// Any sentinel, for the primary of that name.
    Primary(String),
}

impl Address {
    /// From `host:port`, as an error and the client write it; an address of IPv6 has colons of its own. A node that does not know
    /// by which name it was reached leaves it out.
    pub(super) fn read(text: &str, asked: &Address) -> Option<Address> {
        let (host, port) = text.rsplit_once(':')?;
        Some(Address { host: known(host, asked), port: port.parse().ok()? })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

/// The name that a server gives, or that it was reached by if it does not know its own.
fn known(host: &str, asked: &Address) -> String {
    match host {
        "" | "?" => asked.host.clone(),
        host => host.trim_start_matches('[').trim_end_matches(']').to_owned(),
    }
}

impl Question {
    /// What is asked, in a word.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Question::Slots => "Cluster",
            Question::Primary(_) => "Sentinel",
        }
    }

    pub(super) fn command(&self) -> Cmd {
        let mut command = Cmd::new();
        match self {
            Question::Slots => command.arg("CLUSTER").arg("SLOTS"),
            Question::Primary(name) => command.arg("SENTINEL").arg("MASTER").arg(name),
        };
        command
    }

    /// Whether one answer is as good as another.
    pub(super) fn first_answer_counts(&self) -> bool {
        matches!(self, Question::Slots)
    }

    /// Reads an answer; `asked` is who gave it.
    pub(super) fn read(&self, answer: &Value, asked: &Address) -> Result<Said, &'static str> {
        match self {
            Question::Slots => {
                let ranges = slots(answer, asked).ok_or("what the node says of its slots cannot be read")?;
                Ok(Said { ranges, epoch: 0 })
            }
            Question::Primary(_) => primary(answer, asked).ok_or("what the sentinel says cannot be read"),
        }
    }
}

/// `[[first, last, [host, port, ..], replica ..], ..]`
fn slots(answer: &Value, asked: &Address) -> Option<Vec<Range>> {
    list(answer)?
        .iter()
        .map(|range| {
            let [first, last, primary, ..] = list(range)? else { return None };
            let (first, last) = (number(first)?, number(last)?);
            (first <= last && last < SLOTS)
                .then_some(())
                .and_then(|()| Some(Range { slots: first..=last, primary: address(primary, asked)? }))
        })
        .collect()
}

/// `[name, value, name, value, ..]`, or a map of them.
fn primary(answer: &Value, asked: &Address) -> Option<Said> {
    let pairs: Vec<(&Value, &Value)> = match answer {
        Value::Map(pairs) => pairs.iter().map(|(name, value)| (name, value)).collect(),
        answer => {
            list(answer)?.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.last()?))).collect()
        }
    };
    let field =
        |asked: &str| pairs.iter().find(|(name, _)| text(name) == Some(asked)).map(|(_, value)| *value);
    let host = known(text(field("ip")?)?, asked);
    let primary = Address { host, port: number(field("port")?)? };
    let epoch = text(field("config-epoch")?)?.parse().ok()?;
    Some(Said { ranges: vec![Range { slots: 0..=SLOTS - 1, primary }], epoch })
}

/// `[host, port, ..]`
fn address(value: &Value, asked: &Address) -> Option<Address> {
    let [host, port, ..] = list(value)? else { return None };
    let host = match host {
        Value::Nil => "",
        host => text(host)?,
    };
    Some(Address { host: known(host, asked), port: number(port)? })
}

fn list(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(values) => Some(values),
        _ => None,
    }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => core::str::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}

fn number(value: &Value) -> Option<u16> {
    match value {
        Value::Int(number) => u16::try_from(*number).ok(),
        value => text(value)?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, Question, Range, Said};
    use redis::Value;

    fn text(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    fn address(host: &str, port: u16) -> Address {
        Address { host: host.to_owned(), port }
    }

    #[test]
    fn slots_are_read_with_names_that_are_left_out() {
        let node = |host, port| Value::Array(vec![host, Value::Int(port), text("id"), Value::Array(vec![])]);
        let range = |first, last, primary| {
            Value::Array(vec![Value::Int(first), Value::Int(last), primary, node(text("replica"), 1)])
        };
        let asked = address("seed", 7_000);
        let answer = Value::Array(vec![
            range(0, 8_191, node(text("10.0.0.1"), 7_000)),
            range(8_192, 16_382, node(text(""), 7_001)),
            range(16_383, 16_383, node(Value::Nil, 7_002)),
        ]);
        let expected = [
            Range { slots: 0..=8_191, primary: address("10.0.0.1", 7_000) },
            Range { slots: 8_192..=16_382, primary: address("seed", 7_001) },
            Range { slots: 16_383..=16_383, primary: address("seed", 7_002) },
        ];
        assert_eq!(Question::Slots.read(&answer, &asked).unwrap().ranges, expected);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let asked = address("seed", 7_000);
        let range = |first, last| Value::Array(vec![Value::Array(vec![Value::Int(first), Value::Int(last)])]);
        for answer in
            [Value::Okay, Value::Array(vec![Value::Nil]), range(0, 1), range(5, 1), range(0, 16_384)]
        {
            assert!(Question::Slots.read(&answer, &asked).is_err(), "{answer:?}");
        }
        assert!(Question::Primary("mine".to_owned()).read(&Value::Nil, &asked).is_err());
    }

    #[test]
    fn sentinels_name_one_primary_for_all() {
        let fields = ["name", "mine", "ip", "10.0.0.7", "port", "6379", "config-epoch", "12", "quorum", "2"];
        let answer = Value::Array(fields.map(text).to_vec());
        let pairs = fields.chunks(2).map(|pair| (text(pair[0]), text(pair[1])));
        let primary = address("10.0.0.7", 6_379);
        let expected = Said { ranges: vec![Range { slots: 0..=16_383, primary }], epoch: 12 };
        for answer in [answer, Value::Map(pairs.collect())] {
            let said = Question::Primary("mine".to_owned()).read(&answer, &address("sentinel", 26_379));
            assert_eq!(said.unwrap(), expected);
        }
    }

    #[test]
    fn redirections_may_leave_the_name_out() {
        let asked = address("seed", 7_000);
        let read = |text| Address::read(text, &asked);
        assert_eq!(read("10.0.0.1:7001"), Some(address("10.0.0.1", 7_001)));
        assert_eq!(read(":7001"), Some(address("seed", 7_001)));
        assert_eq!(read("::1:7001"), Some(address("::1", 7_001)));
        assert_eq!(read("nonsense"), None);
    }
}
