//! Run with: cargo run --example actix
//!
//! A small actix service: one limit by address, one by user or address, and one on uploads, whose body is not read
//! when it is denied. `curl -i localhost:3000/` a few times. With `--once` it asks itself once and exits.

use actix_web::{App, HttpServer, Responder, get, post, rt, web::Bytes};
use ratelimit::{FailMode, Limiter, rate_limit};
use std::{error::Error, time::Duration};

#[get("/")]
#[rate_limit(key = "ip", rate = "5/min")]
async fn hello() -> impl Responder {
    "hello"
}

/// `user` is what an authentication vouches for, by inserting the request extension `ratelimit::User`.
#[get("/search")]
#[rate_limit(key = "user | ip", algo = "token_bucket", rate = "100/min", burst = 20)]
async fn search() -> impl Responder {
    "found"
}

#[post("/upload")]
#[rate_limit(key = "ip", algo = "sliding_log", rate = "10/h", fail = "closed")]
async fn upload(body: Bytes) -> impl Responder {
    format!("{} bytes", body.len())
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Only for what differs from the defaults; the store is memory, or what `RATELIMIT_REDIS_URL` names.
    Limiter::builder().fail(FailMode::Local).deadline(Duration::from_millis(30)).build()?.install()?;

    let once = std::env::args().any(|argument| argument == "--once");
    let server = HttpServer::new(|| App::new().service(hello).service(search).service(upload));
    let server = server.bind(("127.0.0.1", if once { 0 } else { 3000 }))?;
    let address = server.addrs().first().copied().ok_or("bound to nothing")?;
    println!("listening on http://{address}");
    let server = server.run();
    if !once {
        return Ok(server.await?);
    }
    rt::spawn(server);
    let response = reqwest::get(format!("http://{address}/")).await?;
    println!("{} {:?}", response.status(), response.headers().get("ratelimit"));
    Ok(())
}
