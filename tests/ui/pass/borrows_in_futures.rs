//! Returned futures that borrow from the parameters.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::{future::Future, pin::Pin};

struct Node {
    name: String,
}
struct Ref<'a>(&'a str);

#[rate_limit(key = "key", rate = "1/min")]
fn find_later<'a>(node: &'a Node, key: &'a str) -> impl Future<Output = Result<Ref<'a>, Denied>> + 'a {
    async move { Ok(Ref(if node.name == key { key } else { &node.name })) }
}

#[rate_limit(key = "key", rate = "1/min")]
fn find_boxed<'a>(
    node: &'a Node,
    key: &'a str,
) -> Pin<Box<dyn Future<Output = Result<Ref<'a>, Denied>> + Send + 'a>> {
    let shown = key.len();
    Box::pin(async move { Ok(Ref(if shown == 3 { key } else { &node.name })) })
}

fn main() {}
