//! Run with: cargo run --example axum
//!
//! A small axum service: one limit by address, one by user or address, and one on uploads, whose body is not read when
//! it is denied. `curl -i localhost:3000/` a few times. With `--once` it asks itself once and exits.

use axum::{
    Router,
    body::Bytes,
    response::IntoResponse,
    routing::{get, post},
};
use ratelimit::{FailMode, Limiter, rate_limit};
use std::{error::Error, net::SocketAddr, time::Duration};

#[rate_limit(key = "ip", rate = "5/min")]
async fn hello() -> impl IntoResponse {
    "hello"
}

/// `user` is what an authentication vouches for, by inserting the request extension `ratelimit::User`.
#[rate_limit(key = "user | ip", algo = "token_bucket", rate = "100/min", burst = 20)]
async fn search() -> impl IntoResponse {
    "found"
}

#[rate_limit(key = "ip", algo = "sliding_log", rate = "10/h", fail = "closed")]
async fn upload(body: Bytes) -> impl IntoResponse {
    format!("{} bytes", body.len())
}

fn app() -> Router {
    Router::new().route("/", get(hello)).route("/search", get(search)).route("/upload", post(upload))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Only for what differs from the defaults; the store is memory, or what `RATELIMIT_REDIS_URL` names.
    Limiter::builder().fail(FailMode::Local).deadline(Duration::from_millis(30)).build()?.install()?;

    let once = std::env::args().any(|argument| argument == "--once");
    let listener = tokio::net::TcpListener::bind(if once { "127.0.0.1:0" } else { "127.0.0.1:3000" }).await?;
    let address = listener.local_addr()?;
    println!("listening on http://{address}");
    // Without the client's address, all clients would be one.
    let server = axum::serve(listener, app().into_make_service_with_connect_info::<SocketAddr>());
    if !once {
        return Ok(server.await?);
    }
    tokio::spawn(async move { server.await });
    let response = reqwest::get(format!("http://{address}/")).await?;
    println!("{} {:?}", response.status(), response.headers().get("ratelimit"));
    Ok(())
}
