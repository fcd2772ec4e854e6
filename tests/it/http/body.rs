//! When a request's body is read: never before the call is admitted, whatever the store takes.

use super::{axum_server, wire};
use ::axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    middleware::{Next, from_fn},
    response::IntoResponse,
    routing,
};
use actix_web::{
    App, HttpMessage, HttpServer, Responder,
    dev::{Payload, Service, ServiceRequest},
    rt, web,
};
use futures::StreamExt;
use ratelimit::{
    Limiter, rate_limit,
    store::{Answer, Charge, Outcome, Receipt, Renewals, Settlement, Settlements, Store, Verdict, Verdicts},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A store that answers after five milliseconds, always the same.
#[derive(Debug)]
struct Late {
    outcome: Outcome,
    has_answered: Arc<AtomicBool>,
}

impl Store for Late {
    fn decide<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        Answer::pending(async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            self.has_answered.store(true, Ordering::SeqCst);
            let reset_after = Duration::from_secs(1);
            let verdict =
                Verdict { outcome: self.outcome, remaining: 0, reset_after, receipt: Receipt::default() };
            Ok(charges.iter().map(|_| verdict).collect())
        })
    }

    fn settle<'a>(&'a self, _settlements: &'a [Settlement<'a>]) -> Answer<'a, Settlements> {
        Answer::ready(Ok(Settlements::new()))
    }

    fn renew<'a>(&'a self, _charges: &'a [Charge<'a>]) -> Answer<'a, Renewals> {
        Answer::ready(Ok(Renewals::new()))
    }

    fn give_back<'a>(&'a self, _charge: &'a Charge<'a>, _receipt: Receipt) -> Answer<'a, ()> {
        Answer::ready(Ok(()))
    }
}

/// What a server did with the bodies that it got.
#[derive(Clone, Default)]
struct Watch {
    has_answered: Arc<AtomicBool>,
    read: Arc<AtomicUsize>,
    read_too_early: Arc<AtomicUsize>,
}

impl Watch {
    fn limiter(&self, outcome: Outcome) -> Limiter {
        let store = Late { outcome, has_answered: Arc::clone(&self.has_answered) };
        Limiter::builder().store(store).deadline(Duration::from_secs(60)).build().unwrap()
    }

    fn denying(&self) -> Limiter {
        self.limiter(Outcome::Denied { retry_after: Duration::from_secs(1) })
    }

    fn admitting(&self) -> Limiter {
        self.limiter(Outcome::Allowed { delay: Duration::ZERO })
    }

    fn see(&self, chunk: &[u8]) {
        self.read.fetch_add(chunk.len(), Ordering::SeqCst);
        if !self.has_answered.load(Ordering::SeqCst) {
            self.read_too_early.fetch_add(chunk.len(), Ordering::SeqCst);
        }
    }

    fn read(&self) -> (usize, usize) {
        (self.read.load(Ordering::SeqCst), self.read_too_early.load(Ordering::SeqCst))
    }
}

/// One request is denied at its beginning, another when all of it was sent; nobody reads either.
async fn check_denied(server: &str, watch: &Watch) {
    let answer = wire::begin_upload(server, "/upload").await;
    assert_eq!((answer.status, answer.field("retry-after")), (429, Some("1")));
    let whole = reqwest::Client::new().post(format!("{server}/upload")).body(vec![b'x'; 10 << 20]);
    // That the server hangs up on the rest is as good.
    if let Ok(response) = whole.send().await {
        assert_eq!(response.status(), 429);
    }
    assert_eq!(watch.read(), (0, 0));
}

async fn check_admitted(server: &str, watch: &Watch) {
    let body = vec![b'x'; 10 << 20];
    let whole = reqwest::Client::new().post(format!("{server}/upload")).body(body).send().await.unwrap();
    assert_eq!(whole.status(), 200);
    assert_eq!(whole.text().await.unwrap(), (10 << 20).to_string());
    assert_eq!(watch.read(), (10 << 20, 0));
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn on_axum(body: Bytes) -> impl IntoResponse {
    body.len().to_string()
}

async fn axum_watched(watch: &Watch, limiter: Limiter) -> String {
    let watch = watch.clone();
    let see = from_fn(move |request: Request, next: Next| {
        let watch = watch.clone();
        let seen = |body: Body| {
            Body::from_stream(body.into_data_stream().inspect(move |chunk| {
                watch.see(chunk.as_deref().unwrap_or_default());
            }))
        };
        next.run(request.map(seen))
    });
    let limit = ::axum::extract::DefaultBodyLimit::disable();
    axum_server(Router::new().route("/upload", routing::post(on_axum)).layer(see).layer(limit), limiter).await
}

#[tokio::test]
async fn axum_reads_nothing_of_a_denied_body() {
    let watch = Watch::default();
    check_denied(&axum_watched(&watch, watch.denying()).await, &watch).await;
}

#[tokio::test]
async fn axum_reads_an_admitted_body_after_the_decision() {
    let watch = Watch::default();
    check_admitted(&axum_watched(&watch, watch.admitting()).await, &watch).await;
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn on_actix(body: web::Bytes) -> impl Responder {
    body.len().to_string()
}

fn actix_watched(watch: &Watch, limiter: Limiter) -> String {
    let watch = watch.clone();
    let server = HttpServer::new(move || {
        let (watch, limiter) = (watch.clone(), limiter.clone());
        App::new()
            .app_data(web::PayloadConfig::new(20 << 20))
            .route("/upload", web::post().to(on_actix))
            .wrap_fn(move |mut request: ServiceRequest, service| {
                let (watch, limiter) = (watch.clone(), limiter.clone());
                let seen = request.take_payload().inspect(move |chunk| {
                    watch.see(chunk.as_deref().unwrap_or_default());
                });
                request.set_payload(Payload::Stream { payload: Box::pin(seen) });
                let response = service.call(request);
                async move { limiter.scope(response).await }
            })
    });
    let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", server.addrs()[0]);
    rt::spawn(server.run());
    address
}

#[actix_web::test]
async fn actix_reads_nothing_of_a_denied_body() {
    let watch = Watch::default();
    check_denied(&actix_watched(&watch, watch.denying()), &watch).await;
}

#[actix_web::test]
async fn actix_reads_an_admitted_body_after_the_decision() {
    let watch = Watch::default();
    check_admitted(&actix_watched(&watch, watch.admitting()), &watch).await;
}
