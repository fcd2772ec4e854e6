//! A result of boxed types, left on every way there is.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::rate_limit;
use std::fmt::Display;

#[rate_limit(key = "text", rate = "1/min")]
async fn boxed(text: String) -> Result<Box<dyn Display>, Box<dyn std::error::Error + Send + Sync>> {
    if text.is_empty() {
        return Ok(Box::new(1));
    }
    let number: u8 = text.parse()?;
    match number {
        0 => Err("zero")?,
        1 => return Ok(Box::new("one")),
        _ => {}
    }
    Ok(Box::new(text))
}

fn main() {}
