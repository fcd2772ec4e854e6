//! What a URL says: how many servers, who names them, and what every connection to them has.

use super::topology::Question;
use ::redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo};
use core::fmt;

/// Why no store can be made from a URL.
///
/// Its sentence names the fault and the way out. It repeats no more of the URL than the scheme, because the rest may
/// hold a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError(pub(super) Fault);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    NoScheme,
    Scheme(String),
    Tls(String),
    Certificate(String),
    Wildcard,
    NoService,
    Database,
    Other,
}

/// A URL that was read.
pub(super) struct Read {
    /// Who names the servers; `None` if there is one, at the address of the connection.
    pub(super) question: Option<Question>,
    /// A connection to each host of the URL.
    pub(super) hosts: Vec<ConnectionInfo>,
}

/// The port of a sentinel, where the URL says none.
const SENTINEL: &str = ":26379";

/// Reads a URL. What the client says of a bad one may quote it, and is not passed on.
pub(super) fn read(url: &str) -> Result<Read, OpenError> {
    let (scheme, rest) = url.split_once("://").ok_or(OpenError(Fault::NoScheme))?;
    let (scheme, kind) = match scheme.split_once('+') {
        Some((scheme, "cluster")) => (scheme, "cluster"),
        Some((scheme, "sentinel")) => (scheme, "sentinel"),
        _ => (scheme, ""),
    };
    match scheme {
        "redis" | "valkey" => {}
        "unix" | "redis+unix" | "valkey+unix" if kind.is_empty() => {}
        "rediss" | "valkeys" if tls() => {}
        "rediss" | "valkeys" => return Err(OpenError(Fault::Tls(scheme.to_owned()))),
        // Anything else in front of `://` may be a password gone astray.
        _ if scheme.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'+') => {
            return Err(OpenError(Fault::Scheme(scheme.to_owned())));
        }
        _ => return Err(OpenError(Fault::NoScheme)),
    }
    if scheme.ends_with("unix") {
        return Ok(Read { question: None, hosts: vec![connection(url)?] });
    }
    let (authority, mut path) = match rest.find(['/', '?', '#']) {
        Some(end) => rest.split_at_checked(end).unwrap_or((rest, "")),
        None => (rest, ""),
    };
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (format!("{user}@"), hosts),
        None => (String::new(), authority),
    };
    let mut question = match kind {
        "cluster" => Some(Question::Slots),
        "sentinel" => None,
        _ => hosts.contains(',').then_some(Question::Slots),
    };
    if kind == "sentinel" {
        // `/service`, then the database.
        let named = path.strip_prefix('/').unwrap_or_default();
        let end = named.find(['/', '?', '#']).unwrap_or(named.len());
        let (name, behind) = named.split_at_checked(end).unwrap_or((named, ""));
        if name.is_empty() {
            return Err(OpenError(Fault::NoService));
        }
        (question, path) = (Some(Question::Primary(name.to_owned())), behind);
    }
    let port = |host: &str| match kind {
        "sentinel" if !host.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(':') => SENTINEL,
        _ => "",
    };
    let hosts = hosts.split(',').map(str::trim);
    let hosts = hosts.map(|host| connection(&format!("{scheme}://{user}{host}{}{path}", port(host))));
    let hosts = hosts.collect::<Result<Vec<_>, _>>()?;
    let is_cluster = matches!(question, Some(Question::Slots));
    if is_cluster && hosts.iter().any(|host| host.redis_settings().db() != 0) {
        return Err(OpenError(Fault::Database));
    }
    Ok(Read { question, hosts })
}

fn connection(url: &str) -> Result<ConnectionInfo, OpenError> {
    let host = url.rsplit_once('@').or_else(|| url.split_once("://")).map_or("", |(_, host)| host);
    let is_wildcard = host.starts_with("0.0.0.0") || host.starts_with("[::]");
    url.into_connection_info()
        .map_err(|_| OpenError(if is_wildcard { Fault::Wildcard } else { Fault::Other }))
}

/// Whether the client was built with TLS, which any crate of the binary may ask for.
fn tls() -> bool {
    ConnectionAddr::TcpTls { host: String::new(), port: 0, insecure: false, tls_params: None }.is_supported()
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Fault::NoScheme => f.write_str("redis url: no scheme, write `redis://` in front of the host"),
            Fault::Scheme(scheme) => write!(
                f,
                "redis url: no such scheme `{scheme}`, write `redis://`, `rediss://` or `unix://`, \
                 `redis+cluster://` or `redis+sentinel://`"
            ),
            Fault::Tls(scheme) => write!(
                f,
                "redis url: `{scheme}://` needs TLS and this binary has none, add the feature `tls` of `ratelimit`, or \
                 write `redis://`"
            ),
            Fault::Certificate(why) => write!(f, "redis tls: the certificates cannot be used, {why}"),
            Fault::Wildcard => {
                f.write_str("redis url: nobody can connect to a wildcard address, write `127.0.0.1` or `[::1]`")
            }
            Fault::NoService => f.write_str(
                "redis url: sentinels watch a service by its name, write `redis+sentinel://host:26379/name`",
            ),
            Fault::Database => {
                f.write_str("redis url: a cluster has no databases but 0, leave out what stands behind the hosts")
            }
            Fault::Other => f.write_str(
                "redis url: cannot be read, write `redis://user:password@host:6379/0` with `@`, `:`, `/`, `#` and `?` \
                 in the password percent-encoded",
            ),
        }
    }
}

impl std::error::Error for OpenError {}
