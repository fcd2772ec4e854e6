//! What can be known without a server: the contracts, the commands and replies, what errors mean, what URLs say.

use super::{
    OpenError, Redis,
    command::{self, By},
    fault, scripts,
};
use crate::store::{Charge, FailureKind, Hold, Outcome, PermitId, Receipt, Settlement};
use ::redis::{Arg, Cmd, ErrorKind, RedisError, Value, parse_redis_value};
use core::time::Duration;
use ratelimit_spec::{Algorithm, Numbers};
use std::io;

const NUMBERS: Numbers =
    Numbers { algorithm: Algorithm::SlidingLog, tick: 1000, count: 11, period: 12, capacity: 13, slice: 14 };

fn charge(algorithm: Algorithm, max_delay: Option<Duration>) -> Charge<'static> {
    Charge { numbers: Numbers { algorithm, ..NUMBERS }, key: b"rl:key", cost: 5, max_delay, hold: None }
}

fn hold() -> Hold {
    Hold { permit: PermitId::new(), lease: Duration::from_secs(30) }
}

fn permit_key(hold: Hold) -> String {
    let id: String = hold.permit.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("rl:key#{id}")
}

/// What the header of a script says under a heading: name and unit of each numbered field.
fn fields(script: &str, heading: &str) -> Vec<(String, String)> {
    let header = script.lines().take_while(|line| line.starts_with("--"));
    let lines = header
        .skip_while(|line| !line.starts_with(&format!("-- {heading} ")))
        .enumerate()
        .take_while(|(at, line)| *at == 0 || line.starts_with("--   "));
    let text = lines.map(|(_, line)| line.trim_start_matches("--")).collect::<Vec<_>>().join(" ");
    let words: Vec<_> = text.split_whitespace().collect();
    let mut found = Vec::new();
    for at in 0..words.len() {
        let next = (found.len() + 1).to_string();
        if words[at] == next && words.get(at + 2).is_some_and(|unit| unit.starts_with('(')) {
            let unit = words[at + 2].trim_matches(|c: char| !c.is_alphanumeric());
            found.push((words[at + 1].to_owned(), unit.to_owned()));
        }
    }
    found
}

