use super::{check_answers, far_redis, get, post_ten_megabytes};
use actix_web::{
    App, HttpMessage, HttpServer, Responder,
    dev::{Payload, Service, ServiceRequest},
    get as route_get, post, rt,
    web::{self, Bytes},
};
use futures::StreamExt;
use ratelimit::{Limiter, ManualClock, User, rate_limit};
use std::{
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

#[route_get("/")]
#[rate_limit(key = "ip", algo = "fixed_window", rate = "2/min")]
async fn hello() -> impl Responder {
    "hello"
}

#[rate_limit(key = "user", rate = "1/min")]
#[route_get("/user")]
async fn by_user() -> impl Responder {
    // Held over an await: an actix handler need not be Send.
    let held = Rc::new("hello");
    rt::task::yield_now().await;
    *held
}

#[post("/upload")]
#[rate_limit(key = "ip", rate = "1/day")]
async fn upload(body: Bytes) -> impl Responder {
    body.len().to_string()
}

/// Serves the handlers with that limiter, counting the bytes of bodies that are read.
fn server(limiter: Limiter, read: Arc<AtomicUsize>) -> String {
    let server = HttpServer::new(move || {
        let (limiter, read) = (limiter.clone(), Arc::clone(&read));
        App::new()
            .app_data(web::PayloadConfig::new(20 << 20))
            .wrap_fn(move |mut request: ServiceRequest, service| {
                let (limiter, read) = (limiter.clone(), Arc::clone(&read));
                if let Some(user) = request.headers().get("x-test-user").and_then(|user| user.to_str().ok()) {
                    let user = User::new(user);
                    request.extensions_mut().insert(user);
                }
                let counted = request.take_payload().inspect(move |chunk| {
                    read.fetch_add(chunk.as_ref().map_or(0, Bytes::len), Ordering::SeqCst);
                });
                request.set_payload(Payload::Stream { payload: Box::pin(counted) });
                let response = service.call(request);
                async move { limiter.scope(response).await }
            })
            .service(hello)
            .service(by_user)
            .service(upload)
    });
    let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", server.addrs()[0]);
    rt::spawn(server.run());
    address
}

fn limiter() -> Limiter {
    Limiter::builder().clock(ManualClock::new()).build().unwrap()
}

#[actix_web::test]
async fn allowed_and_denied_answers_carry_the_headers() {
    check_answers(&server(limiter(), Arc::default())).await;
}

#[actix_web::test]
async fn denied_request_has_none_of_its_body_read() {
    let read = Arc::new(AtomicUsize::new(0));
    let (_redis, limiter) = far_redis().await;
    post_ten_megabytes(&server(limiter, Arc::clone(&read))).await;
    assert_eq!(read.load(Ordering::SeqCst), 0);
}

#[actix_web::test]
async fn admitted_request_has_its_body_read_once_it_is_decided() {
    let read = Arc::new(AtomicUsize::new(0));
    let server = server(limiter(), Arc::clone(&read));
    let response =
        reqwest::Client::new().post(format!("{server}/upload")).body("ten bytes!").send().await.unwrap();
    assert_eq!(response.text().await.unwrap(), "10");
    assert_eq!(read.load(Ordering::SeqCst), 10);
}

#[actix_web::test]
async fn identity_comes_from_the_extension() {
    let server = server(limiter(), Arc::default());
    let ask = async |user: &str| {
        let request = reqwest::Client::new().get(format!("{server}/user")).header("x-test-user", user);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!([ask("ann").await, ask("ann").await, ask("bob").await], [200, 429, 200]);
    assert_eq!(get(&server, "/user").await.status(), 200);
    assert_eq!(get(&server, "/user").await.status(), 429);
}
