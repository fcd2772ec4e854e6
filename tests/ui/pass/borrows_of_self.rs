//! Methods that lend out a part of `self`.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::{future::Future, pin::Pin};

struct Node {
    name: String,
    next: Option<Box<Node>>,
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
