//! actix's `route`, which names several methods, and `routes`, which takes several attributes, in both orders.
#![deny(warnings)]

use actix_web::{HttpResponse, route, routes};
use ratelimit::rate_limit;

#[route("/a", method = "GET", method = "HEAD")]
#[rate_limit(key = "ip", rate = "1/min")]
async fn above() -> HttpResponse {
    HttpResponse::Ok().finish()
}

#[rate_limit(key = "ip", rate = "1/min")]
#[route("/b", method = "GET", method = "HEAD")]
async fn below() -> HttpResponse {
    HttpResponse::Ok().finish()
}

#[routes]
#[get("/c")]
#[post("/d")]
#[rate_limit(key = "ip", rate = "1/min")]
async fn several() -> HttpResponse {
    HttpResponse::Ok().finish()
}

#[rate_limit(key = "ip", rate = "1/min")]
#[routes]
#[get("/e")]
#[post("/f")]
async fn several_below() -> HttpResponse {
    HttpResponse::Ok().finish()
}

fn main() {
    let _ = actix_web::App::new().service(above).service(below).service(several).service(several_below);
}
