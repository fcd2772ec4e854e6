//! Real servers over sockets, and a real client.

mod actix;
mod axum;
mod body;
mod requests;
mod responses;
mod wire;

use ::axum::{
    Router,
    extract::Request,
    middleware::{Next, from_fn},
};
use core::time::Duration;
use ratelimit::{
    Limiter,
    store::{Answer, Charge, Outcome, Receipt, Store, Verdict, Verdicts},
};
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

/// A store that takes its time, and denies.
#[derive(Debug)]
struct LateDenial;

impl Store for LateDenial {
    fn decide<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        Answer::pending(async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            let retry_after = Duration::from_secs(1);
            let verdict = Verdict {
                outcome: Outcome::Denied { retry_after },
                remaining: 0,
                reset_after: retry_after,
                receipt: Receipt::default(),
            };
            Ok(charges.iter().map(|_| verdict).collect())
        })
    }

    fn give_back<'a>(&'a self, _charge: &'a Charge<'a>, _receipt: Receipt) -> Answer<'a, ()> {
        Answer::ready(Ok(()))
    }
}

/// A limiter whose store denies after five milliseconds.
fn late_denial() -> Limiter {
    Limiter::builder().store(LateDenial).deadline(Duration::from_secs(60)).build().unwrap()
}

/// Posts ten megabytes, and expects to be denied; that the server hangs up on the rest is as good.
async fn post_ten_megabytes(server: &str) {
    let body = vec![b'x'; 10 << 20];
    if let Ok(response) = reqwest::Client::new().post(format!("{server}/upload")).body(body).send().await {
        assert_eq!(response.status(), 429);
    }
}
