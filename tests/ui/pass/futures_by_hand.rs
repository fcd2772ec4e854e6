//! Futures whose `poll` is written by hand, returned and awaited.
#![deny(warnings)]

use ratelimit::{Denied, rate_limit};
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll},
};

struct Countdown {
    left: u8,
}

impl Future for Countdown {
    type Output = Result<u8, Denied>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.left == 0 {
            return Poll::Ready(Ok(0));
        }
        self.left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[rate_limit(key = "left", rate = "1/min")]
fn hidden(left: u8) -> impl Future<Output = Result<u8, Denied>> + Send {
    Countdown { left }
}

#[rate_limit(key = "left", rate = "1/min")]
fn boxed(left: u8) -> Pin<Box<dyn Future<Output = Result<u8, Denied>> + Send>> {
    Box::pin(Countdown { left })
}

#[rate_limit(key = "value", rate = "1/min")]
fn polled(value: u8) -> impl Future<Output = Result<u8, Denied>> {
    poll_fn(move |_| Poll::Ready(Ok(value)))
}

#[rate_limit(key = "left", rate = "10/min", cost = left, settle = |out| *out)]
async fn awaited(left: u8) -> Result<u8, Denied> {
    Countdown { left }.await
}

fn is_send<T: Send>(_: T) {}

fn main() {
    is_send(hidden(1));
    is_send(boxed(1));
    is_send(polled(1));
    is_send(awaited(1));
}
