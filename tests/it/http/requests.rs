//! What comes in: the same request has the same key on both frameworks, however it is written.

use super::{
    axum_server,
    wire::{actix_server, ask},
};
use ::axum::{
    Router,
    extract::Request,
    middleware::{Next, from_fn},
    response::IntoResponse,
    routing,
};
use actix_web::{Responder, web};
use ratelimit::{Limiter, ManualClock, rate_limit};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Its tenants are what the path says.
fn limiter() -> Limiter {
    Limiter::builder()
        .clock(ManualClock::new())
        .tenant(|request| request.path_parameter("shop").map(String::from))
        .build()
        .unwrap()
}

async fn check(server: &str) {
    let status = async |path: &str| ask(server, &format!("GET {path}"), &[]).await.status;
    // Percent-encoding has more than one way to write a value, and all are one key.
    assert_eq!(status("/item/a%2Fb").await, 200);
    assert_eq!(status("/item/a%2fb").await, 429);
    assert_eq!(status("/item/%61%2F%62").await, 429);
    // Decoded once, and no more.
    assert_eq!(status("/item/a%252Fb").await, 200);

    assert_eq!([status("/shop/a").await, status("/shop/b").await, status("/shop/a").await], [200, 200, 429]);

    // An HTTP/2 client may send each cookie in a field of its own.
    let session = async |value: &str| {
        let fields = [("cookie", "theme=dark; lang=en"), ("cookie", value)];
        ask(server, "GET /session", &fields).await.status
    };
    assert_eq!([session("session=a").await, session("session=b").await], [200, 200]);
    assert_eq!([session("x=y; session=a").await, session("xsession=c").await], [429, 200]);
    // Without a session all are one client, by its address.
    assert_eq!([session("session=").await, session("session").await], [429, 429]);
}

mod on_axum {
    use super::{IntoResponse, rate_limit};

    #[rate_limit(key = "path:id", rate = "1/min")]
    pub(super) async fn item() -> impl IntoResponse {}

    #[rate_limit(key = "tenant", rate = "1/min")]
    pub(super) async fn shop() -> impl IntoResponse {}

    #[rate_limit(key = "cookie:session", rate = "1/min")]
    pub(super) async fn session() -> impl IntoResponse {}
}

#[tokio::test]
async fn axum_reads_every_spelling_as_one_key() {
    let app = Router::new()
        .route("/item/{id}", routing::get(on_axum::item))
        .route("/shop/{shop}", routing::get(on_axum::shop))
        .route("/session", routing::get(on_axum::session));
    check(&axum_server(app, limiter()).await).await;
}

mod on_actix {
    use super::{Responder, rate_limit};

    #[rate_limit(key = "path:id", rate = "1/min")]
    pub(super) async fn item() -> impl Responder {
        "item"
    }

    #[rate_limit(key = "tenant", rate = "1/min")]
    pub(super) async fn shop() -> impl Responder {
        "shop"
    }

    #[rate_limit(key = "cookie:session", rate = "1/min")]
    pub(super) async fn session() -> impl Responder {
        "session"
    }
}

#[actix_web::test]
async fn actix_reads_every_spelling_as_one_key() {
    let server = actix_server(limiter(), |routes| {
        routes
            .route("/item/{id}", web::get().to(on_actix::item))
            .route("/shop/{shop}", web::get().to(on_actix::shop))
            .route("/session", web::get().to(on_actix::session));
    });
    check(&server).await;
}

/// Counts what is logged as an error.
struct Errors(Arc<AtomicUsize>);

impl tracing::Subscriber for Errors {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::ERROR
    }

    fn new_span(&self, _span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _span: &tracing::span::Id, _values: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _span: &tracing::span::Id, _follows: &tracing::span::Id) {}

    fn event(&self, _event: &tracing::Event<'_>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn enter(&self, _span: &tracing::span::Id) {}

    fn exit(&self, _span: &tracing::span::Id) {}
}

#[rate_limit(key = "ip", rate = "2/min")]
async fn without_a_peer() -> impl IntoResponse {}

#[tokio::test]
async fn axum_without_connect_info_has_one_bucket_and_says_so_once() {
    let errors = Arc::new(AtomicUsize::new(0));
    let _subscriber = tracing::subscriber::set_default(Errors(Arc::clone(&errors)));
    let (limiter, listener) = (limiter(), tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap());
    let server = format!("http://{}", listener.local_addr().unwrap());
    let scope = move |request: Request, next: Next| {
        let limiter = limiter.clone();
        async move { limiter.scope(next.run(request)).await }
    };
    let app = Router::new().route("/", routing::get(without_a_peer)).layer(from_fn(scope));
    tokio::spawn(async move { ::axum::serve(listener, app).await.unwrap() });
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(ask(&server, "GET /", &[]).await.status);
    }
    assert_eq!(statuses, [200, 200, 429, 429]);
    assert_eq!(errors.load(Ordering::SeqCst), 1);
}
