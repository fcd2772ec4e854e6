//! Generic handlers whose types are those of extractors, states and outputs, with bounds in a `where`.
#![deny(warnings)]

use axum::{
    Json, Router,
    extract::State,
    response::IntoResponse,
    routing::{get, post},
};
use ratelimit::rate_limit;

trait Store: Clone + Send + Sync + 'static {
    fn read(&self) -> String;
}

#[derive(Clone)]
struct Memory;

impl Store for Memory {
    fn read(&self) -> String {
        "memory".to_owned()
    }
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn read<S: Store>(State(store): State<S>) -> impl IntoResponse {
    store.read()
}

#[rate_limit(key = "value", rate = "1/min")]
async fn echo<S, T>(State(store): State<S>, Json(value): Json<T>) -> Json<T>
where
    S: Store,
    T: std::fmt::Display + serde::Serialize + serde::de::DeserializeOwned + Send + 'static,
{
    drop(store.read());
    Json(value)
}

fn routes<S: Store>(store: S) -> Router {
    Router::new()
        .route("/read", get(read::<S>))
        .route("/numbers", post(echo::<S, u8>))
        .route("/texts", post(echo::<S, String>))
        .with_state(store)
}

fn main() {
    drop(routes(Memory));
}
