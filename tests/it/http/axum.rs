use super::{axum_server, check_answers, far_redis, field, get, post_ten_megabytes};
use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{ConnectInfo, Path, Request, State},
    http::StatusCode,
    middleware::{Next, from_fn},
    response::IntoResponse,
    routing::{get as route, post},
};
use futures::StreamExt;
use ratelimit::{Limiter, ManualClock, Tenant, User, rate_limit};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

fn limiter() -> Limiter {
    Limiter::builder().clock(ManualClock::new()).build().unwrap()
}

#[rate_limit(key = "ip", algo = "fixed_window", rate = "2/min")]
async fn hello() -> impl IntoResponse {
    "hello"
}

#[tokio::test]
async fn allowed_and_denied_answers_carry_the_headers() {
    let server = axum_server(Router::new().route("/", route(hello)), limiter()).await;
    check_answers(&server).await;
}

#[rate_limit(key = "ip", rate = "1/day")]
async fn upload(body: Bytes) -> impl IntoResponse {
    body.len().to_string()
}

#[tokio::test]
async fn denied_request_has_none_of_its_body_read() {
    let read = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&read);
    let count = from_fn(move |request: Request, next: Next| {
        let counter = Arc::clone(&counter);
        let request = request.map(|body| {
            Body::from_stream(body.into_data_stream().inspect(move |chunk| {
                counter.fetch_add(chunk.as_ref().map_or(0, Bytes::len), Ordering::SeqCst);
            }))
        });
        next.run(request)
    });
    let (_redis, limiter) = far_redis().await;
    let server = axum_server(Router::new().route("/upload", post(upload)).layer(count), limiter).await;
    post_ten_megabytes(&server).await;
    assert_eq!(read.load(Ordering::SeqCst), 0);
}

#[rate_limit(key = "tenant + (user | ip)", rate = "1/min")]
async fn whoever(
    State(()): State<()>,
    ConnectInfo(_): ConnectInfo<SocketAddr>,
) -> Result<&'static str, StatusCode> {
    Ok("hello")
}

/// Stands for an authentication: it vouches for whom it finds.
async fn authenticate(mut request: Request, next: Next) -> axum::response::Response {
    let (user, tenant) = {
        let claim = |name: &str| Some(request.headers().get(name)?.to_str().ok()?.to_owned());
        (claim("x-test-user"), claim("x-test-tenant"))
    };
    if let Some(user) = user {
        request.extensions_mut().insert(User::new(user));
    }
    if let Some(tenant) = tenant {
        request.extensions_mut().insert(Tenant::new(tenant));
    }
    next.run(request).await
}

