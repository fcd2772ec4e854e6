//! Lifetimes of every kind.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::{future::Future, pin::Pin};

struct Node {
    name: String,
    next: Option<Box<Node>>,
}
struct Ref<'a>(&'a str);

#[rate_limit(key = "key", rate = "1/min")]
async fn find<'a>(node: &'a Node, key: &str) -> Result<Option<Ref<'a>>, Denied> {
    Ok((node.name == key).then(|| Ref(&node.name)))
}

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

#[rate_limit(key = "left", rate = "1/min")]
async fn independent<'a, 'b>(left: &'a str, right: &'b str) -> Result<(&'a str, &'b str), Denied> {
    Ok((left, right))
}

#[rate_limit(key = N, rate = "1/min")]
async fn generic<T, const N: usize>(value: &T, array: &mut [u8; N]) -> Result<usize, Denied>
where
    T: ?Sized + AsRef<str>,
{
    array.fill(1);
    Ok(value.as_ref().len() + array.len())
}

impl Node {
    #[rate_limit(key = "self.name", rate = "1/min")]
    async fn name(&self) -> Result<&str, Denied> {
        Ok(&self.name)
    }

    #[rate_limit(key = "global", rate = "1/min")]
    async fn last(&mut self) -> Result<&mut Node, Denied> {
        let mut node = self;
        while let Some(ref mut next) = node.next {
            node = next;
        }
        Ok(node)
    }

    #[rate_limit(key = "self.name", rate = "1/min")]
    fn name_boxed(&self) -> Pin<Box<dyn Future<Output = Result<&str, Denied>> + Send + '_>> {
        let name = &self.name;
        Box::pin(async move { Ok(&**name) })
    }

    #[rate_limit(key = "self.name", rate = "1/min")]
    fn name_later(&self) -> impl Future<Output = Result<&str, Denied>> {
        async { Ok(&*self.name) }
    }
}

fn main() {}
