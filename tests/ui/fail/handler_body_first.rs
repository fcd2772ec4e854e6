use axum::{Json, extract::Path, routing::post};
use ratelimit::rate_limit;

#[rate_limit(key = "ip", rate = "100/min")]
async fn save(Json(names): Json<Vec<String>>, Path(id): Path<u64>) -> String {
    format!("{id}: {names:?}")
}

fn main() {
    let _: axum::Router = axum::Router::new().route("/{id}", post(save));
}
