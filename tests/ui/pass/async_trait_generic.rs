//! Methods of a generic `async_trait`, with lifetimes and types of their own.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[async_trait::async_trait]
trait Repository<T: Send + 'static> {
    async fn find<'a>(&'a self, name: &'a str) -> Result<&'a T, Denied>;
    async fn save<U: Into<T> + Send>(&mut self, name: String, value: U) -> Result<(), Denied>;
}

struct One<T>(T);

#[async_trait::async_trait]
impl<T: Send + Sync + 'static> Repository<T> for One<T> {
    #[rate_limit(key = "name", rate = "1/min")]
    async fn find<'a>(&'a self, name: &'a str) -> Result<&'a T, Denied> {
        let _ = name;
        Ok(&self.0)
    }
    #[rate_limit(key = "name", rate = "1/min")]
    async fn save<U: Into<T> + Send>(&mut self, name: String, value: U) -> Result<(), Denied> {
        drop(name);
        self.0 = value.into();
        Ok(())
    }
}

fn main() {}
