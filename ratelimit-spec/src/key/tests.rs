use super::{Key, Request, Source};

fn read(text: &str) -> String {
    Key::parse(text, &["user", "tenant", "self"])
        .map_or_else(|fault| fault.to_string(), |key| key.to_string())
}

#[test]
fn canonical_form_reads_back() {
    for text in [
        "user",
        "user.id + tenant",
        "user | ip",
        "tenant + (user | ip)",
        "(tenant + user) | ip",
        "request.user",
        "header:X-Tenant + query:page",
        "path:id",
        "cookie:session",
        "self.inner.0",
        "global",
    ] {
        let key = Key::parse(text, &["user", "tenant", "self"]).unwrap();
        assert_eq!(Key::parse(&key.to_string(), &["user", "tenant", "self"]).unwrap(), key, "{text}");
        assert_eq!(key.to_string(), text);
    }
    assert_eq!(read("  tenant+(user|ip)  "), "tenant + (user | ip)");
    assert_eq!(read("((user))"), "user");
}

#[test]
fn parameter_wins_over_the_request_and_has_one_slot() {
    let key = Key::parse("user + ip + user.id + user", &["user"]).unwrap();
    let sources: Vec<_> = key.words().into_iter().map(|word| word.source.clone()).collect();
    assert_eq!(
        sources,
        [
            Source::Parameter { slot: 0 },
            Source::Request(Request::Ip),
            Source::Parameter { slot: 1 },
            Source::Parameter { slot: 0 },
        ]
    );
    let forced = Key::parse("request.user", &["user"]).unwrap();
    assert!(forced.needs_request() && !forced.needs_parameters());
}

#[test]
fn header_names_do_not_care_about_case() {
    let key = Key::parse("header:X-Tenant", &[]).unwrap();
    assert_eq!(key.words()[0].source, Source::Request(Request::Header("x-tenant".into())));
}

#[test]
fn each_mistake_has_its_sentence() {
    for (text, part) in [
        ("", "empty"),
        (" ", "empty"),
        ("usr", "write `user`; there are the parameters `user`, `tenant`, `self`, of a request `ip`"),
        ("usr.id", "write `user.id`"),
        ("nonsense", "no such word: `nonsense`, there are"),
        ("headr:x-tenant", "write `header:x-tenant`"),
        ("header", "misses a name, write `header:x-tenant`"),
        ("header:", "misses a name"),
        ("header:a b", "two words without an operator"),
        ("header:ä", "no name of a header"),
        ("query:a=b", "no name of a query"),
        ("user +", "no word behind `+`"),
        ("| user", "no word in front of `|`"),
        ("user + | ip", "no word behind `+`"),
        ("user ip", "two words without an operator"),
        ("(user", "not closed"),
        ("user)", "closes nothing"),
        ("tenant + user | ip", "write `tenant + (user | ip)` or `(tenant + user) | ip`"),
        ("global + user", "alone"),
        ("user.", "no field"),
        ("user.id()", "two words"),
        ("((((((((((user))))))))))", "too deep"),
    ] {
        let sentence = read(text);
        assert!(sentence.starts_with("`key`: ") && sentence.contains(part), "{text}: {sentence}");
    }
}

#[test]
fn no_text_makes_it_panic() {
    let alphabet: Vec<char> = "user ip+|().:=header:ä{}\0 request.global".chars().collect();
    let mut seed = 1_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..seed % 12 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push(alphabet[(seed >> 33) as usize % alphabet.len()]);
        }
        seed = seed.wrapping_add(0x9e37_79b9);
        match Key::parse(&text, &["user"]) {
            Ok(key) => assert_eq!(Key::parse(&key.to_string(), &["user"]).unwrap(), key, "{text:?}"),
            Err(fault) => drop(fault.with_mark()),
        }
    }
}
