//! Run with: cargo run -p ratelimit-bench --bin compile_cost
//!
//! What the attribute costs the compiler, beside `#[tracing::instrument]` on the same functions: three hundred async
//! functions and a hundred axum handlers, each bare, instrumented and limited, checked and built for release.
//!
//! What is printed is the ratio of what the two attributes add to the bare functions. The crates are compiled in turns,
//! their dependencies beforehand, and the medians of the rounds are compared: `--rounds 3` is a quick look.

#![allow(clippy::print_stdout, reason = "what a benchmark finds is its output")]

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

type Error = Box<dyn std::error::Error>;

const FUNCTIONS: usize = 300;
const HANDLERS: usize = 100;
const USAGE: &str = "arguments: `--rounds NUMBER`";

#[derive(Clone, Copy)]
enum Kind {
    Functions,
    Handlers,
}

#[derive(Clone, Copy)]
enum Attribute {
    Bare,
    Instrument,
    RateLimit,
}

const ATTRIBUTES: [(&str, Attribute); 3] =
    [("bare", Attribute::Bare), ("instrument", Attribute::Instrument), ("rate_limit", Attribute::RateLimit)];
const COMMANDS: [&[&str]; 2] = [&["check"], &["build", "--release"]];

fn main() -> Result<(), Error> {
    let rounds = rounds()?;
    println!("| crate | command | bare | instrument adds | rate_limit adds | ratio |");
    println!("|---|---|---|---|---|---|");
    for (kind, what) in [(Kind::Functions, "300 functions"), (Kind::Handlers, "100 axum handlers")] {
        let crates: Vec<Crate> = ATTRIBUTES
            .iter()
            .map(|(name, attribute)| Crate::write(kind, name, *attribute))
            .collect::<Result<_, _>>()?;
        for command in COMMANDS {
            let [bare, instrument, limited] = measure(&crates, command, rounds)?;
            let adds = |time: Duration| time.saturating_sub(bare).as_secs_f64();
            println!(
                "| {what} | `cargo {}` | {:.2} s | {:.2} s | {:.2} s | {:.2} |",
                command.join(" "),
                bare.as_secs_f64(),
                adds(instrument),
                adds(limited),
                adds(limited) / adds(instrument).max(0.001),
            );
        }
    }
    println!("\nPackages that `ratelimit` brings: {}", dependencies(&["--features", "ratelimit/default"])?);
    println!("with `redis`: {}", dependencies(&["--features", "ratelimit/redis"])?);
    Ok(())
}

fn rounds() -> Result<usize, Error> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Ok(7),
        ["--rounds", number] => number.parse().ok().filter(|rounds| *rounds > 0).ok_or(USAGE.into()),
        _ => Err(USAGE.into()),
    }
}

/// A library with one module of annotated functions.
struct Crate {
    folder: PathBuf,
    source: String,
}

