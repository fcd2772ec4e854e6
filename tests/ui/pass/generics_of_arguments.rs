//! Parameters of type `impl Trait`, as keys and costs.
#![deny(warnings)]

use ratelimit::{Denied, rate_limit};
use std::{fmt::Display, future::Future};

#[rate_limit(key = name.as_ref(), rate = "1/min")]
async fn by_expression(name: impl AsRef<str>) -> Result<usize, Denied> {
    Ok(name.as_ref().len())
}

#[rate_limit(key = "name", rate = "100/min", cost = texts.len())]
async fn by_word(name: impl Display, texts: &[impl AsRef<str>]) -> Result<String, Denied> {
    Ok(format!("{name}{}", texts.len()))
}

#[rate_limit(key = name.as_ref(), rate = "1/min")]
fn later(name: impl AsRef<str> + Send) -> impl Future<Output = Result<usize, Denied>> + Send {
    async move { Ok(name.as_ref().len()) }
}

#[rate_limit(key = "global", rate = "1/min")]
async fn called<F: Future<Output = u8>>(call: impl FnOnce(u8) -> F, value: u8) -> Result<u8, Denied> {
    Ok(call(value).await)
}

struct Service;

impl Service {
    #[rate_limit(key = name.as_ref(), rate = "1/min")]
    async fn method(&self, name: impl AsRef<str> + Into<String>) -> Result<String, Denied> {
        Ok(name.into())
    }
}

fn main() {
    let _ = by_expression("a");
    let _ = by_expression(String::from("a"));
    let _ = by_word(1, &["a"]);
    let _ = later("a");
    let _ = called(async |value: u8| value, 1);
    let _ = Service.method("a");
}
