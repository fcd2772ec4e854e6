//! Prints what comes of each fault under each fail mode: `cargo run --release -p ratelimit-tests --bin drills`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it finds is its output")]

use ratelimit::FailMode;
use ratelimit_tests::drill::{Fault, drill};

#[tokio::main]
async fn main() {
    println!("| fault | mode | p99 wait | p99 wait, not asked | decisions wrong | recovered after |");
    println!("|---|---|---|---|---|---|");
    for fault in Fault::ALL {
        for mode in FailMode::ALL {
            let outcome = drill(*fault, *mode).await;
            println!(
                "| {} | `{}` | {:.1} ms | {:.2} ms | {} | {:.2} s |",
                fault.name(),
                mode.word(),
                outcome.waited.as_secs_f64() * 1e3,
                outcome.waited_open.as_secs_f64() * 1e3,
                outcome.wrong.len(),
                outcome.recovered.as_secs_f64(),
            );
            for wrong in outcome.wrong.iter().take(3) {
                eprintln!("  {wrong}");
            }
        }
    }
}
