//! An actix handler that holds what only one thread may have.
#![deny(warnings)]

use ratelimit::rate_limit;
use std::{future::ready, rc::Rc};

/// actix runs a handler on one thread.
#[rate_limit(key = "ip", rate = "1/min")]
async fn actix_with_rc() -> actix_web::HttpResponse {
    let shared = Rc::new(1);
    ready(()).await;
    actix_web::HttpResponse::Ok().body(shared.to_string())
}

fn main() {
    let _ = actix_web::web::get().to(actix_with_rc);
}
