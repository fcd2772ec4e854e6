//! The future is as `Send` as the plain one, whatever the parameters and the key borrow.
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

fn main() {
    is_send(&by_value(1, Cell::new(1)));
    is_send(&cell_as_key(Part(Cell::new(1)), Cell::new(1)));
}
