//! What goes out: statuses, fields that a handler wrote itself, methods without a body, denials of functions.

use super::{
    axum_server,
    wire::{Answer, actix_server, ask},
};
use ::axum::{Router, extract::Query, response::IntoResponse, routing};
use actix_web::{HttpResponse, Responder, web};
use ratelimit::{
    Denied, Limiter, ManualClock, rate_limit,
    store::{
        self, Charge, Failure, FailureKind, Receipt, Renewals, Settlement, Settlements, Store, Verdicts,
    },
};

fn by_hand() -> Limiter {
    Limiter::builder().clock(ManualClock::new()).build().unwrap()
}

#[derive(Debug)]
struct Broken;

impl Store for Broken {
    fn decide<'a>(&'a self, _charges: &'a [Charge<'a>]) -> store::Answer<'a, Verdicts> {
        store::Answer::ready(Err(Failure::new(FailureKind::Connection)))
    }

    fn settle<'a>(&'a self, _settlements: &'a [Settlement<'a>]) -> store::Answer<'a, Settlements> {
        store::Answer::ready(Err(Failure::new(FailureKind::Connection)))
    }

    fn renew<'a>(&'a self, _charges: &'a [Charge<'a>]) -> store::Answer<'a, Renewals> {
        store::Answer::ready(Err(Failure::new(FailureKind::Connection)))
    }

    fn give_back<'a>(&'a self, _charge: &'a Charge<'a>, _receipt: Receipt) -> store::Answer<'a, ()> {
        store::Answer::ready(Err(Failure::new(FailureKind::Connection)))
    }
}

fn broken() -> Limiter {
    Limiter::builder().store(Broken).build().unwrap()
}

const LIMIT_FIELDS: [&str; 5] =
    ["ratelimit", "ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

fn problem(answer: &Answer) -> serde_json::Value {
    assert_eq!(answer.field("content-type"), Some("application/problem+json"));
    assert_eq!(answer.field("cache-control"), Some("no-store"));
    let problem: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(problem["status"], answer.status);
    problem
}

#[derive(serde::Deserialize)]
struct Units {
    units: u64,
}

async fn check(server: &str) {
    // Fields that the handler wrote: what only it knows stays, what the limit knows is the limit's.
    let own = ask(server, "GET /own", &[]).await;
    assert_eq!((own.status, own.field("retry-after")), (503, Some("7")));
    assert_eq!((own.field("ratelimit-limit"), own.field("ratelimit-remaining")), (Some("1"), Some("0")));

    let denied = ask(server, "GET /own", &[]).await;
    assert_eq!((denied.status, denied.field("retry-after")), (429, Some("60")));
    assert_eq!(problem(&denied)["error"], "rate_limited");

    // A HEAD is counted like a GET, and its denial has the fields without the body.
    let head = ask(server, "HEAD /own", &[]).await;
    assert_eq!((head.status, head.field("retry-after"), head.body.as_str()), (429, Some("60"), ""));
    assert_eq!(head.field("ratelimit-remaining"), Some("0"));

    // A browser's preflight is none of the handler's calls.
    for _ in 0..3 {
        let preflight = [("origin", "https://a.test"), ("access-control-request-method", "GET")];
        assert_ne!(ask(server, "OPTIONS /own", &preflight).await.status, 429);
    }

    let too_much = ask(server, "GET /units?units=11", &[]).await;
    assert_eq!((too_much.status, too_much.field("retry-after")), (413, None));
    assert_eq!(problem(&too_much)["error"], "exceeds_capacity");
    let units = ask(server, "GET /units?units=4", &[]).await;
    assert_eq!(units.status, 200);
    assert_eq!(units.field("ratelimit-policy"), Some("\"ip-60s\";q=10;qu=\"emails\";w=60"));
    assert_eq!(units.field("ratelimit-remaining"), Some("6"));

    // A limited function that a handler calls, whose denial is the handler's error.
    assert_eq!(ask(server, "GET /function", &[]).await.status, 200);
    let denied = ask(server, "GET /function", &[]).await;
    assert_eq!((denied.status, denied.field("retry-after")), (429, Some("60")));
    assert_eq!(problem(&denied)["violated-policies"], serde_json::json!(["mail"]));
    assert_eq!(denied.field("ratelimit-limit"), Some("1"));
}

async fn check_broken(server: &str) {
    let closed = ask(server, "GET /closed", &[]).await;
    assert_eq!((closed.status, closed.field("retry-after")), (503, Some("1")));
    assert_eq!(problem(&closed)["error"], "rate_limiter_unavailable");
    let open = ask(server, "GET /open", &[]).await;
    assert_eq!(open.status, 200);
    for field in LIMIT_FIELDS {
        assert_eq!((closed.field(field), open.field(field)), (None, None));
    }
}

mod on_axum {
    use super::{Denied, IntoResponse, Query, Units, rate_limit};

    #[rate_limit(key = "ip", rate = "1/min", algo = "sliding_log")]
    pub(super) async fn own() -> impl IntoResponse {
        (::axum::http::StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "7"), ("ratelimit-limit", "99")], "")
    }

    #[rate_limit(key = "ip", rate = "10 emails/min", cost = units.units)]
    pub(super) async fn units(Query(units): Query<Units>) -> impl IntoResponse {
        units.units.to_string()
    }

    #[rate_limit(key = "ip", rate = "1/min", fail = "closed")]
    pub(super) async fn closed() -> impl IntoResponse {}

    #[rate_limit(key = "ip", rate = "1/min", fail = "open")]
    pub(super) async fn open() -> impl IntoResponse {}

    #[rate_limit(key = "global", rate = "1/min", name = "mail", algo = "sliding_log")]
    async fn mail() -> Result<(), Denied> {
        Ok(())
    }

    pub(super) async fn function() -> Result<(), Denied> {
        mail().await
    }
}

