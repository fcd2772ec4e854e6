//! axum handlers that take the whole request, or a part of it that the key uses.
#![deny(warnings)]

use axum::{Router, extract::Request, http::Method, response::IntoResponse, routing::post};
use ratelimit::rate_limit;

#[rate_limit(key = "path:id + query:page + cookie:session", rate = "1/min")]
async fn request(request: Request) -> impl IntoResponse {
    request.into_body()
}

#[rate_limit(key = "request.method + method", rate = "1/min")]
async fn late(method: Method, body: String) -> String {
    format!("{method}{body}")
}

fn main() {
    let _: Router = Router::new().route("/request/{id}", post(request)).route("/late", post(late));
}
