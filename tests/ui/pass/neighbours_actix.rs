//! The route attributes of actix above, below and between limits, in a module that imports all from another.
#![deny(warnings)]

use actix_web::{HttpResponse, get, post, web};
use ratelimit::rate_limit;

mod actix_above_and_below {
    use super::*;

    #[get("/a")]
    #[rate_limit(key = "ip", rate = "1/min")]
    pub(super) async fn above() -> HttpResponse {
        HttpResponse::Ok().finish()
    }

    #[rate_limit(key = "ip", rate = "1/min")]
    #[get("/b")]
    pub(super) async fn below() -> HttpResponse {
        HttpResponse::Ok().finish()
    }

    #[rate_limit(key = "ip", rate = "1/min")]
    #[post("/c", wrap = "actix_web::middleware::NormalizePath::trim()")]
    #[rate_limit(key = "global", rate = "100/min")]
    pub(super) async fn around(body: web::Bytes) -> impl actix_web::Responder {
        body
    }
}

fn main() {
    let _ = actix_web::App::new()
        .service(actix_above_and_below::above)
        .service(actix_above_and_below::below)
        .service(actix_above_and_below::around);
}