#[tokio::test]
async fn axum_answers() {
    let app = Router::new()
        .route("/own", routing::get(on_axum::own))
        .route("/units", routing::get(on_axum::units))
        .route("/function", routing::get(on_axum::function));
    check(&axum_server(app, by_hand()).await).await;
    let app = Router::new()
        .route("/closed", routing::get(on_axum::closed))
        .route("/open", routing::get(on_axum::open));
    check_broken(&axum_server(app, broken()).await).await;
}

mod on_actix {
    use super::{Denied, HttpResponse, Responder, Units, rate_limit, web};

    #[rate_limit(key = "ip", rate = "1/min", algo = "sliding_log")]
    pub(super) async fn own() -> impl Responder {
        HttpResponse::ServiceUnavailable()
            .insert_header(("retry-after", "7"))
            .insert_header(("ratelimit-limit", "99"))
            .finish()
    }

    #[rate_limit(key = "ip", rate = "10 emails/min", cost = units.units)]
    pub(super) async fn units(units: web::Query<Units>) -> impl Responder {
        units.units.to_string()
    }

    #[rate_limit(key = "ip", rate = "1/min", fail = "closed")]
    pub(super) async fn closed() -> impl Responder {
        "closed"
    }

    #[rate_limit(key = "ip", rate = "1/min", fail = "open")]
    pub(super) async fn open() -> impl Responder {
        "open"
    }

    #[rate_limit(key = "global", rate = "1/min", name = "mail", algo = "sliding_log")]
    async fn mail() -> Result<(), Denied> {
        Ok(())
    }

    pub(super) async fn function() -> Result<&'static str, Denied> {
        mail().await.map(|()| "sent")
    }
}

#[actix_web::test]
async fn actix_answers() {
    let server = actix_server(by_hand(), |routes| {
        let own = web::resource("/own").route(web::get().to(on_actix::own));
        routes
            .service(own.route(web::head().to(on_actix::own)))
            .route("/units", web::get().to(on_actix::units))
            .route("/function", web::get().to(on_actix::function));
    });
    check(&server).await;
    let server = actix_server(broken(), |routes| {
        routes
            .route("/closed", web::get().to(on_actix::closed))
            .route("/open", web::get().to(on_actix::open));
    });
    check_broken(&server).await;
}
