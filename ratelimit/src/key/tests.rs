use super::{KeyBuf, KeyPart, Missing, Values, request::Client, write};
use crate::limit::Limit;
use std::collections::HashMap;

fn facts(name: &str, key: &str) -> Limit {
    Limit::builder(name).key(key).rate("100/min").build().unwrap()
}

fn values(parts: &[Option<&[u8]>]) -> Values {
    let mut values = Values::default();
    for (slot, part) in parts.iter().enumerate() {
        part.write(values.parameter_slot(slot));
    }
    values
}

fn key_of(limit: &Limit, values: &Values, client: Option<Client>) -> String {
    let mut key = KeyBuf::new();
    write(&mut key, "rl:", limit, values, client).unwrap();
    String::from_utf8(key.to_vec()).unwrap()
}

/// Without the tag, whose digits say nothing to a reader.
fn body(limit: &Limit, parts: &[Option<&[u8]>]) -> String {
    let key = key_of(limit, &values(parts), None);
    key.split_once("}:").unwrap().1.to_owned()
}

#[test]
fn ordinary_key_is_readable() {
    let limit = facts("search", "tenant + user");
    let key = key_of(&limit, &values(&[Some(b"acme"), Some(b"ann@acme.example")]), None);
    assert!(key.starts_with("rl:{"), "{key}");
    assert!(key.ends_with("}:search:sliding_window:60s:tenant=acme:user=ann@acme.example"), "{key}");
}

#[test]
fn parts_that_look_like_structure_do_not_merge() {
    let limit = facts("search", "tenant + user");
    let pairs: [(&[u8], &[u8]); 12] = [
        (b"a:b", b"c"),
        (b"a", b"b:c"),
        (b"", b"x"),
        (b"x", b""),
        (b"a:user=b", b"c"),
        (b"a", b"b:user=c"),
        (b"a|b", b"c"),
        (b"a", b"|b"),
        (b"a\0", b"b"),
        (b"a", b"\0b"),
        ("ä".as_bytes(), b"b"),
        (b"\xe4", b"b"),
    ];
    let mut seen = HashMap::new();
    for pair in pairs {
        let key = body(&limit, &[Some(pair.0), Some(pair.1)]);
        assert_eq!(seen.insert(key.clone(), pair), None, "{key}");
    }
}

#[test]
fn an_encoded_value_is_not_what_it_is_encoded_to() {
    let limit = facts("search", "user");
    let long = vec![b'x'; 65];
    let digest = body(&limit, &[Some(&long)]);
    let shown = digest.split_once("user=").unwrap().1.to_owned();
    assert!(shown.starts_with('~') && shown.len() == 33, "{shown}");
    assert_ne!(body(&limit, &[Some(shown.as_bytes())]), digest);
    assert_ne!(body(&limit, &[Some(b"%41")]), body(&limit, &[Some(b"A")]));
}

#[test]
fn a_user_called_like_an_address_is_not_that_client() {
    let client = Some(Client::new(Some("127.0.0.1".parse().unwrap()), 64));
    let limit = facts("search", "user");
    let user = key_of(&limit, &values(&[Some(b"127.0.0.1")]), client);
    let anonymous = key_of(&limit, &values(&[None]), client);
    assert!(user.ends_with(":user=127.0.0.1"), "{user}");
    assert!(anonymous.ends_with(":user!ip=127.0.0.1"), "{anonymous}");
}

#[test]
fn a_million_bytes_make_a_short_key_and_differ_in_the_last() {
    let limit = facts("search", "user");
    let mut long = vec![0xff; 1 << 20];
    let first = body(&limit, &[Some(&long)]);
    *long.last_mut().unwrap() = b'\n';
    let second = body(&limit, &[Some(&long)]);
    assert_ne!(first, second);
    assert!(first.len() < 100, "{first}");
}

#[test]
fn braces_never_reach_the_hash_tag() {
    let limit = facts("search", "user");
    for value in ["{", "}", "{}", "a{b}{c}", "}{", "%7B"] {
        let key = key_of(&limit, &values(&[Some(value.as_bytes())]), None);
        assert_eq!((key.matches('{').count(), key.matches('}').count()), (1, 1), "{key}");
        let tag = key.split_once('{').unwrap().1.split_once('}').unwrap().0;
        assert!(tag.len() == 4 && tag.bytes().all(|b| b.is_ascii_hexdigit()), "{key}");
    }
}

#[test]
fn tag_is_the_same_in_every_version() {
    // Counts in a shared store are found by it: a change of this function is a change of every key.
    let limit = facts("search", "user");
    let key = key_of(&limit, &values(&[Some(b"42")]), None);
    assert_eq!(key, "rl:{005b}:search:sliding_window:60s:user=42");
}

#[test]
fn tags_spread_evenly() {
    let limit = facts("search", "user");
    let mut slots = [0_u32; 256];
    for user in 0..25_600_u32 {
        let key = key_of(&limit, &values(&[Some(user.to_string().as_bytes())]), None);
        slots[usize::from_str_radix(&key["rl:{".len()..]["00".len()..][..2], 16).unwrap()] += 1;
    }
    assert!(slots.iter().all(|count| (40..=200).contains(count)), "{slots:?}");
}

#[test]
fn alternatives_take_the_first_that_is_present_and_mark_which() {
    let limit = facts("search", "tenant + (user | key)");
    let both = body(&limit, &[Some(b"acme"), Some(b"ann"), Some(b"k")]);
    assert!(both.ends_with(":tenant=acme:user=ann"), "{both}");
    let second = body(&limit, &[Some(b"acme"), None, Some(b"ann")]);
    assert!(second.ends_with(":tenant=acme:key=ann"), "{second}");
}

#[test]
fn without_a_client_a_missing_part_is_named() {
    let limit = facts("search", "tenant + user");
    let mut key = KeyBuf::new();
    let Missing(word) = write(&mut key, "rl:", &limit, &values(&[Some(b"acme"), None]), None).unwrap_err();
    assert_eq!(word.text, "user");
}

#[test]
fn clients_without_a_known_address_share_a_marked_bucket() {
    let limit = facts("search", "user");
    let key = key_of(&limit, &values(&[None]), Some(Client::new(None, 64)));
    assert!(key.ends_with(":user!unknown="), "{key}");
}

#[test]
fn ipv6_clients_are_counted_by_prefix_and_mapped_ones_as_ipv4() {
    let shown = |address: &str, prefix| match Client::new(Some(address.parse().unwrap()), prefix) {
        Client::Address(address) => address.to_string(),
        Client::Unknown => "unknown".to_owned(),
    };
    assert_eq!(shown("2001:db8:1:2:3:4:5:6", 64), "2001:db8:1:2::");
    assert_eq!(shown("2001:db8:1:2:3:4:5:6", 128), "2001:db8:1:2:3:4:5:6");
    assert_eq!(shown("2001:db8:1:2:3:4:5:6", 1), "::");
    assert_eq!(shown("::ffff:192.0.2.1", 64), "192.0.2.1");
}
