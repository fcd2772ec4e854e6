//! Results by an alias: of one's own, of `std::io` and of `anyhow`.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[derive(Debug)]
enum Failure {
    Denied(Denied),
}
impl From<Denied> for Failure {
    fn from(denied: Denied) -> Self {
        Failure::Denied(denied)
    }
}

type Outcome<T> = Result<T, Failure>;

#[rate_limit(key = "global", rate = "1/min")]
async fn alias() -> Outcome<()> {
    Ok(())
}

#[rate_limit(key = "global", rate = "1/min")]
async fn io() -> std::io::Result<u8> {
    Ok(std::fs::read("/")?.len() as u8)
}

#[rate_limit(key = "global", rate = "1/min")]
async fn anyhow() -> anyhow::Result<u8> {
    anyhow::bail!("no")
}

fn main() {}
