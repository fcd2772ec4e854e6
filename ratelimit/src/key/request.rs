//! What a key can ask of a request, whatever the framework.

use super::{
    KeyBuf, Values, encode,
    part::{Slot, write_ascii},
};
use crate::{
    http::{Identity, RequestInfo},
    limiter::Limiter,
};
use core::net::{IpAddr, Ipv6Addr};
use ratelimit_spec::{Key, Request, Source, Word};

/// The client of a request, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Client {
    /// Its address, IPv6 cut to the prefix that is counted.
    Address(IpAddr),
    /// The server was not told the peer's address: all such clients are one.
    Unknown,
}

impl Client {
    /// The address that is counted: IPv4-mapped addresses are IPv4, IPv6 is cut to `ipv6_prefix` bits.
    pub(crate) fn new(peer: Option<IpAddr>, ipv6_prefix: u8) -> Client {
        match peer.map(|address| address.to_canonical()) {
            None => Client::Unknown,
            Some(IpAddr::V4(address)) => Client::Address(IpAddr::V4(address)),
            Some(IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(ipv6_prefix.min(128))).unwrap_or(0);
                Client::Address(IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask)))
            }
        }
    }

    /// What stands behind the label of a part that is missing.
    pub(super) fn write_fallback(self, out: &mut KeyBuf) {
        match self {
            Client::Address(address) => {
                out.extend_from_slice(b"!ip=");
                write_ascii(out, address);
            }
            Client::Unknown => out.extend_from_slice(b"!unknown="),
        }
    }
}

/// Reads every request word of a key.
pub(crate) fn read_request(
    values: &mut Values,
    key: &Key,
    request: &dyn RequestInfo,
    limiter: &Limiter,
    client: Client,
) {
    match key {
        Key::Global => {}
        Key::All(parts) | Key::First(parts) => {
            for part in parts.iter() {
                read_request(values, part, request, limiter, client);
            }
        }
        Key::Word(Word { source: Source::Parameter { .. }, .. }) => {}
        Key::Word(Word { source: Source::Request(asked), .. }) => {
            values.read_next_request(|slot| read(slot, asked, request, limiter, client));
        }
    }
}

fn read(slot: Slot<'_>, asked: &Request, request: &dyn RequestInfo, limiter: &Limiter, client: Client) {
    // An empty value identifies nobody.
    let text = |slot: Slot<'_>, value: Option<&str>| match value {
        None | Some("") => {}
        Some(value) => slot.text(value),
    };
    match asked {
        Request::Ip => match client {
            Client::Address(address) => slot.ip(address),
            Client::Unknown => {}
        },
        Request::User => text(slot, limiter.identity(Identity::User, request).as_deref()),
        Request::Tenant => text(slot, limiter.identity(Identity::Tenant, request).as_deref()),
        Request::ApiKey => match limiter.identity(Identity::ApiKey, request).as_deref() {
            None | Some("") => {}
            Some(key) => slot.secret(key.as_bytes()),
        },
        Request::Method => slot.text(request.method()),
        Request::Path => text(slot, request.route().as_deref()),
        Request::PathParam(name) => text(slot, request.path_parameter(name).as_deref()),
        Request::Query(name) => text(slot, request.query_parameter(name).as_deref()),
        Request::Header(name) => match request.header(name) {
            None | Some(b"") => {}
            Some(value) if is_credential(name) => slot.secret(value),
            Some(value) => slot.bytes(value),
        },
        Request::Cookie(name) => match request.cookie(name) {
            None | Some(b"") => {}
            // A cookie is as good as a password while its session lasts.
            Some(value) => slot.with(|out| encode::secret(out, value)),
        },
    }
}

/// Headers whose value opens doors.
fn is_credential(name: &str) -> bool {
    matches!(name, "authorization" | "proxy-authorization" | "cookie" | "x-api-key")
}
