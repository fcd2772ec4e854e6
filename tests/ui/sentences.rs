//! The page of all sentences, made from the cases, so that neither can drift from the other.

use crate::cases::{self, Case};
use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path};

/// Headings, and what the names of their cases begin with.
const TOPICS: &[(&str, &[&str])] = &[
    ("Rates", &["rate", "plan"]),
    ("Keys", &["key", "colocate"]),
    ("Algorithms and their options", &["algo", "burst", "queue", "precision", "log", "limit", "lease"]),
    ("What a call costs", &["cost", "default", "settle", "on_err", "on_cancel", "charge", "when"]),
    (
        "Other arguments",
        &[
            "argument", "name", "wait", "fail", "deadline", "scope", "limiter", "crate", "headers", "expose",
            "on_deny",
        ],
    ),
    ("Functions and handlers", &["function", "return", "handler", "method", "future", "neighbour"]),
    ("Layers of one function", &["layer", "layers", "renamed"]),
];

const HEAD: &str = "\
Every sentence that the compiler says of a wrong limit, with a line that provokes it.

Each names the argument, says what is wrong with it, and ends with what to type. `Limit::builder` gives the same sentences
at run time. All faults of a function are told at once, each at its own place, and the function is compiled as it stands, so
that nothing else turns red.

The page is made from the tests of these errors: `UPDATE=1 cargo test -p ratelimit-tests --test ui page`.
";

#[test]
fn page_lists_what_the_cases_say() {
    let page = page(&cases::read());
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../ratelimit/docs/sentences.md"));
    if env::var_os("UPDATE").is_some() {
        fs::write(path, &page).expect("the page is written");
    }
    let written = fs::read_to_string(path).unwrap_or_default();
    assert!(
        page == written,
        "ratelimit/docs/sentences.md is not what the cases say: run this with UPDATE=1 and read the difference"
    );
}

#[test]
fn first_line_of_each_sentence_of_ours_says_what_to_type() {
    const WAYS_OUT: [&str; 5] =
        ["write ", "remove ", "leave out", "put some of them", "handle the error here"];
    let mut silent = Vec::new();
    for case in cases::read() {
        // What the compiler says by itself has its own `help`.
        let ours =
            case.errors.iter().filter(|said| said.code.is_none() || said.code.as_deref() == Some("E0277"));
        let sentences: Vec<&str> = ours.map(|said| &*said.sentence).collect();
        let says = |sentence: &&str| WAYS_OUT.iter().any(|way_out| sentence.contains(way_out));
        if !sentences.is_empty() && !sentences.iter().any(says) {
            silent.push(format!("{}: {sentences:?}", case.name));
        }
    }
    // An attribute that nobody has imported is rustc's to name.
    silent.retain(|case| !case.starts_with("neighbour_not_imported"));
    assert!(silent.is_empty(), "{silent:#?}");
}

fn page(cases: &[Case]) -> String {
    let mut page = HEAD.to_owned();
    let mut shown = BTreeSet::new();
    for (title, topics) in TOPICS {
        write!(page, "\n# {title}\n").expect("a string takes all");
        for case in cases.iter().filter(|case| topics.iter().any(|topic| is_about(case, topic))) {
            shown.insert(&case.name);
            for said in &case.errors {
                let code = said.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
                write!(page, "\n```text\n{}\n```\n\n> {}{code}\n", case.line(said), said.sentence)
                    .expect("a string takes all");
            }
        }
    }
    let missing: Vec<&String> =
        cases.iter().map(|case| &case.name).filter(|name| !shown.contains(name)).collect();
    assert!(missing.is_empty(), "no topic has these cases: {missing:?}");
    page
}

fn is_about(case: &Case, topic: &str) -> bool {
    case.name.strip_prefix(topic).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}
