//! What actix handlers return: a response, a result with one, and what becomes one.
#![deny(warnings)]

use actix_web::{HttpResponse, Responder, web};
use ratelimit::rate_limit;

#[rate_limit(key = "ip", rate = "1/min")]
async fn response() -> HttpResponse {
    HttpResponse::Ok().finish()
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn qualified() -> actix_web::HttpResponse {
    actix_web::HttpResponse::NoContent().finish()
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn hidden() -> impl Responder {
    "text"
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn or_error(n: web::Path<u8>) -> actix_web::Result<HttpResponse> {
    if *n == 0 {
        return Err(actix_web::error::ErrorNotFound("none"));
    }
    Ok(HttpResponse::Ok().body(n.to_string()))
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn hidden_or_error(n: web::Path<String>) -> Result<impl Responder, actix_web::Error> {
    let n: u8 = n.parse().map_err(actix_web::error::ErrorBadRequest)?;
    Ok(web::Json(n))
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn option() -> Option<String> {
    None
}

fn main() {
    let _ = actix_web::App::new()
        .route("/response", web::get().to(response))
        .route("/qualified", web::get().to(qualified))
        .route("/hidden", web::get().to(hidden))
        .route("/or_error/{n}", web::get().to(or_error))
        .route("/hidden_or_error/{n}", web::get().to(hidden_or_error))
        .route("/option", web::get().to(option));
}