impl Crate {
    fn write(kind: Kind, name: &str, attribute: Attribute) -> Result<Crate, Error> {
        let (kind_name, source) = match kind {
            Kind::Functions => ("functions", functions(attribute)),
            Kind::Handlers => ("handlers", handlers(attribute)),
        };
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = workspace.join("target/compile-cost").join(format!("{kind_name}-{name}"));
        fs::create_dir_all(folder.join("src"))?;
        let library = workspace.join("ratelimit").canonicalize()?;
        let manifest = format!(
            "[package]\nname = \"{kind_name}-{name}\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
             axum = {{ version = \"0.8\", default-features = false }}\n\
             ratelimit = {{ path = {library:?}, features = [\"axum\"] }}\n\
             tracing = \"0.1\"\n[profile.release]\ncodegen-units = 1\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        Ok(Crate { folder, source })
    }

    /// Compiles it after a change, and says how long that took.
    fn compile(&self, command: &[&str], round: usize) -> Result<Duration, Error> {
        fs::write(self.folder.join("src/lib.rs"), format!("{}\n// {round}\n", self.source))?;
        let mut cargo = cargo(&self.folder);
        cargo.args(command).arg("--quiet");
        let started = Instant::now();
        let output = cargo.output()?;
        let took = started.elapsed();
        if output.status.success() { Ok(took) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
    }
}

/// All crates share what they depend on. Incremental compilation would only see the comment that has changed.
fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    let shared = folder.parent().unwrap_or(folder).join("target");
    cargo.current_dir(folder).env("CARGO_TARGET_DIR", shared).env("CARGO_INCREMENTAL", "0");
    cargo
}

/// The medians of each crate's times, in their order.
fn measure(crates: &[Crate], command: &[&str], rounds: usize) -> Result<[Duration; 3], Error> {
    let mut times: [Vec<Duration>; 3] = Default::default();
    for round in 0..=rounds {
        for (one, times) in crates.iter().zip(&mut times) {
            let took = one.compile(command, round)?;
            // The first one compiles what it depends on.
            if round > 0 {
                times.push(took);
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }))
}

/// How many packages a dependency on the library brings.
fn dependencies(features: &[&str]) -> Result<usize, Error> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cargo = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.current_dir(workspace).args(["tree", "-p", "ratelimit", "--edges", "normal", "--prefix", "none"]);
    let output = cargo.args(["--format", "{p}"]).args(features).output()?;
    let printed = String::from_utf8(output.stdout)?;
    let mut packages: Vec<&str> =
        printed.lines().filter_map(|line| line.split(" (").next()).filter(|line| !line.is_empty()).collect();
    packages.sort_unstable();
    packages.dedup();
    // Itself, its grammar and its attribute are no dependencies.
    Ok(packages.iter().filter(|package| !package.starts_with("ratelimit")).count())
}

fn functions(attribute: Attribute) -> String {
    let mut source = String::from("#![allow(dead_code)]\nuse ratelimit::Denied;\n");
    let (mut calls, mut boxed) = (String::new(), String::new());
    for n in 0..FUNCTIONS {
        let attribute = match attribute {
            Attribute::Bare => "",
            Attribute::Instrument => "#[tracing::instrument(skip_all)]\n",
            Attribute::RateLimit => "#[ratelimit::rate_limit(key = \"user\", rate = \"100/min\")]\n",
        };
        write!(
            source,
            "{attribute}async fn f{n}(user: &str, rows: Vec<u64>) -> Result<u64, Denied> {{\n    \
             let sum: u64 = rows.iter().sum();\n    std::future::ready(()).await;\n    \
             if user.is_empty() {{\n        return Ok({n});\n    }}\n    Ok(sum + user.len() as u64)\n}}\n"
        )
        .unwrap_or_default();
        // Awaited in a function of its own, so that no body is one that nobody would write.
        writeln!(calls, "async fn call{n}() -> Result<u64, Denied> {{ f{n}(\"ann\", vec![{n}]).await }}")
            .unwrap_or_default();
        writeln!(boxed, "        Box::pin(call{n}()),").unwrap_or_default();
    }
    write!(
        source,
        "{calls}type Call = std::pin::Pin<Box<dyn Future<Output = Result<u64, Denied>>>>;\n\
         pub fn run() -> Vec<Call> {{\n    vec![\n{boxed}    ]\n}}\n"
    )
    .unwrap_or_default();
    source
}

fn handlers(attribute: Attribute) -> String {
    let mut source = String::from("use axum::{Router, extract::Path, http::StatusCode, routing::get};\n");
    let mut routes = String::new();
    for n in 0..HANDLERS {
        let attribute = match attribute {
            Attribute::Bare => "",
            Attribute::Instrument => "#[tracing::instrument(skip_all)]\n",
            Attribute::RateLimit => "#[ratelimit::rate_limit(key = \"ip\", rate = \"100/min\")]\n",
        };
        write!(
            source,
            "{attribute}async fn h{n}(Path(id): Path<u64>) -> Result<String, StatusCode> {{\n    \
             std::future::ready(()).await;\n    if id == {n} {{\n        return Err(StatusCode::NOT_FOUND);\n    }}\n    \
             Ok(id.to_string())\n}}\n"
        )
        .unwrap_or_default();
        writeln!(routes, "        .route(\"/{n}/{{id}}\", get(h{n}))").unwrap_or_default();
    }
    write!(source, "pub fn routes() -> Router {{\n    Router::new()\n{routes}}}\n").unwrap_or_default();
    source
}
