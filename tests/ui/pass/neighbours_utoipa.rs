//! `utoipa::path` above and below limits, also with `instrument` between them.
#![deny(warnings)]

use axum::{Router, routing::get};

mod documented {
    use ratelimit::rate_limit;
    use tracing::instrument;

    #[utoipa::path(get, path = "/x", responses((status = 200, body = String)))]
    #[rate_limit(key = "ip", rate = "1/min")]
    pub(super) async fn above(axum::extract::Path(n): axum::extract::Path<u8>) -> String {
        n.to_string()
    }

    #[rate_limit(key = "ip", rate = "1/min")]
    #[utoipa::path(get, path = "/y", responses((status = 200, body = String)))]
    #[instrument(skip_all)]
    #[rate_limit(key = "global", rate = "100/min")]
    pub(super) async fn below(axum::extract::Path(n): axum::extract::Path<u8>) -> String {
        n.to_string()
    }
}

fn main() {
    let _: Router = Router::new().route("/b/{n}", get(documented::above).post(documented::below));
}
