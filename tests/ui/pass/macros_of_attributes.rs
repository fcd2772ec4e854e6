//! A macro that passes on whole functions, their attributes and visibility among them.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

macro_rules! pass_on {
    ($($(#[$attribute:meta])* $visibility:vis async fn $name:ident($key:ident: $ty:ty) -> $output:ty $body:block)*) => {$(
        $(#[$attribute])*
        $visibility async fn $name($key: $ty) -> $output $body
    )*};
}
pass_on! {
    /// Of a parameter.
    #[rate_limit(key = "user", rate = "1/s")]
    #[rate_limit(key = "global", rate = "10/s")]
    pub(crate) async fn by_parameter(user: u8) -> Result<u8, Denied> {
        Ok(user)
    }

    #[rate_limit(key = "ip", rate = "1/s")]
    async fn handler(body: String) -> String {
        body
    }
}

macro_rules! whole {
    ($function:item) => {
        $function
    };
}
whole! {
    #[rate_limit(key = "user", rate = "1/s")]
    async fn item(user: u8) -> Result<u8, Denied> {
        Ok(user)
    }
}

fn main() {
    let _: axum::Router = axum::Router::new().route("/", axum::routing::post(handler));
}
