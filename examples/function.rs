//! Run with: cargo run --example function
//!
//! Caps what a function spends: each tenant has so many tokens a minute, estimated before the call.

use ratelimit::{Denied, DeniedKind, rate_limit};
use std::{error::Error, fmt};

/// What a call can end with: the limit's denial is one of it.
#[derive(Debug)]
enum CompletionError {
    Limited(Denied),
    EmptyPrompt,
}

impl From<Denied> for CompletionError {
    fn from(denied: Denied) -> Self {
        CompletionError::Limited(denied)
    }
}

impl fmt::Display for CompletionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompletionError::Limited(denied) => write!(f, "{denied}"),
            CompletionError::EmptyPrompt => f.write_str("the prompt is empty"),
        }
    }
}

impl Error for CompletionError {}

/// About four bytes a token, and room for the answer.
fn estimate(prompt: &str) -> usize {
    prompt.len().div_ceil(4) + 200
}

#[rate_limit(name = "complete", key = "tenant", rate = "1k tokens/min", cost = estimate(prompt))]
async fn complete(tenant: &str, prompt: &str) -> Result<String, CompletionError> {
    if prompt.is_empty() {
        return Err(CompletionError::EmptyPrompt);
    }
    Ok(format!("an answer for {tenant}"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A tenant of this run's own, so that a second run finds a full budget in Redis.
    let tenant = format!("acme-{}", std::process::id());
    let mut answers = 0;
    for _ in 0..10 {
        match complete(&tenant, "Why is the sky blue?").await {
            Ok(answer) => {
                answers += 1;
                println!("{answer}");
            }
            Err(CompletionError::Limited(denied)) if denied.kind() == DeniedKind::Limited => {
                println!("denied by `{}`, retry in {:?}", denied.limit().name(), denied.retry_after());
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    // 205 tokens a call, of 1,000.
    if answers != 4 {
        return Err(format!("{answers} answers, not 4").into());
    }
    Ok(())
}
