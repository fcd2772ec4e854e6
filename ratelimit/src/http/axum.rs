//! axum 0.8: the gate as an extractor, and the limit's headers on responses.

use super::{
    Identity, Outcome, RequestInfo,
    denial::insert,
    headers,
    request::{ApiKey, Plan, Tenant, User, find_cookie},
};
use crate::{
    decision::Denied,
    handler::{Gate, Guard, Limited, Marker},
};
use axum::{
    body::Body,
    extract::{ConnectInfo, FromRequestParts, MatchedPath, RawPathParams, connect_info::MockConnectInfo},
    response::{IntoResponse, Response},
};
use core::{
    future::Future,
    marker::PhantomData,
    net::{IpAddr, SocketAddr},
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};
use http::{HeaderValue, header::COOKIE, request::Parts};
use ratelimit_spec::Request;
use std::{borrow::Cow, sync::Arc};

struct Head<'a> {
    parts: &'a Parts,
    path_parameters: Option<RawPathParams>,
}

impl RequestInfo for Head<'_> {
    fn method(&self) -> &str {
        self.parts.method.as_str()
    }

    fn route(&self) -> Option<Cow<'_, str>> {
        self.parts.extensions.get::<MatchedPath>().map(|path| Cow::Borrowed(path.as_str()))
    }

    fn path_parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        let (_, value) = self.path_parameters.as_ref()?.iter().find(|(parameter, _)| *parameter == name)?;
        Some(Cow::Borrowed(value))
    }

    fn query(&self) -> Option<&str> {
        self.parts.uri.query()
    }

    fn header(&self, name: &str) -> Option<&[u8]> {
        self.parts.headers.get(name).map(HeaderValue::as_bytes)
    }

    fn cookie(&self, name: &str) -> Option<&[u8]> {
        find_cookie(self.parts.headers.get_all(COOKIE).iter().map(HeaderValue::as_bytes), name)
    }

    fn peer(&self) -> Option<IpAddr> {
        let extensions = &self.parts.extensions;
        let told = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address);
        // What axum's own extractor falls back to in tests.
        let mocked =
            || extensions.get::<MockConnectInfo<SocketAddr>>().map(|MockConnectInfo(address)| address);
        told.or_else(mocked).map(SocketAddr::ip)
    }

    fn identity(&self, identity: Identity) -> Option<Arc<str>> {
        let extensions = &self.parts.extensions;
        match identity {
            Identity::User => extensions.get::<User>().map(|User(id)| Arc::clone(id)),
            Identity::Tenant => extensions.get::<Tenant>().map(|Tenant(id)| Arc::clone(id)),
            Identity::ApiKey => extensions.get::<ApiKey>().map(|ApiKey(id)| Arc::clone(id)),
        }
    }

    fn plan(&self) -> Option<Arc<str>> {
        self.parts.extensions.get::<Plan>().map(|Plan(name)| Arc::clone(name))
    }
}

/// Parameters of the route, which axum hands out through an extractor; it is ready when it is first polled.
fn path_parameters(parts: &mut Parts) -> Option<RawPathParams> {
    let extract = pin!(RawPathParams::from_request_parts(parts, &()));
    match extract.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(parameters)) => Some(parameters),
        Poll::Ready(Err(_)) | Poll::Pending => None,
    }
}

impl<S: Sync, M: Marker> FromRequestParts<S> for Guard<M> {
    type Rejection = Denied;

    fn from_request_parts(
        parts: &mut Parts,
        _state: &S,
    ) -> impl Future<Output = Result<Self, Self::Rejection>> + Send {
        Deciding { gate: gate(M::SITE, parts), marker: PhantomData::<fn() -> M> }
    }
}

fn gate(site: &'static crate::Site, parts: &mut Parts) -> Gate {
    // An identity may have a resolver, and that may look at the path.
    let asks = site.asks(|asked| {
        matches!(asked, Request::PathParam(_) | Request::User | Request::Tenant | Request::ApiKey)
    });
    let path_parameters = if asks { path_parameters(parts) } else { None };
    Gate::new(site, &Head { parts, path_parameters })
}

/// Thin, so that what every handler has of its own is small.
struct Deciding<M> {
    gate: Gate,
    marker: PhantomData<fn() -> M>,
}

impl<M: Marker> Future for Deciding<M> {
    type Output = Result<Guard<M>, Denied>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.gate).poll(cx).map_ok(Guard::new)
    }
}

/// The limit's status, headers and problem body (RFC 9457).
impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        http::Response::from(self).map(Body::from)
    }
}

impl<R: IntoResponse> IntoResponse for Limited<R> {
    fn into_response(self) -> Response {
        let limited = self.respond(R::into_response, |response, settle| {
            let header = |name: &str| response.headers().get(name).map(HeaderValue::as_bytes);
            settle(&Outcome::new(response.status(), &header));
        });
        match limited {
            Ok((mut response, decision)) => {
                let headers = response.headers_mut();
                headers.reserve(headers::FIELDS);
                headers::write(&decision, &mut |name, value| insert(headers, name, value));
                response
            }
            Err(denied) => denied.into_response(),
        }
    }
}
