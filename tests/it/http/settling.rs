//! Handlers whose calls are settled by what they answer: the same on both frameworks.

use super::{
    axum_server,
    wire::{actix_server, ask},
};
use ::axum::{
    Router,
    extract::Request,
    middleware::{Next, from_fn},
    routing,
};
use actix_web::{HttpMessage, dev::Service as _, web};
use ratelimit::{Limiter, ManualClock, Plan};
use std::time::Duration;

fn by_hand() -> (Limiter, ManualClock) {
    let clock = ManualClock::new();
    (Limiter::builder().clock(clock.clone()).build().unwrap(), clock)
}

mod on_axum {
    use ::axum::{extract::Path, http::StatusCode, response::IntoResponse};
    use ratelimit::rate_limit;
    use std::time::Duration;

    #[rate_limit(key = "ip", rate = "2/h", charge_if = |outcome| outcome.status() == 401)]
    pub(super) async fn log_in(Path(status): Path<u16>) -> impl IntoResponse {
        StatusCode::from_u16(status).unwrap()
    }

    #[rate_limit(
        key = "ip", rate = "100/h", cost = 10,
        settle = |outcome| outcome.header("x-units").map_or(0, |units| units.parse::<u64>().unwrap_or(0)),
        on_err = keep,
    )]
    pub(super) async fn work(Path((status, units)): Path<(u16, String)>) -> impl IntoResponse {
        (StatusCode::from_u16(status).unwrap(), [("x-units", units)])
    }

    #[rate_limit(key = "global", algo = "concurrency", limit = 1)]
    pub(super) async fn slow() -> impl IntoResponse {
        tokio::time::sleep(Duration::from_millis(300)).await;
    }

    #[rate_limit(key = "ip", algo = "fixed_window", rate = plan(pro = "3/h", otherwise = "1/h"))]
    pub(super) async fn planned() -> impl IntoResponse {}
}

mod on_actix {
    use actix_web::{HttpResponse, Responder, http::StatusCode, web::Path};
    use ratelimit::rate_limit;
    use std::time::Duration;

    #[rate_limit(key = "ip", rate = "2/h", charge_if = |outcome| outcome.status() == 401)]
    pub(super) async fn log_in(status: Path<u16>) -> impl Responder {
        HttpResponse::new(StatusCode::from_u16(*status).unwrap())
    }

    #[rate_limit(
        key = "ip", rate = "100/h", cost = 10,
        settle = |outcome| outcome.header("x-units").map_or(0, |units| units.parse::<u64>().unwrap_or(0)),
        on_err = keep,
    )]
    pub(super) async fn work(path: Path<(u16, String)>) -> impl Responder {
        let (status, units) = path.into_inner();
        HttpResponse::build(StatusCode::from_u16(status).unwrap()).insert_header(("x-units", units)).finish()
    }

    #[rate_limit(key = "global", algo = "concurrency", limit = 1)]
    pub(super) async fn slow() -> impl Responder {
        tokio::time::sleep(Duration::from_millis(300)).await;
        "done"
    }

    #[rate_limit(key = "ip", algo = "fixed_window", rate = plan(pro = "3/h", otherwise = "1/h"))]
    pub(super) async fn planned() -> impl Responder {
        "done"
    }
}

/// The header that says which plan the test's authentication found.
const PLAN: &str = "x-plan";

fn axum_app() -> Router {
    let with_plan = |mut request: Request, next: Next| async move {
        if let Some(plan) = request.headers().get(PLAN).and_then(|plan| plan.to_str().ok()) {
            let plan = Plan::new(plan);
            request.extensions_mut().insert(plan);
        }
        next.run(request).await
    };
    Router::new()
        .route("/log-in/{status}", routing::get(on_axum::log_in))
        .route("/work/{status}/{units}", routing::get(on_axum::work))
        .route("/slow", routing::get(on_axum::slow))
        .route("/planned", routing::get(on_axum::planned))
        .layer(from_fn(with_plan))
}

fn actix_app(config: &mut web::ServiceConfig) {
    let scope = web::scope("").wrap_fn(|request, service| {
        if let Some(plan) = request.headers().get(PLAN).and_then(|plan| plan.to_str().ok()) {
            let plan = Plan::new(plan);
            request.extensions_mut().insert(plan);
        }
        service.call(request)
    });
    let scope = scope
        .route("/log-in/{status}", web::get().to(on_actix::log_in))
        .route("/work/{status}/{units}", web::get().to(on_actix::work))
        .route("/slow", web::get().to(on_actix::slow))
        .route("/planned", web::get().to(on_actix::planned));
    config.service(scope);
}

/// A server of each framework, with a limiter of its own.
async fn servers() -> [String; 2] {
    [axum_server(axum_app(), by_hand().0).await, actix_server(by_hand().0, actix_app)]
}

async fn status(server: &str, path: &str, fields: &[(&str, &str)]) -> u16 {
    ask(server, &format!("GET {path}"), fields).await.status
}

#[actix_web::test]
async fn only_failed_log_ins_count() {
    for server in servers().await {
        for path in ["/log-in/200", "/log-in/200", "/log-in/200", "/log-in/401", "/log-in/200", "/log-in/401"]
        {
            let expected: u16 = path.rsplit('/').next().unwrap().parse().unwrap();
            assert_eq!(status(&server, path, &[]).await, expected);
        }
        assert_eq!(status(&server, "/log-in/200", &[]).await, 429);
    }
}

#[actix_web::test]
async fn call_costs_what_its_answer_says_and_an_error_what_on_err_says() {
    for server in servers().await {
        let left = async |path: &str| {
            let answer = ask(&server, &format!("GET {path}"), &[]).await;
            answer.field("ratelimit-remaining").unwrap().parse::<u64>().unwrap()
        };
        assert_eq!(
            left("/work/200/3").await,
            90,
            "the estimate is what is known when the headers are written"
        );
        assert_eq!(left("/work/200/25").await, 87);
        assert_eq!(left("/work/500/0").await, 62);
        assert_eq!(left("/work/200/0").await, 52);
        assert_eq!(left("/work/200/0").await, 52);
    }
}

#[actix_web::test]
async fn handler_holds_its_slot_until_it_has_answered() {
    for server in servers().await {
        let both = futures::join!(status(&server, "/slow", &[]), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            status(&server, "/slow", &[]).await
        });
        assert_eq!(both, (200, 429));
        assert_eq!(status(&server, "/slow", &[]).await, 200);
    }
}

#[actix_web::test]
async fn plan_is_what_the_request_extension_says() {
    for server in servers().await {
        let planned = async |plan: &str| status(&server, "/planned", &[(PLAN, plan)]).await;
        assert_eq!([planned("pro").await, planned("pro").await, planned("free").await], [200, 200, 429]);
        assert_eq!([planned("pro").await, planned("pro").await], [200, 429]);
    }
}
