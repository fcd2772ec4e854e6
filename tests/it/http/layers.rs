//! Several limits on one handler: each is listed, and the one that bites is reported.

use super::{axum_server, field, get};
use axum::{Router, response::IntoResponse, routing};
use ratelimit::{Limiter, ManualClock, rate_limit};
use std::time::Duration;

#[rate_limit(name = "route", key = "ip", algo = "fixed_window", rate = "2/min")]
#[rate_limit(name = "client", key = "ip", algo = "fixed_window", rate = "20/h")]
async fn narrow() -> impl IntoResponse {}

#[rate_limit(name = "client", key = "ip", algo = "fixed_window", rate = "20/h")]
async fn wide() -> impl IntoResponse {}

#[tokio::test]
async fn headers_tell_of_the_limit_that_bites() {
    let clock = ManualClock::new();
    let limiter = Limiter::builder().clock(clock.clone()).build().unwrap();
    let app = Router::new().route("/narrow", routing::get(narrow)).route("/wide", routing::get(wide));
    let server = axum_server(app, limiter).await;
    let numbers = |response: &reqwest::Response| {
        let number = |name| field(response, name).map(|text| text.parse::<u64>().unwrap());
        (number("ratelimit-limit"), number("ratelimit-remaining"), number("retry-after"))
    };

    let first = get(&server, "/narrow").await;
    assert_eq!(numbers(&first), (Some(2), Some(1), None));
    assert_eq!(field(&first, "ratelimit"), Some("\"route\";r=1;t=60, \"client\";r=19;t=3600"));
    get(&server, "/narrow").await;
    let denied = get(&server, "/narrow").await;
    assert_eq!((denied.status().as_u16(), numbers(&denied)), (429, (Some(2), Some(0), Some(60))));

    // A minute later the route is open, and the client is nearly at its limit by other routes.
    clock.advance(Duration::from_secs(60));
    for _ in 0..17 {
        assert_eq!(get(&server, "/wide").await.status(), 200);
    }
    let tight = get(&server, "/narrow").await;
    assert_eq!((tight.status().as_u16(), numbers(&tight)), (200, (Some(20), Some(0), None)));
    let denied = get(&server, "/narrow").await;
    assert_eq!(numbers(&denied), (Some(20), Some(0), Some(3_540)));
    let problem: serde_json::Value = denied.json().await.unwrap();
    assert_eq!(problem["violated-policies"], serde_json::json!(["client"]));
}

#[tokio::test]
async fn who_is_denied_by_two_limits_is_told_the_longer_wait() {
    let limiter = Limiter::builder().clock(ManualClock::new()).build().unwrap();
    let app = Router::new().route("/narrow", routing::get(narrow)).route("/wide", routing::get(wide));
    let server = axum_server(app, limiter).await;
    for path in ["/narrow"; 2].into_iter().chain(["/wide"; 18]) {
        assert_eq!(get(&server, path).await.status(), 200);
    }
    let denied = get(&server, "/narrow").await;
    assert_eq!(field(&denied, "retry-after"), Some("3600"));
    let problem: serde_json::Value = denied.json().await.unwrap();
    assert_eq!(problem["violated-policies"], serde_json::json!(["route", "client"]));
}
