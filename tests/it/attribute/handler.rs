use super::by_hand;
use crate::http::{axum_server, get};
use axum::{Router, extract::Query, routing};
use ratelimit::rate_limit;

#[rate_limit(key = "global", rate = "1/min", handler)]
async fn says_so() -> &'static str {
    "hello"
}

#[rate_limit(key = "query.name", rate = "1/min")]
async fn looks_like_one(Query(query): Query<Named>) -> String {
    query.name
}

#[derive(serde::Deserialize)]
struct Named {
    name: String,
}

struct Service;

impl Service {
    #[rate_limit(key = "ip", rate = "1/min")]
    async fn of_a_type() -> &'static str {
        "of a type"
    }
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn generic<T: Default + ToString + Send + 'static>() -> String {
    T::default().to_string()
}

#[tokio::test]
async fn flag_signature_key_and_type_make_a_handler() {
    let (limiter, _clock) = by_hand();
    let app = Router::new()
        .route("/says-so", routing::get(says_so))
        .route("/looks", routing::get(looks_like_one))
        .route("/type", routing::get(Service::of_a_type))
        .route("/generic", routing::get(generic::<u8>));
    let server = axum_server(app, limiter).await;
    for path in ["/says-so", "/looks?name=ann", "/looks?name=bob", "/type", "/generic"] {
        assert_eq!(get(&server, path).await.status(), 200, "{path}");
        assert_eq!(get(&server, path).await.status(), 429, "{path}");
    }
}
