//! Real servers over sockets, and a real client.

mod actix;
mod axum;
mod body;
mod layers;
mod requests;
mod responses;
mod settling;
mod wire;

use ::axum::{
    Router,
    extract::Request,
    middleware::{Next, from_fn},
};
use core::time::Duration;
use ratelimit::Limiter;
use ratelimit_tests::{Proxy, RedisServer, Weather};
use std::net::SocketAddr;

/// Serves a router whose limits are decided by that limiter, and returns its address.
pub(crate) async fn axum_server(app: Router, limiter: Limiter) -> String {
    let app = app.layer(from_fn(move |request: Request, next: Next| {
        let limiter = limiter.clone();
        async move { limiter.scope(next.run(request)).await }
    }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { ::axum::serve(listener, service).await.unwrap() });
    address
}

pub(crate) async fn get(server: &str, path: &str) -> reqwest::Response {
    reqwest::get(format!("{server}{path}")).await.unwrap()
}

/// The one value of a header field.
fn field<'r>(response: &'r reqwest::Response, name: &str) -> Option<&'r str> {
    let mut values = response.headers().get_all(name).iter();
    let value = values.next().map(|value| value.to_str().unwrap());
    assert!(values.next().is_none(), "{name} twice");
    value
}

/// What both frameworks answer to a limit of two a minute that is reached.
async fn check_answers(server: &str) {
    let first = get(server, "/").await;
    assert_eq!(first.status(), 200);
    assert_eq!(field(&first, "ratelimit-policy"), Some("\"ip-60s\";q=2;w=60"));
    assert_eq!(field(&first, "ratelimit"), Some("\"ip-60s\";r=1;t=60"));
    assert_eq!(field(&first, "ratelimit-limit"), Some("2"));
    assert_eq!(field(&first, "ratelimit-remaining"), Some("1"));
    assert_eq!(field(&first, "ratelimit-reset"), Some("60"));
    assert_eq!(field(&first, "retry-after"), None);
    assert_eq!(get(server, "/").await.status(), 200);

    let denied = get(server, "/").await;
    assert_eq!(denied.status(), 429);
    assert_eq!(field(&denied, "retry-after"), Some("60"));
    assert_eq!(field(&denied, "ratelimit"), Some("\"ip-60s\";r=0;t=60"));
    assert_eq!(field(&denied, "ratelimit-reset"), Some("60"));
    assert_eq!(field(&denied, "cache-control"), Some("no-store"));
    assert_eq!(field(&denied, "content-type"), Some("application/problem+json"));
    let problem: serde_json::Value = denied.json().await.unwrap();
    assert_eq!(problem["status"], 429);
    assert_eq!(problem["error"], "rate_limited");
    assert_eq!(problem["retry_after_seconds"], 60);
    assert_eq!(problem["violated-policies"], serde_json::json!(["ip-60s"]));
}

/// A Redis whose answers take five milliseconds, and a limiter that counts there.
async fn far_redis() -> (RedisServer, Limiter) {
    let redis = RedisServer::start();
    let link = Proxy::to(&redis).await;
    link.set(Weather::Slow(Duration::from_millis(5)));
    let limiter = Limiter::builder().redis(link.url()).deadline(Duration::from_secs(60)).build().unwrap();
    (redis, limiter)
}

/// Spends the one upload of this minute, and posts ten megabytes, which are denied; that the server hangs up on the
/// rest is as good.
async fn post_ten_megabytes(server: &str) {
    let post = |body: Vec<u8>| reqwest::Client::new().post(format!("{server}/upload")).body(body).send();
    assert_eq!(post(Vec::new()).await.unwrap().status(), 200);
    if let Ok(response) = post(vec![b'x'; 10 << 20]).await {
        assert_eq!(response.status(), 429);
    }
}
