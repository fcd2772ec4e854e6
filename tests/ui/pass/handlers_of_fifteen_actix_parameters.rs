//! actix handlers without parameters and with as many as one can have.
#![deny(warnings)]
#![allow(clippy::too_many_arguments)]

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, Uri},
    web,
};
use ratelimit::rate_limit;

#[rate_limit(key = "ip", rate = "1/min")]
async fn none() -> HttpResponse {
    HttpResponse::Ok().finish()
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn fifteen(
    _: HttpRequest,
    _: Method,
    _: Uri,
    _: web::Data<u8>,
    _: web::Path<u8>,
    _: web::Query<Vec<(String, String)>>,
    _: HttpRequest,
    _: Method,
    _: Uri,
    _: web::Data<u8>,
    _: web::Path<u8>,
    _: web::Query<Vec<(String, String)>>,
    _: Method,
    _: Option<web::Data<u16>>,
    _: web::Json<u8>,
) -> HttpResponse {
    HttpResponse::Ok().finish()
}

fn main() {
    let _ = actix_web::App::new()
        .service(web::resource("/{n}").route(web::get().to(none)).route(web::post().to(fifteen)));
}