fn arguments(command: &Cmd) -> Vec<String> {
    command
        .args_iter()
        .map(|argument| match argument {
            Arg::Simple(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            _ => panic!("an argument that is no text"),
        })
        .collect()
}

#[test]
fn every_script_says_what_it_promises_and_has_no_shebang() {
    for script in [scripts::DECIDE, scripts::SETTLE, scripts::RENEW] {
        for heading in ["KEYS", "ARGV", "RETURN", "CLOCK", "TTL", "ATOMIC"] {
            assert_eq!(script.matches(&format!("\n-- {heading} ")).count(), 1, "{heading}");
        }
        assert!(script.starts_with("-- ") && script.contains("\n-- CLOCK  server\n"));
    }
    assert!(scripts::TIME.contains("redis.call('TIME')") && !scripts::TIME.contains("ARGV"));
}

#[test]
fn decide_sends_what_its_header_says() {
    let said = fields(scripts::DECIDE, "ARGV");
    let longest = Some(Duration::from_micros(7_999)); // whole ticks, rounded down
    for (charge, extra) in [
        (charge(Algorithm::SlidingLog, longest), "14"),
        (charge(Algorithm::LeakyBucket, longest), "7"),
        (charge(Algorithm::LeakyBucket, Some(Duration::MAX)), "9007199254740992"),
        (charge(Algorithm::LeakyBucket, None), "-1"),
        (charge(Algorithm::TokenBucket, longest), "0"),
    ] {
        let algorithm = charge.numbers.algorithm.word();
        let sent = arguments(&command::decide(By::Sha("sha"), &[charge, charge]));
        assert_eq!(sent[..6], ["EVALSHA", "sha", "2", "rl:key", "rl:key", "2"]);
        let expected = [
            ("algorithm", "word", algorithm),
            ("tick", "us", "1000"),
            ("count", "units", "11"),
            ("period", "ticks", "12"),
            ("capacity", "units", "13"),
            ("cost", "units", "5"),
            ("extra", "ticks", extra),
        ];
        let (head, each) = said.split_at(1);
        assert_eq!(head, [("charges".to_owned(), "number".to_owned())]);
        assert_eq!(sent.len(), 6 + 2 * each.len());
        for (at, (name, unit, value)) in expected.into_iter().enumerate() {
            assert_eq!((name, unit), (each[at].0.as_str(), each[at].1.as_str()));
            assert_eq!((value, value), (sent[6 + at].as_str(), sent[6 + each.len() + at].as_str()), "{name}");
        }
    }
}

#[test]
fn permits_are_sent_behind_the_charges() {
    let hold = hold();
    let held = Charge { hold: Some(hold), ..charge(Algorithm::TokenBucket, None) };
    let slot = Charge { hold: Some(hold), ..charge(Algorithm::Concurrency, None) };
    let sent =
        arguments(&command::decide(By::Sha("sha"), &[charge(Algorithm::TokenBucket, None), held, slot]));
    let permit = permit_key(hold);
    assert_eq!(sent[..8], ["EVALSHA", "sha", "4", "rl:key", "rl:key", "rl:key", &permit, "3"]);
    assert_eq!(sent[8 + 3 * 7 + 1..], ["0", "30000000", "30000000"]);
}

#[test]
fn settle_sends_what_its_header_says() {
    let hold = hold();
    let held = Charge { hold: Some(hold), ..charge(Algorithm::LeakyBucket, None) };
    let slot = Charge { hold: Some(hold), ..charge(Algorithm::Concurrency, None) };
    let settlements = [Settlement { charge: held, actual: 4 }, Settlement { charge: slot, actual: u64::MAX }];
    let sent = arguments(&command::settle(By::Text("text"), &settlements));
    let permit = permit_key(hold);
    assert_eq!(sent[..7], ["EVAL", "text", "4", "rl:key", &permit, "rl:key", "rl:key"]);
    let names = [
        "algorithm",
        "tick",
        "count",
        "period",
        "capacity",
        "cost",
        "actual",
        "slice",
        "permit",
        "stamp",
        "level",
    ];
    let said: Vec<_> = fields(scripts::SETTLE, "ARGV").into_iter().map(|(name, _)| name).collect();
    assert_eq!(said, names);
    assert_eq!(sent[7..15], ["leaky_bucket", "1000", "11", "12", "13", "5", "4", "14"]);
    assert_eq!(sent[18..26], ["concurrency", "1000", "11", "12", "13", "5", "9007199254740992", "14"]);

    // What holds nothing is found by its receipt.
    let free = charge(Algorithm::LeakyBucket, None);
    let sent = arguments(&command::give_back(By::Text("text"), &free, Receipt { stamp: 21, level: 22 }));
    assert_eq!(sent[..5], ["EVAL", "text", "2", "rl:key", "rl:key"]);
    assert_eq!(sent[5..], ["leaky_bucket", "1000", "11", "12", "13", "5", "0", "14", "", "21", "22"]);
}

#[test]
fn renew_sends_what_its_header_says() {
    let hold = hold();
    let held = Charge { hold: Some(hold), ..charge(Algorithm::LeakyBucket, None) };
    let sent = arguments(&command::renew(By::Text("text"), &[held]));
    assert_eq!(sent[..5], ["EVAL", "text", "2", "rl:key", &permit_key(hold)]);
    assert_eq!(sent[5..7], ["leaky_bucket", "30000000"]);
    let said: Vec<_> = fields(scripts::RENEW, "ARGV").into_iter().map(|(name, _)| name).collect();
    assert_eq!(said, ["algorithm", "lease", "permit"]);
}

#[test]
fn a_reply_is_read_as_the_header_says() {
    let reply = |outcome: u8| {
        let mut bytes = Vec::new();
        for (at, (name, unit)) in fields(scripts::DECIDE, "RETURN").into_iter().enumerate() {
            let names = ["outcome", "remaining", "reset", "wait", "stamp", "level"];
            assert_eq!(name, names[at]);
            match unit.as_str() {
                "u8" => bytes.push(outcome),
                "u64" => bytes.extend(u64::try_from(at).unwrap().to_be_bytes()),
                unit => panic!("`{unit}` is no unit of a reply"),
            }
        }
        Value::BulkString(bytes)
    };
    assert!(scripts::DECIDE.contains("local REPLY = '>BI8I8I8I8I8'"));

    let charges = [charge(Algorithm::TokenBucket, None)];
    let wait = Duration::from_millis(3);
    for (sent, outcome) in
        [Outcome::Allowed { delay: wait }, Outcome::Denied { retry_after: wait }, Outcome::Exceeds]
            .into_iter()
            .enumerate()
    {
        let verdicts = command::verdicts(&reply(u8::try_from(sent).unwrap()), &charges).unwrap();
        assert_eq!(verdicts.len(), 1);
        assert_eq!(verdicts[0].outcome, outcome);
        assert_eq!(verdicts[0].remaining, 1);
        assert_eq!(verdicts[0].reset_after, Duration::from_millis(2));
        assert_eq!(verdicts[0].receipt, Receipt { stamp: 4, level: 5 });
    }
    for unreadable in [reply(3), Value::Nil, Value::Int(1), Value::BulkString(vec![0; 40])] {
        let failure = command::verdicts(&unreadable, &charges).unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Protocol);
    }
}

