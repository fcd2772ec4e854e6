//! actix-web 4: the gate as an extractor, and the limit's headers on responses.
//!
//! actix polls all extractors of a handler together, so one that reads the body would read it while the gate still
//! waits for its store. The gate is the first: it takes the payload and leaves one that stays pending until the call is
//! admitted. What does not read the body is not held back: while a store takes its time, an extractor that fails answers
//! before the gate does.

use super::{
    Identity, Outcome, RequestInfo, denial, headers,
    request::{ApiKey, Plan, Tenant, User, find_cookie},
};
use crate::{
    decision::Denied,
    handler::{Gate, Guard, Limited, Marker, Passed},
};
use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse, Responder, ResponseError,
    body::BoxBody,
    dev::Payload,
    error::PayloadError,
    http::{
        StatusCode,
        header::{COOKIE, HeaderMap, HeaderName, HeaderValue},
    },
};
use bytes::Bytes;
use core::{
    cell::RefCell,
    future::Future,
    marker::PhantomData,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    task::{Context, Poll, Waker, ready},
};
use futures_core::Stream;
use percent_encoding::percent_decode_str;
use std::{borrow::Cow, rc::Rc, sync::Arc};

struct Head<'a>(&'a HttpRequest);

impl RequestInfo for Head<'_> {
    fn method(&self) -> &str {
        self.0.method().as_str()
    }

    fn route(&self) -> Option<Cow<'_, str>> {
        self.0.match_pattern().map(Cow::Owned)
    }

    fn path_parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        // The router leaves `%2F`, `%25` and `%2B` encoded, in the case of the letters that the client chose: as they
        // are, one value would be many keys. `web::Path` decodes them in the same way.
        self.0.match_info().get(name).map(|value| percent_decode_str(value).decode_utf8_lossy())
    }

    fn query(&self) -> Option<&str> {
        self.0.uri().query()
    }

    fn header(&self, name: &str) -> Option<&[u8]> {
        self.0.headers().get(name).map(HeaderValue::as_bytes)
    }

    fn cookie(&self, name: &str) -> Option<&[u8]> {
        find_cookie(self.0.headers().get_all(COOKIE).map(HeaderValue::as_bytes), name)
    }

    fn peer(&self) -> Option<IpAddr> {
        self.0.peer_addr().as_ref().map(SocketAddr::ip)
    }

    fn identity(&self, identity: Identity) -> Option<Arc<str>> {
        let extensions = self.0.extensions();
        match identity {
            Identity::User => extensions.get::<User>().map(|User(id)| Arc::clone(id)),
            Identity::Tenant => extensions.get::<Tenant>().map(|Tenant(id)| Arc::clone(id)),
            Identity::ApiKey => extensions.get::<ApiKey>().map(|ApiKey(id)| Arc::clone(id)),
        }
    }

    fn plan(&self) -> Option<Arc<str>> {
        self.0.extensions().get::<Plan>().map(|Plan(name)| Arc::clone(name))
    }
}

impl<M: Marker> FromRequest for Guard<M> {
    type Error = Denied;
    type Future = Deciding<M>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        Deciding { inner: Inner::new(Gate::new(M::SITE, &Head(request)), payload), marker: PhantomData }
    }
}

/// The gate's decision on its way. Thin, so that what every handler has of its own is small.
pub struct Deciding<M> {
    inner: Inner,
    marker: PhantomData<fn() -> M>,
}

enum Inner {
    /// Decided before anybody could read the body.
    Ready(Option<Result<Passed, Denied>>),
    Waiting(Gate, Holder),
}

impl Inner {
    fn new(mut gate: Gate, payload: &mut Payload) -> Inner {
        // In memory the decision is there at once. Where it is not, the future is polled again, with a waker.
        match Pin::new(&mut gate).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(decided) => Inner::Ready(Some(decided)),
            Poll::Pending => Inner::Waiting(gate, Holder::take(payload)),
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Passed, Denied>> {
        match self {
            Inner::Ready(decided) => decided.take().map_or(Poll::Pending, Poll::Ready),
            Inner::Waiting(gate, holder) => {
                let decided = ready!(Pin::new(gate).poll(cx));
                if decided.is_ok() {
                    holder.end(Hold::Released);
                }
                Poll::Ready(decided)
            }
        }
    }
}

impl<M: Marker> Future for Deciding<M> {
    type Output = Result<Guard<M>, Denied>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.inner.poll(cx).map_ok(Guard::new)
    }
}

/// Holds a payload until the call is admitted; dropped before that, nobody will ever read it.
struct Holder(Rc<RefCell<Lock>>);

