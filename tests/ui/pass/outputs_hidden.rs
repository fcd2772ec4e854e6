//! Results of hidden types, left early and by `?`.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[derive(Debug)]
enum Failure {
    Denied(Denied),
    Number(std::num::ParseIntError),
}
impl From<Denied> for Failure {
    fn from(denied: Denied) -> Self {
        Failure::Denied(denied)
    }
}
impl From<std::num::ParseIntError> for Failure {
    fn from(error: std::num::ParseIntError) -> Self {
        Failure::Number(error)
    }
}

#[rate_limit(key = "text", rate = "1/min")]
async fn hidden(text: &str) -> Result<impl Iterator<Item = u8>, Failure> {
    if text.is_empty() {
        return Ok(0..0);
    }
    let end: u8 = text.parse()?;
    Ok(0..end)
}

#[rate_limit(key = "text", rate = "1/min")]
async fn hidden_inside(text: &str) -> Result<Vec<impl Fn(u8) -> u8 + use<>>, Failure> {
    let add: u8 = text.parse()?;
    Ok(vec![move |x| x + add])
}

fn main() {}
