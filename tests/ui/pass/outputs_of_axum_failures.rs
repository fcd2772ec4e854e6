//! axum handlers that return a result: with a status, and with types of one's own.
#![deny(warnings)]

use axum::{
    Json, Router,
    extract::Path,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::get,
};
use ratelimit::rate_limit;

struct Found(u8);

impl IntoResponse for Found {
    fn into_response(self) -> Response {
        self.0.to_string().into_response()
    }
}

enum Failure {
    Absent,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Failure::Absent => StatusCode::NOT_FOUND.into_response(),
        }
    }
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn or_status(Path(n): Path<u8>) -> Result<Json<u8>, StatusCode> {
    if n == 0 {
        return Err(StatusCode::NOT_FOUND);
    }
    Ok(Json(n))
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn or_failure(Path(n): Path<u8>) -> Result<Found, Failure> {
    let n = n.checked_sub(1).ok_or(Failure::Absent)?;
    Ok(Found(n))
}

fn main() {
    let _: Router = Router::new().route("/{n}", get(or_status).post(or_failure));
}