#[test]
fn many_ticks_of_a_second_are_no_small_number_of_microseconds() {
    let mut charge = charge(Algorithm::TokenBucket, None);
    charge.numbers.tick = 1_000_000;
    let mut bytes = vec![0];
    for number in [0, 1 << 53, 0, 0, 0_u64] {
        bytes.extend(number.to_be_bytes());
    }
    let verdicts = command::verdicts(&Value::BulkString(bytes), &[charge]).unwrap();
    assert_eq!(verdicts[0].reset_after, Duration::from_secs(1 << 53));
}

#[test]
fn a_cost_that_never_fits_is_sent_so_that_a_double_tells_it_from_the_capacity() {
    let mut charge = charge(Algorithm::FixedWindow, None);
    for (capacity, cost, sent) in
        [(13, 13, "13"), (13, 14, "15"), (13, u64::MAX, "15"), (1 << 53, (1 << 53) + 1, "9007199254740994")]
    {
        (charge.numbers.capacity, charge.cost) = (capacity, cost);
        assert_eq!(arguments(&command::decide(By::Sha("sha"), &[charge]))[10], sent);
    }
}

fn from_server(line: &str) -> RedisError {
    parse_redis_value(format!("-{line}\r\n").as_bytes()).unwrap().extract_error().unwrap_err()
}

#[test]
fn what_a_server_answers_tells_set_up_from_trouble_that_passes() {
    use FailureKind::{Setup, Unavailable};
    use fault::About::{Call, Opening, Server};
    for (line, kind, about) in [
        ("LOADING Redis is loading the dataset in memory", Unavailable, Opening),
        ("READONLY You can't write against a read only replica.", Unavailable, Server),
        ("MASTERDOWN Link with MASTER is down", Unavailable, Server),
        ("ERR max number of clients reached", Unavailable, Opening),
        ("BUSY Redis is busy running a script.", Unavailable, Call),
        ("OOM command not allowed when used memory > 'maxmemory'. script: 1", Unavailable, Call),
        ("MISCONF Redis is configured to save RDB snapshots", Unavailable, Call),
        ("NOREPLICAS Not enough good replicas to write.", Unavailable, Call),
        ("CLUSTERDOWN Hash slot not served", Unavailable, Call),
        ("TRYAGAIN Multiple keys request during rehashing of slot", Unavailable, Call),
        (
            "ERR Error running script (call to f_1): @user_script:9: OOM command not allowed",
            Unavailable,
            Call,
        ),
        ("ERR Error running script (call to f_1): @user_script:9: READONLY You can't", Unavailable, Server),
        ("ERR Error running script (call to f_1): @user_script:9: WRONGTYPE Operation", Setup, Call),
        ("ERR Error compiling script (new function): user_script:1: '=' expected", Setup, Call),
        ("ERR ACL failure in script: User limiter has no permissions to run the 'set' command", Setup, Call),
        ("ERR The user executing the script can't run this command or subcommand", Setup, Call),
        ("WRONGTYPE Operation against a key holding the wrong kind of value", Setup, Call),
        ("FOREIGN value that the rate limiter did not write", Setup, Call),
        ("NOPERM this user has no permissions to run the 'evalsha' command", Setup, Opening),
        ("NOAUTH Authentication required.", Setup, Opening),
        ("CROSSSLOT Keys in request don't hash to the same slot", Setup, Call),
        ("MOVED 3999 127.0.0.1:6381", Unavailable, Call),
    ] {
        let error = from_server(line);
        assert_eq!(fault::kind(&error), kind, "{line}");
        assert_eq!(fault::about(&error), about, "{line}");
    }
}

