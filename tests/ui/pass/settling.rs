//! Every shape of function with a permit, without a lint of its own.
#![deny(warnings, clippy::pedantic)]
#![allow(clippy::unused_async, dead_code)]
#![forbid(unsafe_code)]

use ratelimit::{Denied, Usd, rate_limit};
use std::{future::Future, pin::Pin};

#[rate_limit(key = "tenant", rate = "10/min", cost = 2, settle = |out: &String| out.len())]
async fn function(tenant: String) -> Result<String, Denied> {
    Ok(tenant)
}

#[rate_limit(key = "tenant", rate = "$1/min", cost = Usd::from_cents(2), settle = |_| Usd::ZERO, on_err = |_| 3)]
#[rate_limit(key = "global", algo = "concurrency", limit = 3)]
async fn early(tenant: &str) -> Result<&str, Box<dyn std::error::Error + Send + Sync>> {
    if tenant.is_empty() {
        return Err("nobody".into());
    }
    let number: u8 = tenant.parse()?;
    Ok(if number > 3 { tenant } else { "3" })
}

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
    is_send(function(String::new()));
    is_send(early(""));
    is_send(Client.boxed(""));
    is_send(Client.hidden(""));
}
