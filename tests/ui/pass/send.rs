//! The future is as `Send` as the plain one, no more and no less.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::{cell::Cell, future::ready, rc::Rc};

fn is_send<T: Send>(_: &T) {}

#[rate_limit(key = "key", rate = "1/min")]
async fn by_value<T: Send>(key: u8, value: T) -> Result<T, Denied> {
    ready(()).await;
    Ok(value)
}

#[rate_limit(key = cell, rate = "1/min", cost = other.get())]
async fn cell_as_key(cell: Part, other: Cell<u32>) -> Result<u32, Denied> {
    ready(()).await;
    Ok(other.get())
}

struct Part(Cell<u8>);
impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.get().fmt(f)
    }
}

#[rate_limit(key = "key", rate = "1/min")]
async fn not_send(key: Rc<str>) -> Result<usize, Denied> {
    ready(()).await;
    Ok(key.len())
}

#[rate_limit(key = ready(key).await, rate = "1/min", cost = ready(1_u8).await)]
async fn awaits_in_its_arguments(key: u8) -> Result<u8, Denied> {
    Ok(key)
}

#[rate_limit(key = key.ok_or(Error::None)?, rate = "1/min")]
async fn leaves_in_its_arguments(key: Option<u8>) -> Result<(), Error> {
    Ok(())
}

enum Error {
    None,
    Denied(Denied),
}
impl From<Denied> for Error {
    fn from(denied: Denied) -> Self {
        Error::Denied(denied)
    }
}

/// actix runs a handler on one thread.
#[rate_limit(key = "ip", rate = "1/min")]
async fn actix_with_rc() -> actix_web::HttpResponse {
    let shared = Rc::new(1);
    ready(()).await;
    actix_web::HttpResponse::Ok().body(shared.to_string())
}

fn main() {
    is_send(&by_value(1, Cell::new(1)));
    is_send(&cell_as_key(Part(Cell::new(1)), Cell::new(1)));
    is_send(&awaits_in_its_arguments(1));
    is_send(&leaves_in_its_arguments(None));
    let _ = actix_web::web::get().to(actix_with_rc);
}
