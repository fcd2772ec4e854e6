use ratelimit::{Denied, rate_limit};

fn weigh(prompt: String) -> usize {
    prompt.len()
}

#[rate_limit(key = "global", rate = "100k tokens/min", cost = weigh(prompt))]
async fn complete(prompt: String) -> Result<String, Denied> {
    Ok(prompt)
}

fn main() {}
