//! The cases on another rustc than the one that has written what is stored: its own words differ, ours and their place
//! must not.

use crate::cases::{self, Case, Said};
use std::{env, fmt::Write as _, fs, path::Path, process::Command};

/// Whether this rustc is another than the one whose words are stored, or is to be taken for one.
pub(crate) fn is_another_rustc() -> bool {
    let stored =
        fs::read_to_string(cases::folder().join("../rustc")).expect("the version that wrote the cases");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let printed = Command::new(rustc).arg("--version").output().expect("rustc runs").stdout;
    let printed = String::from_utf8(printed).expect("a version");
    env::var_os("UI_ELSEWHERE").is_some() || printed.split(' ').nth(1) != Some(stored.trim())
}

/// Compiles every case, and compares the errors of ours.
pub(crate) fn compare() {
    let cases = cases::read();
    let printed = check(&cases);
    let mut wrong = Vec::new();
    for case in &cases {
        let said: Vec<Said> = printed.lines().filter_map(|line| error_of(line, &case.name)).collect();
        if said.is_empty() {
            wrong.push(format!("{}: compiles", case.name));
        }
        // What rustc says by itself is its own to change.
        let ours = case.errors.iter().filter(|said| matches!(said.code.as_deref(), None | Some("E0277")));
        let ours = ours.filter(|ours| !ours.sentence.contains("is not satisfied"));
        for missing in ours.filter(|ours| !said.contains(ours)) {
            wrong.push(format!("{}: {missing:?} is not among {said:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One package with a binary for each case, since a compiler run for each would take as many minutes.
fn check(cases: &[Case]) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = tests.join("../target/ui-elsewhere");
    fs::create_dir_all(&project).expect("a folder");
    let library = tests.join("../ratelimit");
    let mut manifest = format!(
        "[package]\nname = \"cases\"\nedition = \"2024\"\n[workspace]\n[dependencies]\naxum = \"0.8\"\n\
         ratelimit = {{ path = {library:?}, features = [\"full\"] }}\n"
    );
    for case in cases {
        let (name, path) = (&case.name, cases::folder().join(format!("{}.rs", case.name)));
        write!(manifest, "[[bin]]\nname = {name:?}\npath = {path:?}\n").expect("a string takes all");
    }
    fs::write(project.join("Cargo.toml"), manifest).expect("a manifest");
    fs::copy(tests.join("../Cargo.lock"), project.join("Cargo.lock")).expect("the versions that are locked");
    let mut cargo = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.args(["check", "--bins", "--keep-going", "--message-format=json"]).current_dir(&project);
    let output = cargo.env("CARGO_TARGET_DIR", project.join("target")).output().expect("cargo runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(printed.contains("compiler-message"), "{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// The error that a line of cargo's output is, if it is one of that case.
fn error_of(line: &str, case: &str) -> Option<Said> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let message = &value["message"];
    if value["target"]["name"] != case || message["level"] != "error" {
        return None;
    }
    let place = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
    let number = |name: &str| usize::try_from(place[name].as_u64()?).ok();
    Some(Said {
        code: message["code"]["code"].as_str().map(str::to_owned),
        sentence: message["message"].as_str()?.lines().next()?.to_owned(),
        line: number("line_start")?,
        column: number("column_start")?,
    })
}
