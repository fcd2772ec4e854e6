//! What a limiter asks of a request: [`RequestInfo`], implemented for axum's and actix's.

use core::net::IpAddr;
use std::{borrow::Cow, sync::Arc};

/// A request as far as a limit may look at it: everything but the body.
pub trait RequestInfo {
    /// The method, in upper case.
    fn method(&self) -> &str;

    /// The route that matched, as it was declared (`/users/{id}`).
    fn route(&self) -> Option<Cow<'_, str>>;

    /// A parameter of the matched route, decoded.
    fn path_parameter(&self, name: &str) -> Option<Cow<'_, str>>;

    /// The query string, as it was sent.
    fn query(&self) -> Option<&str>;

    /// The first value of a header; `name` is in lower case.
    fn header(&self, name: &str) -> Option<&[u8]>;

    /// The value of a cookie, as it was sent.
    fn cookie(&self, name: &str) -> Option<&[u8]>;

    /// The address at the other end of the connection.
    fn peer(&self) -> Option<IpAddr>;

    /// Who the application vouches for, from the typed extensions [`User`], [`Tenant`] and [`ApiKey`].
    fn identity(&self, identity: Identity) -> Option<Arc<str>>;

    /// The plan of whom the request comes from, from the typed extension [`Plan`].
    fn plan(&self) -> Option<Arc<str>>;

    /// The first value of a query parameter, decoded.
    fn query_parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        form_urlencoded::parse(self.query()?.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

/// The first cookie of that name in the values of the `Cookie` fields: HTTP/2 clients send one field for each.
#[cfg_attr(
    not(any(feature = "axum", feature = "actix")),
    allow(dead_code, reason = "only a framework has fields")
)]
pub(super) fn find_cookie<'r>(mut fields: impl Iterator<Item = &'r [u8]>, name: &str) -> Option<&'r [u8]> {
    fields.find_map(|field| {
        field.split(|byte| *byte == b';').find_map(|pair| {
            let (key, value) = pair.trim_ascii().split_at_checked(name.len())?;
            (key == name.as_bytes()).then_some(value.strip_prefix(b"=")?)
        })
    })
}

/// What an application can vouch for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// `user`.
    User,
    /// `tenant`.
    Tenant,
    /// `api_key`.
    ApiKey,
}

macro_rules! identities {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        ///
        /// A typed request extension, put there by the application's authentication: what a client claims in a header
        /// is never an identity.
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name(pub(crate) Arc<str>);

        impl $name {
            /// Vouches for it.
            pub fn new(id: impl Into<Arc<str>>) -> Self {
                Self(id.into())
            }
        }
    )*};
}

identities! {
    /// The user on whose behalf a request comes.
    User,
    /// The tenant on whose behalf a request comes.
    Tenant,
    /// The API key that a request was authenticated with. Only its digest gets into a stored key.
    ApiKey
}

/// The plan of whom a request comes from, for limits whose rate goes by plan.
///
/// A typed request extension, put there by whoever knows it, such as the application's authentication.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan(pub(crate) Arc<str>);

impl Plan {
    /// The plan of that name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }
}

impl core::fmt::Debug for User {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("User").field(&self.0).finish()
    }
}

impl core::fmt::Debug for Tenant {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Tenant").field(&self.0).finish()
    }
}

/// Prints nothing of the key.
impl core::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ApiKey(..)")
    }
}
