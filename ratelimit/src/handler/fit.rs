//! Whether a handler's types fit its framework: asked where the handler is written, since a framework asks only where the
//! handler is routed, and then names no type of it.
//!
//! Both frameworks may be there at once, so no trait could be implemented for what either of them takes. Method lookup
//! takes the impl with the most references first: what fits is found before what is only there to fail.

use core::marker::PhantomData;

/// A handler's output, by reference.
#[derive(Debug)]
#[allow(dead_code, reason = "only its type is looked at")]
pub struct Reply<'a, R: ?Sized>(pub &'a R);

/// What no framework knows how to answer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no HTTP response, write `impl IntoResponse for {Self}` (axum) or `impl Responder for {Self}` (actix)",
    label = "has to be an HTTP response"
)]
pub trait HttpResponse {}

/// Without a framework nobody asks.
#[cfg(not(any(feature = "axum", feature = "actix")))]
impl<R: ?Sized> HttpResponse for R {}

#[cfg(feature = "axum")]
#[doc(hidden)]
pub trait ViaIntoResponse {
    #[doc(hidden)]
    fn __ratelimit_reply(&self) {}
}

#[cfg(feature = "axum")]
impl<R: axum::response::IntoResponse> ViaIntoResponse for &&Reply<'_, R> {}

#[cfg(feature = "actix")]
#[doc(hidden)]
pub trait ViaResponder {
    #[doc(hidden)]
    fn __ratelimit_reply(&self) {}
}

#[cfg(feature = "actix")]
impl<R: actix_web::Responder> ViaResponder for &Reply<'_, R> {}

#[doc(hidden)]
pub trait ViaNoResponse<R: ?Sized> {
    #[doc(hidden)]
    fn __ratelimit_reply(&self)
    where
        R: HttpResponse,
    {
    }
}

impl<R: ?Sized> ViaNoResponse<R> for Reply<'_, R> {}

/// The type of a parameter that others follow.
#[derive(Debug)]
pub struct Before<P>(PhantomData<P>);

impl<P> Before<P> {
    /// Stands for the type.
    pub const TYPE: Self = Before(PhantomData);
}

/// axum reads the body once, for the last parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` reads the body, write it as the last parameter",
    label = "has to be the last parameter"
)]
pub trait WithoutBody {}

#[cfg(feature = "actix")]
#[doc(hidden)]
pub trait ViaActixExtractor {
    #[doc(hidden)]
    fn __ratelimit_before(&self) {}
}

#[cfg(feature = "actix")]
impl<P: actix_web::FromRequest> ViaActixExtractor for &&Before<P> {}

/// axum's own default tells extractors of the whole request from those of its head.
#[cfg(feature = "axum")]
#[doc(hidden)]
pub trait ViaWholeRequest<P> {
    #[doc(hidden)]
    fn __ratelimit_before(&self)
    where
        P: WithoutBody,
    {
    }
}

#[cfg(feature = "axum")]
impl<P: axum::extract::FromRequest<()>> ViaWholeRequest<P> for &Before<P> {}

#[doc(hidden)]
pub trait ViaAnything {
    #[doc(hidden)]
    fn __ratelimit_before(&self) {}
}

impl<P> ViaAnything for Before<P> {}