#[test]
fn only_what_was_not_run_is_sent_again() {
    use fault::NotRun::{Ask, Moved, ScriptLost, TryAgain};
    for (line, why) in [
        ("NOSCRIPT No matching script.", Some(ScriptLost)),
        ("MOVED 3999 127.0.0.1:6381", Some(Moved)),
        ("ASK 3999 127.0.0.1:6381", Some(Ask)),
        ("TRYAGAIN Multiple keys request during rehashing of slot", Some(TryAgain)),
        ("CLUSTERDOWN Hash slot not served", None),
        ("READONLY You can't write against a read only replica.", None),
        ("LOADING Redis is loading the dataset in memory", None),
        ("ERR Error running script", None),
    ] {
        assert_eq!(fault::not_run(&from_server(line)), why, "{line}");
    }
}

#[test]
fn what_the_client_meets_tells_silence_from_a_broken_connection() {
    for (error, kind) in [
        (io::Error::from(io::ErrorKind::TimedOut).into(), FailureKind::Timeout),
        (io::Error::from(io::ErrorKind::ConnectionRefused).into(), FailureKind::Connection),
        (io::Error::from(io::ErrorKind::BrokenPipe).into(), FailureKind::Connection),
        (RedisError::from((ErrorKind::AuthenticationFailed, "no")), FailureKind::Setup),
        (RedisError::from((ErrorKind::UnexpectedReturnType, "no")), FailureKind::Protocol),
        (RedisError::from((ErrorKind::Parse, "no")), FailureKind::Protocol),
    ] {
        let failure = fault::failure(error);
        assert_eq!(failure.kind(), kind);
        assert!(std::error::Error::source(&failure).is_some());
    }
}

#[test]
fn a_url_that_cannot_be_used_says_why_and_keeps_its_password() {
    let refused = |url: &str| -> OpenError {
        let builder = Redis::builder(url);
        assert!(!format!("{builder:?}").contains("s3cret"));
        let error = builder.build().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
        error
    };
    for (url, way_out) in [
        ("", "write `redis://` in front"),
        ("user:s3cret@host:6379", "write `redis://` in front"),
        ("user:s3cret@://host", "write `redis://` in front"),
        ("http://:s3cret@host", "no such scheme `http`"),
        ("rediss://:s3cret@host", "feature `tls`"),
        ("redis://:s3cret@0.0.0.0:6379", "write `127.0.0.1`"),
        ("redis://:s3cret/@host", "percent-encoded"),
        ("redis://:s3cret@host/five", "percent-encoded"),
        ("redis://:s3cret@host:99999", "percent-encoded"),
        ("redis://", "percent-encoded"),
        ("redis://:s3cret@a,b:7000/3", "a cluster has no databases"),
        ("redis://:s3cret@a,b:99999", "percent-encoded"),
        ("redis+sentinel://:s3cret@a,b", "redis+sentinel://host:26379/name"),
        ("redis+cloud://:s3cret@a", "no such scheme"),
    ] {
        // Another crate of the same build may have brought TLS along.
        if url.starts_with("rediss") && Redis::open(url).is_ok() {
            continue;
        }
        let sentence = refused(url).to_string();
        assert!(sentence.starts_with("redis url: ") && sentence.contains(way_out), "{url}: {sentence}");
    }
}

#[test]
fn a_store_opens_without_server_and_without_runtime_and_shows_no_password() {
    let store = Redis::open("redis://user:s3cret@127.0.0.1:1/3").unwrap();
    let shown = format!("{store:?}");
    assert!(shown.contains("127.0.0.1:1") && !shown.contains("s3cret"), "{shown}");
}
