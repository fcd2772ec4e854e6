//! What tells one caller from another, down to the keys that stand in Redis.

use super::over;
use ratelimit::{Check, Limit, Limiter};
use ratelimit_tests::RedisServer;
use std::{collections::HashSet, net::IpAddr};

/// The rate leaves no doubt whether two calls met in one bucket.
fn limit(name: &str, key: &str) -> Limit {
    Limit::builder(name).key(key).rate("1/day").build().unwrap()
}

/// Each of these is somebody else, so each passes once, and none twice.
async fn are_told_apart(callers: &[Box<dyn Fn() -> Check + '_>]) {
    for (place, caller) in callers.iter().enumerate() {
        assert!(caller().await.is_ok(), "caller {place} met another");
    }
    for (place, caller) in callers.iter().enumerate() {
        assert!(caller().await.is_err(), "caller {place} passed twice");
    }
}

async fn identities_are_told_apart(limiter: &Limiter) {
    let (one, two) = (limit("one", "who"), limit("two", "tenant + user"));
    let either = limit("either", "user | address");
    let address = IpAddr::from([127, 0, 0, 1]);
    let mut callers: Vec<Box<dyn Fn() -> Check + '_>> = vec![
        Box::new(|| limiter.check(&one).part("who", address)),
        Box::new(|| limiter.check(&either).part("user", "127.0.0.1")),
        Box::new(|| limiter.check(&either).part("address", address)),
    ];
    let pairs = [
        ("a:b", "c"),
        ("a", "b:c"),
        ("", "x"),
        ("x", ""),
        ("", ""),
        ("a|b", "c"),
        ("a", "b|c"),
        ("a/b", "c"),
        ("a", "b/c"),
        ("a\0b", "c"),
        ("a", "b\0c"),
        ("a:user=b", "c"),
        ("a", "b:user=c"),
        ("é", "x"),
        ("e\u{301}", "x"),
        ("%C3%A9", "x"),
        ("{a}", "x"),
        ("a}", "x"),
        ("\r\n", "x"),
        ("\n", "x"),
    ];
    for (tenant, user) in pairs {
        let two = &two;
        callers.push(Box::new(move || limiter.check(two).part("tenant", tenant).part("user", user)));
    }
    are_told_apart(&callers).await;
}

#[tokio::test]
async fn identities_never_meet_in_one_bucket() {
    identities_are_told_apart(&Limiter::in_memory()).await;
    identities_are_told_apart(&over(&RedisServer::start())).await;
}

#[tokio::test]
async fn different_limits_never_share_state() {
    let server = RedisServer::start();
    for limiter in [Limiter::in_memory(), over(&server)] {
        let describe =
            |name, algo, rate| Limit::builder(name).key("user").rate(rate).algo(algo).build().unwrap();
        let limits = [
            describe("a", "fixed_window", "1/day"),
            describe("a", "fixed_window", "1/h"),
            describe("a", "sliding_window", "1/day"),
            describe("a", "sliding_log", "1/day"),
            describe("a", "token_bucket", "1/day"),
            describe("a:token_bucket", "token_bucket", "1/day"),
            describe("a.b", "token_bucket", "1/day"),
            describe("a-b", "token_bucket", "1/day"),
            describe("a:b", "token_bucket", "1/day"),
            describe("A", "token_bucket", "1/day"),
        ];
        let (limiter, limits) = (&limiter, &limits);
        let callers = limits.iter().map(|limit| -> Box<dyn Fn() -> Check> {
            Box::new(move || limiter.check(limit).part("user", "ann"))
        });
        are_told_apart(&callers.collect::<Vec<_>>()).await;
    }
}

#[tokio::test]
async fn different_values_never_make_one_key() {
    let server = RedisServer::start();
    let limiter = over(&server);
    let (two, either) = (limit("two", "tenant + user"), limit("either", "tenant | user"));
    let mut random = fastrand::Rng::with_seed(7);
    let alphabet = [":", "=", "|", "{", "}", "%", "~", "a", "A", "\0", " ", "é", "user=", "%3A", "\u{1F980}"];
    let mut text = || -> String {
        // Some are longer than what stands in a key as it is.
        let most = if random.u32(..10) == 0 { 90 } else { 4 };
        (0..random.usize(..=most)).map(|_| alphabet[random.usize(..alphabet.len())]).collect()
    };
    let mut callers = HashSet::new();
    while callers.len() < 3_000 {
        callers.insert((text(), text()));
    }
    let mut keys = 0;
    for (tenant, user) in &callers {
        limiter.check(&two).part("tenant", tenant).part("user", user).await.unwrap();
        keys += 1;
    }
    let alone: HashSet<&String> = callers.iter().map(|(tenant, _)| tenant).collect();
    for value in &alone {
        limiter.check(&either).part("tenant", *value).await.unwrap();
        limiter.check(&either).part("user", *value).await.unwrap();
        keys += 2;
    }
    assert_eq!(server.keys().len(), keys);
}

#[tokio::test]
async fn no_value_reaches_the_hash_tag() {
    let server = RedisServer::start();
    let limiter = over(&server);
    let limit = limit("tagged", "tenant + user");
    let values = ["{", "}", "{}", "{a}", "}{", "a{b}c", "", "{0000}", "rl:{ffff}:x"];
    for tenant in values {
        for user in values {
            limiter.check(&limit).part("tenant", tenant).part("user", user).await.unwrap();
        }
    }
    let keys = server.keys();
    assert_eq!(keys.len(), values.len() * values.len());
    let tags = keys.iter().map(|key| {
        let (prefix, rest) = key.split_once('{').unwrap();
        let (tag, rest) = rest.split_once('}').unwrap();
        assert!(prefix == "rl:" && !rest.contains(['{', '}']), "{key}");
        assert!(tag.len() == 4 && tag.bytes().all(|digit| digit.is_ascii_hexdigit()), "{key}");
        tag
    });
    // Keys spread over the slots of a cluster.
    assert!(tags.collect::<HashSet<_>>().len() > 70);
}

#[tokio::test]
async fn value_of_any_length_makes_a_short_key_of_its_own() {
    let server = RedisServer::start();
    for limiter in [Limiter::in_memory(), over(&server)] {
        let limit = limit("long", "header");
        let mut one = vec![b'x'; 1 << 20];
        let mut other = one.clone();
        other[(1 << 20) - 1] = b'y';
        for value in [&one, &other] {
            assert!(limiter.check(&limit).part("header", value.as_slice()).await.is_ok());
            assert!(limiter.check(&limit).part("header", value.as_slice()).await.is_err());
        }
        one.truncate(64);
        for value in [one.as_slice(), b"\0", b"\r\n", b"\n", b"\xff\xfe", b"\xff", b"\xef\xbf\xbd"] {
            assert!(limiter.check(&limit).part("header", value).await.is_ok(), "{value:?}");
        }
    }
    let keys = server.keys();
    assert_eq!(keys.len(), 9);
    assert!(
        keys.iter().all(|key| key.len() < 200 && key.bytes().all(|byte| byte.is_ascii_graphic())),
        "{keys:?}"
    );
}
