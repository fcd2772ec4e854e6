//! Methods of every kind of `impl`.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::future::Future;

struct A;
struct B;
struct Generic<T>(T);
struct Sized<const N: usize>;

impl A {
    #[rate_limit(key = "global", rate = "1/min")]
    async fn same(&self) -> Result<u8, Denied> {
        Ok(1)
    }
    #[rate_limit(key = "ip", rate = "1/min")]
    async fn handler() -> &'static str {
        "a"
    }
    #[rate_limit(key = "ip", rate = "1/min")]
    pub async fn of_self(axum::extract::Path(_): axum::extract::Path<u8>) -> &'static str {
        "a"
    }
}

impl B {
    #[rate_limit(key = "global", rate = "1/min")]
    async fn same(&self) -> Result<u8, Denied> {
        Ok(2)
    }
    #[rate_limit(key = "ip", rate = "1/min")]
    async fn handler() -> &'static str {
        "b"
    }
}

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

impl<const N: usize> Sized<N> {
    #[rate_limit(key = N, rate = "1/min")]
    async fn method(&self) -> Result<usize, Denied> {
        Ok(N)
    }
}

trait Native {
    const LIMIT: usize;
    async fn required(&self, key: u8) -> Result<u8, Denied>;
    #[rate_limit(key = "key", rate = "1/min")]
    async fn provided(&self, key: u8) -> Result<u8, Denied> {
        self.required(key).await
    }
    #[rate_limit(key = Self::LIMIT, rate = "1/min")]
    async fn without_receiver() -> Result<usize, Denied> {
        Ok(Self::LIMIT)
    }
    #[rate_limit(key = "key", rate = "1/min")]
    fn later(&self, key: u8) -> impl Future<Output = Result<u8, Denied>> + Send {
        async move { Ok(key) }
    }
}

impl Native for A {
    const LIMIT: usize = 1;
    #[rate_limit(key = "key", rate = "1/min")]
    async fn required(&self, key: u8) -> Result<u8, Denied> {
        Ok(key)
    }
    #[rate_limit(key = "key", rate = "1/min")]
    fn later(&self, key: u8) -> impl Future<Output = Result<u8, Denied>> + Send {
        async move { Ok(key + 1) }
    }
}

#[async_trait::async_trait]
trait Boxed: Send + Sync {
    async fn by_ref(&self, key: &str) -> Result<usize, Denied>;
    async fn by_mut(&mut self, key: String) -> Result<&mut Self, Denied>;
    async fn by_value(self, mut key: u8) -> Result<Box<dyn std::fmt::Display + Send>, Denied>;
    #[rate_limit(key = "key", rate = "1/min")]
    async fn provided(&self, key: &str) -> Result<usize, Denied> {
        self.by_ref(key).await
    }
}

#[async_trait::async_trait]
impl Boxed for A {
    #[rate_limit(key = "key", rate = "1/min")]
    async fn by_ref(&self, key: &str) -> Result<usize, Denied> {
        if key.is_empty() {
            return Ok(0);
        }
        Ok(key.len())
    }
    #[rate_limit(key = "key", rate = "1/min")]
    async fn by_mut(&mut self, key: String) -> Result<&mut Self, Denied> {
        let _ = key;
        Ok(self)
    }
    #[rate_limit(key = "key", rate = "1/min")]
    async fn by_value(self, mut key: u8) -> Result<Box<dyn std::fmt::Display + Send>, Denied> {
        key += 1;
        if key == 1 {
            return Ok(Box::new("one"));
        }
        Ok(Box::new(key))
    }
}

#[async_trait::async_trait(?Send)]
trait Local {
    async fn run(&self, key: u8) -> Result<u8, Denied>;
}

struct Keyed {
    name: String,
}

#[async_trait::async_trait(?Send)]
impl Local for Keyed {
    #[rate_limit(key = "self.name + key", rate = "1/min")]
    async fn run(&self, key: u8) -> Result<u8, Denied> {
        let shared = std::rc::Rc::new(key);
        std::future::ready(()).await;
        Ok(*shared)
    }
}

macro_rules! handlers_of_one_name {
    ($($ty:ident)*) => {$(
        struct $ty;
        impl $ty {
            #[rate_limit(key = "ip", rate = "1/min")]
            async fn list() -> &'static str {
                stringify!($ty)
            }
        }
    )*};
}
handlers_of_one_name!(Users Groups Orders);

fn main() {
    use axum::routing::get;
    let _: axum::Router = axum::Router::new()
        .route("/a", get(A::handler))
        .route("/b", get(B::handler))
        .route("/a/{n}", get(A::of_self))
        .route("/g", get(Generic::<u8>::handler).post(Generic::<String>::handler))
        .route("/list", get(Users::list).post(Groups::list).put(Orders::list));
    let _ = actix_web::web::resource("/").to(B::handler);
}
