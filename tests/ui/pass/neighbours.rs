//! Other attributes on the same function, in every order that they can stand in.
#![deny(warnings)]
#![allow(dead_code)]

use actix_web::{HttpResponse, get, post, web};
use ratelimit::{Denied, rate_limit};
use std::future::Future;
use tracing::instrument;

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

mod instrumented {
    use super::*;

    #[instrument(skip_all, ret, err)]
    #[rate_limit(key = "key", rate = "1/min")]
    pub(super) async fn above(key: u8) -> Result<u8, Denied> {
        Ok(key)
    }

    #[rate_limit(key = "key", rate = "1/min")]
    #[instrument(ret, err)]
    pub(super) async fn below(key: u8) -> Result<u8, Denied> {
        Ok(key)
    }

    #[rate_limit(key = "ip", rate = "1/min")]
    #[instrument(ret, err)]
    pub(super) async fn handler_below(n: axum::extract::Path<u8>) -> Result<String, axum::http::StatusCode> {
        Ok(n.to_string())
    }

    #[instrument(ret, err)]
    #[rate_limit(key = "ip", rate = "1/min")]
    pub(super) async fn handler_above(n: axum::extract::Path<u8>) -> Result<String, axum::http::StatusCode> {
        Ok(n.to_string())
    }
}

mod documented {
    use super::*;

    #[utoipa::path(get, path = "/x", responses((status = 200, body = String)))]
    #[rate_limit(key = "ip", rate = "1/min")]
    pub(super) async fn above(axum::extract::Path(n): axum::extract::Path<u8>) -> String {
        n.to_string()
    }

    #[rate_limit(key = "ip", rate = "1/min")]
    #[utoipa::path(get, path = "/y", responses((status = 200, body = String)))]
    #[instrument(skip_all)]
    #[rate_limit(key = "global", rate = "100/min")]
    pub(super) async fn below(axum::extract::Path(n): axum::extract::Path<u8>) -> String {
        n.to_string()
    }
}

#[async_recursion::async_recursion]
#[rate_limit(key = "n", rate = "9/min")]
async fn recursion_above(n: u8) -> Result<u8, Denied> {
    if n == 0 { Ok(0) } else { recursion_above(n - 1).await }
}

#[rate_limit(key = "n", rate = "9/min")]
#[async_recursion::async_recursion]
async fn recursion_below(n: u8) -> Result<u8, Denied> {
    if n == 0 { Ok(0) } else { recursion_below(n - 1).await }
}

/// Said once.
#[rate_limit(key = "key", rate = "1/min")]
#[must_use]
#[inline]
#[deprecated = "old"]
#[allow(unused_variables, improper_ctypes_definitions)]
unsafe extern "C" fn all_kept(key: u8) -> std::pin::Pin<Box<dyn Future<Output = Result<(), Denied>>>> {
    Box::pin(async { Ok(()) })
}

fn main() {
    use axum::routing::get;
    let _ = actix_web::App::new()
        .service(actix_above_and_below::above)
        .service(actix_above_and_below::below)
        .service(actix_above_and_below::around);
    let _: axum::Router = axum::Router::new()
        .route("/a/{n}", get(instrumented::handler_above).post(instrumented::handler_below))
        .route("/b/{n}", get(documented::above).post(documented::below));
}
