//! Return types: hidden, boxed, aliased, and every way to leave a body.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::fmt::{Debug, Display};

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

type Outcome<T> = Result<T, Failure>;

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

#[rate_limit(key = "global", rate = "1/min")]
async fn never() -> Result<std::convert::Infallible, Denied> {
    loop {
        std::future::pending::<()>().await;
    }
}

#[rate_limit(key = "global", rate = "1/min")]
async fn any_error<E: From<Denied> + Debug>() -> Result<(), E> {
    Ok(())
}

#[rate_limit(key = "global", rate = "1/min")]
async fn text() -> Result<(), String> {
    Err("no".to_owned())
}

macro_rules! of_type {
    ($name:ident, $output:ty, $body:block) => {
        #[rate_limit(key = "global", rate = "1/min")]
        async fn $name() -> $output $body
    };
}
of_type!(by_macro, Result<u8, Denied>, { Ok(1) });

#[rate_limit(key = "global", rate = "1/min", handler)]
async fn handler_hidden() -> Result<impl axum::response::IntoResponse, axum::http::StatusCode> {
    if false {
        return Err(axum::http::StatusCode::NOT_FOUND);
    }
    let _number: u8 = "1".parse().map_err(|_| axum::http::StatusCode::BAD_REQUEST)?;
    Ok("hello")
}

#[rate_limit(key = "global", rate = "1/min", handler)]
async fn handler_unit() {}

#[rate_limit(key = "global", rate = "1/min", handler)]
async fn handler_coerced() -> &'static [u8] {
    if false {
        return &[1];
    }
    &[1, 2]
}

fn routes() -> axum::Router {
    use axum::routing::get;
    axum::Router::new().route("/a", get(handler_hidden)).route("/b", get(handler_unit))
}

fn main() {
    let _ = routes();
}