struct Lock {
    hold: Hold,
    /// Who waits: the task that polls the gate, or another that an extractor has handed the payload to.
    reader: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    Undecided,
    Released,
    Refused,
}

impl Holder {
    fn take(payload: &mut Payload) -> Holder {
        let lock = Rc::new(RefCell::new(Lock { hold: Hold::Undecided, reader: None }));
        let held = Held { payload: payload.take(), lock: Rc::clone(&lock) };
        *payload = Payload::Stream { payload: Box::pin(held) };
        Holder(lock)
    }

    fn end(&self, how: Hold) {
        let mut lock = self.0.borrow_mut();
        if lock.hold == Hold::Undecided {
            lock.hold = how;
            if let Some(reader) = lock.reader.take() {
                reader.wake();
            }
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.end(Hold::Refused);
    }
}

/// A payload that stays pending until the call is admitted.
struct Held {
    payload: Payload,
    lock: Rc<RefCell<Lock>>,
}

impl Stream for Held {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut lock = self.lock.borrow_mut();
        match lock.hold {
            Hold::Undecided => {
                lock.reader = Some(cx.waker().clone());
                Poll::Pending
            }
            Hold::Refused => Poll::Ready(Some(Err(PayloadError::Incomplete(None)))),
            Hold::Released => {
                drop(lock);
                Pin::new(&mut self.payload).poll_next(cx)
            }
        }
    }
}

/// The limit's status, headers and problem body (RFC 9457).
impl ResponseError for Denied {
    fn status_code(&self) -> StatusCode {
        // actix is on an older version of the `http` crate; both know every status.
        let status = http::StatusCode::from(self).as_u16();
        StatusCode::from_u16(status).unwrap_or(StatusCode::TOO_MANY_REQUESTS)
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        let mut response = HttpResponse::with_body(self.status_code(), BoxBody::new(denial::body(self)));
        let headers = response.headers_mut();
        headers.reserve(denial::FIELDS);
        denial::write_fields(self, &mut |name, value| insert(headers, name, value));
        response
    }
}

impl<R: Responder<Body: 'static>> Responder for Limited<R> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse<BoxBody> {
        let respond = |response: R| response.respond_to(request).map_into_boxed_body();
        let limited = self.respond(respond, |response, settle| {
            let header = |name: &str| response.headers().get(name).map(HeaderValue::as_bytes);
            // actix is on an older version of the `http` crate; both know every status.
            let status = http::StatusCode::from_u16(response.status().as_u16()).unwrap_or_default();
            settle(&Outcome::new(status, &header));
        });
        match limited {
            Ok((mut response, decision)) => {
                let headers = response.headers_mut();
                headers.reserve(headers::FIELDS);
                headers::write(&decision, &mut |name, value| insert(headers, name, value));
                response
            }
            // As where the gate denies: the response keeps its error for the middleware around it.
            Err(denied) => HttpResponse::from_error(denied),
        }
    }
}

/// Puts one of our fields into a header map; it replaces what a handler put there under that name.
fn insert(headers: &mut HeaderMap, name: &'static str, value: &str) {
    // Our values are printable ASCII.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}

#[cfg(test)]
mod tests {
    use super::{Hold, Holder};
    use actix_web::{dev::Payload, error::PayloadError};
    use bytes::Bytes;
    use core::{
        pin::Pin,
        sync::atomic::{AtomicBool, Ordering},
        task::{Context, Poll, Waker},
    };
    use futures_core::Stream as _;
    use std::{sync::Arc, task::Wake};

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    /// What a task of its own reads, once it is woken by the end of the hold.
    fn read_after(end: impl FnOnce(Holder)) -> Option<Result<Bytes, PayloadError>> {
        let mut payload = Payload::from(Bytes::from_static(b"body"));
        let holder = Holder::take(&mut payload);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut cx = Context::from_waker(&waker);
        assert!(Pin::new(&mut payload).poll_next(&mut cx).is_pending());
        assert!(!woken.0.load(Ordering::SeqCst));
        end(holder);
        assert!(woken.0.load(Ordering::SeqCst));
        match Pin::new(&mut payload).poll_next(&mut cx) {
            Poll::Ready(chunk) => chunk,
            Poll::Pending => panic!("still held"),
        }
    }

    #[test]
    fn admitted_payload_is_read_by_whoever_waited_for_it() {
        let chunk = read_after(|holder| holder.end(Hold::Released));
        assert_eq!(chunk.unwrap().unwrap(), "body");
    }

    #[test]
    fn refused_payload_keeps_nobody_waiting() {
        assert!(matches!(read_after(drop), Some(Err(PayloadError::Incomplete(None)))));
    }
}
