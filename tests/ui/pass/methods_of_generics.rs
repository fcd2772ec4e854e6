//! Methods and handlers of a generic type, with types of their own.
#![deny(warnings)]
#![allow(dead_code)]

use axum::{Router, routing::get};
use ratelimit::{Denied, rate_limit};

struct Generic<T>(T);

impl<T: Clone + Send + Sync> Generic<T> {
    #[rate_limit(key = "name", rate = "1/min")]
    async fn method<U: Into<T>>(&self, name: &str, other: U) -> Result<T, Denied>
    where
        U: Send,
    {
        let _ = name;
        Ok(other.into())
    }
    #[rate_limit(key = "ip", rate = "1/min")]
    async fn handler() -> String
    where
        T: Default + ToString,
    {
        T::default().to_string()
    }
}

fn main() {
    let _: Router = Router::new().route("/g", get(Generic::<u8>::handler).post(Generic::<String>::handler));
}