#[tokio::test]
async fn identities_come_from_extensions_and_nobody_shares_an_anonymous_bucket() {
    let app = Router::new().route("/", route(whoever)).layer(from_fn(authenticate)).with_state(());
    let server = axum_server(app, limiter()).await;
    let ask = async |user: Option<&str>, tenant: &str| {
        let mut request = reqwest::Client::new().get(&server).header("x-test-tenant", tenant);
        if let Some(user) = user {
            request = request.header("x-test-user", user);
        }
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!([ask(Some("ann"), "a").await, ask(Some("ann"), "a").await], [200, 429]);
    assert_eq!(ask(Some("bob"), "a").await, 200);
    assert_eq!(ask(Some("ann"), "b").await, 200);
    // Without a user: by address, under a mark that no user can have.
    assert_eq!([ask(None, "a").await, ask(None, "a").await], [200, 429]);
    assert_eq!(ask(Some("127.0.0.1"), "a").await, 200);
}

#[rate_limit(key = "header:x-shop", rate = "1/min")]
async fn by_header() -> impl IntoResponse {
    "hello"
}

#[tokio::test]
async fn long_and_binary_headers_are_told_apart_and_an_empty_one_is_missing() {
    let server = axum_server(Router::new().route("/", route(by_header)), limiter()).await;
    let ask = async |value: Vec<u8>| {
        let value = reqwest::header::HeaderValue::from_bytes(&value).unwrap();
        reqwest::Client::new().get(&server).header("x-shop", value).send().await.unwrap().status().as_u16()
    };
    let long = |last: u8| [vec![b'x'; 100_000], vec![last]].concat();
    assert_eq!([ask(long(b'a')).await, ask(long(b'a')).await, ask(long(b'b')).await], [200, 429, 200]);
    assert_eq!([ask(vec![0xff]).await, ask(vec![0xff]).await, ask(vec![0xfe]).await], [200, 429, 200]);
    // Both count as the same client without a shop.
    assert_eq!(ask(Vec::new()).await, 200);
    assert_eq!(get(&server, "/").await.status(), 429);
}

#[rate_limit(key = "path:id + query:page + cookie:session + method", rate = "1/min")]
async fn by_the_rest(Path(_): Path<String>) -> impl IntoResponse {
    "hello"
}

#[tokio::test]
async fn every_word_of_a_request_has_its_value() {
    let server = axum_server(Router::new().route("/item/{id}", route(by_the_rest)), limiter()).await;
    let ask = async |path: &str, cookie: &str| {
        let request = reqwest::Client::new().get(format!("{server}{path}")).header("cookie", cookie);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(ask("/item/1?page=1", "a=b; session=s").await, 200);
    assert_eq!(ask("/item/1?page=1", "session=s").await, 429);
    assert_eq!(ask("/item/2?page=1", "session=s").await, 200);
    assert_eq!(ask("/item/1?page=%32", "session=s").await, 200);
    assert_eq!(ask("/item/1?page=2", "session=s").await, 429);
    assert_eq!(ask("/item/1?page=1", "session=other").await, 200);
}

#[rate_limit(key = "order", rate = "10/min", cost = order.0)]
async fn by_parameter(order: Order, Json(_): Json<serde_json::Value>) -> impl IntoResponse {
    "ordered"
}

struct Order(u64);

impl ratelimit::KeyPart for Order {
    fn write(&self, slot: ratelimit::Slot<'_>) {
        slot.text("orders");
    }
}

impl<S: Sync> axum::extract::FromRequestParts<S> for Order {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut axum::http::request::Parts, _: &S) -> Result<Self, StatusCode> {
        parts.uri.query().and_then(|query| query.parse().ok()).map(Order).ok_or(StatusCode::BAD_REQUEST)
    }
}

#[tokio::test]
async fn layer_that_needs_a_parameter_is_decided_in_the_handler() {
    let server = axum_server(Router::new().route("/", post(by_parameter)), limiter()).await;
    let ask = async |cost: u64| {
        let request = reqwest::Client::new().post(format!("{server}/?{cost}"));
        request.json(&serde_json::json!({})).send().await.unwrap()
    };
    let first = ask(4).await;
    assert_eq!((first.status().as_u16(), field(&first, "ratelimit-remaining")), (200, Some("6")));
    assert_eq!(ask(7).await.status(), 429);
    assert_eq!(ask(11).await.status(), 413);
    assert_eq!(ask(6).await.status(), 200);
}

#[tokio::test]
async fn server_that_knows_no_peer_limits_all_its_clients_as_one() {
    let app = Router::new().route("/", route(hello));
    let limiter = limiter();
    let app = app.layer(from_fn(move |request: Request, next: Next| {
        let limiter = limiter.clone();
        async move { limiter.scope(next.run(request)).await }
    }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(get(&server, "/").await.status().as_u16());
    }
    assert_eq!(statuses, [200, 200, 429]);
}

#[rate_limit(key = "ip", rate = "1/min")]
#[axum::debug_handler]
async fn debugged(Json(body): Json<serde_json::Value>) -> impl IntoResponse {
    body.to_string()
}

#[rate_limit(key = "ip", rate = "1/min")]
#[tracing::instrument(skip_all, ret, err)]
async fn traced() -> Result<String, StatusCode> {
    Ok("hello".to_owned())
}

#[tokio::test]
async fn neighbouring_attributes_leave_the_limit_in_force() {
    let app = Router::new().route("/debugged", post(debugged)).route("/traced", route(traced));
    let server = axum_server(app, limiter()).await;
    let send = async || {
        let request = reqwest::Client::new().post(format!("{server}/debugged")).json(&serde_json::json!({}));
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!([send().await, send().await], [200, 429]);
    assert_eq!(get(&server, "/traced").await.status(), 200);
    assert_eq!(get(&server, "/traced").await.status(), 429);
}
