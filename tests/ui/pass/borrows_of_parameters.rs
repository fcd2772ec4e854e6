//! Outputs that borrow from some of the parameters.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

struct Node {
    name: String,
}
struct Ref<'a>(&'a str);

#[rate_limit(key = "key", rate = "1/min")]
async fn find<'a>(node: &'a Node, key: &str) -> Result<Option<Ref<'a>>, Denied> {
    Ok((node.name == key).then(|| Ref(&node.name)))
}

#[rate_limit(key = "left", rate = "1/min")]
async fn independent<'a, 'b>(left: &'a str, right: &'b str) -> Result<(&'a str, &'b str), Denied> {
    Ok((left, right))
}

fn main() {}
