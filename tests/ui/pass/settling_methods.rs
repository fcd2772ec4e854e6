//! Methods with a permit, of every shape, without a lint of its own.
#![deny(warnings, clippy::pedantic)]
#![allow(clippy::unused_async, dead_code)]
#![forbid(unsafe_code)]

use ratelimit::{Denied, rate_limit};
use std::{future::Future, pin::Pin};

struct Client;

impl Client {
    #[rate_limit(key = "host", algo = "concurrency", limit = 3)]
    async fn fetch(&mut self, host: &str) -> Result<impl Iterator<Item = u8> + use<>, Denied> {
        let _ = host;
        Ok([1, 2].into_iter())
    }

    #[rate_limit(key = "host", rate = "10/min", charge_if = |out| out.is_err())]
    fn boxed<'a>(&'a self, host: &'a str) -> Pin<Box<dyn Future<Output = Result<(), Denied>> + Send + 'a>> {
        Box::pin(async move {
            if host.is_empty() {
                return Ok(());
            }
            Ok(())
        })
    }

    #[rate_limit(key = "host", rate = "10/min", cost = 2, settle = |out| *out, when = host.len() > 3)]
    fn hidden(&self, host: &str) -> impl Future<Output = Result<u64, Denied>> + Send + use<> {
        let length = host.len() as u64;
        async move { Ok(length) }
    }
}

fn is_send<T: Send>(_: T) {}

fn main() {
    is_send(Client.boxed(""));
    is_send(Client.hidden(""));
}
