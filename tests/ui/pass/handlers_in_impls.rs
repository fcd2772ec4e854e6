//! Handlers that belong to types, also of one name, of axum and actix.
#![deny(warnings)]

use axum::{Router, routing::get};
use ratelimit::rate_limit;

struct A;
struct B;

impl A {
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
    #[rate_limit(key = "ip", rate = "1/min")]
    async fn handler() -> &'static str {
        "b"
    }
}

fn main() {
    let _: Router = Router::new()
        .route("/a", get(A::handler))
        .route("/b", get(B::handler))
        .route("/a/{n}", get(A::of_self));
    let _ = actix_web::web::resource("/").to(B::handler);
}
