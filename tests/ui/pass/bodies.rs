//! Bodies keep their own attributes and items; a function is never run into twice.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::{future::Future, pin::Pin};

#[rate_limit(key = "a", rate = "1/min")]
async fn inner_attributes(a: u8) -> Result<u8, Denied> {
    #![allow(unused_variables)]
    //! And documentation.
    let unused = 1;
    Ok(a)
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn handler_with_inner_attributes() {
    #![allow(unused_variables)]
    let unused = 1;
}

#[rate_limit(key = "a", rate = "1/min")]
async fn one_expression(a: u8) -> Result<u8, Denied> {
    Ok(a)
}

#[rate_limit(key = "a", rate = "1/min")]
async fn nested(a: u8) -> Result<u8, Denied> {
    #[rate_limit(key = "b", rate = "1/min")]
    async fn inner(b: u8) -> Result<u8, Denied> {
        Ok(b)
    }
    let closure = async |c: u8| inner(c).await;
    closure(a).await
}

#[rate_limit(key = "a", rate = "1/min")]
fn future_with_statements(a: u8) -> impl Future<Output = Result<u8, Denied>> {
    let b = a + 1;
    async move { Ok(b) }
}

#[rate_limit(key = "a", rate = "1/min")]
fn ready(a: u8) -> std::pin::Pin<Box<dyn Future<Output = Result<u8, Denied>> + Send>> {
    #![allow(unused_mut)]
    if a == 0 {
        return Box::pin(std::future::ready(Ok(0)));
    }
    let mut b = a;
    Box::pin(async move { Ok(b) })
}

#[rate_limit(key = "a", rate = "1/min")]
fn boxed_block(a: u8) -> Pin<Box<dyn Future<Output = Result<u8, Denied>> + Send>> {
    Box::pin(async move {
        if a == 0 {
            return Ok(0);
        }
        Ok(a)
    })
}

#[rate_limit(key = "a", rate = "1/min")]
fn alias(a: u8) -> futures::future::BoxFuture<'static, Result<u8, Denied>> {
    use futures::FutureExt as _;
    async move { Ok(a) }.boxed()
}

#[rate_limit(key = "a", rate = "1/min")]
fn local_alias<'a>(a: &'a str) -> futures::future::LocalBoxFuture<'a, Result<&'a str, Denied>> {
    Box::pin(async move { Ok(a) })
}

fn main() {}
