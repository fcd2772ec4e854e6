//! From a URL to a store, without a connection: a service starts while Redis is down.

use super::{Redis, link::Link};
use ::redis::{
    Client, ConnectionAddr, IntoConnectionInfo, aio::ConnectionManagerConfig, io::tcp::TcpSettings,
};
use core::{fmt, time::Duration};

/// Sets a [`Redis`] store up.
///
/// ```
/// use ratelimit::store::redis::Redis;
/// use std::time::Duration;
///
/// let store = Redis::builder("redis://127.0.0.1:6379/0").connect_timeout(Duration::from_millis(300)).build()?;
/// # let _ = store;
/// # Ok::<(), ratelimit::store::redis::OpenError>(())
/// ```
pub struct Builder {
    url: String,
    connect_timeout: Duration,
    response_timeout: Duration,
}

/// Why no store can be made from a URL.
///
/// Its sentence names the fault and the way out. It repeats no more of the URL than the scheme, because the rest may
/// hold a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError(Fault);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    NoScheme,
    Scheme(String),
    Tls(String),
    Wildcard,
    Other,
}

/// Commands that may wait for the connection's writer; the client's own default of 50 makes callers queue before it.
const PIPELINE: usize = 4096;

impl Builder {
    pub(super) fn new(url: String) -> Builder {
        Builder { url, connect_timeout: Duration::from_secs(1), response_timeout: Duration::from_millis(500) }
    }

    /// How long one attempt to connect may take; 1 s by default.
    pub fn connect_timeout(mut self, longest: Duration) -> Builder {
        self.connect_timeout = longest;
        self
    }

    /// How long the client waits for an answer; 500 ms by default.
    ///
    /// It is the second line behind the limiter's own deadline and should be longer than that one.
    pub fn response_timeout(mut self, longest: Duration) -> Builder {
        self.response_timeout = longest;
        self
    }

    /// The store. It connects at its first decision.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the URL cannot be used.
    pub fn build(self) -> Result<Redis, OpenError> {
        let Some((scheme, _)) = self.url.split_once("://") else {
            return Err(OpenError(Fault::NoScheme));
        };
        match scheme {
            "redis" | "valkey" | "unix" | "redis+unix" | "valkey+unix" => {}
            "rediss" | "valkeys" if tls() => {}
            "rediss" | "valkeys" => return Err(OpenError(Fault::Tls(scheme.to_owned()))),
            // Anything else in front of `://` may be a password gone astray.
            _ if scheme.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'+') => {
                return Err(OpenError(Fault::Scheme(scheme.to_owned())));
            }
            _ => return Err(OpenError(Fault::NoScheme)),
        }
        // What the client says of a bad URL may quote it.
        let info = self.url.as_str().into_connection_info().map_err(|_| OpenError(self.fault()))?;
        let info = info.set_tcp_settings(TcpSettings::default().set_nodelay(true));
        let client = Client::open(info).map_err(|_| OpenError(Fault::Other))?;
        // Without retries: with the client's six, every call of an outage waits for all of them.
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(self.connect_timeout))
            .set_response_timeout(Some(self.response_timeout))
            .set_pipeline_buffer_size(PIPELINE);
        Ok(Redis::over(Link::new(client, config)))
    }

    fn fault(&self) -> Fault {
        let host =
            self.url.rsplit_once('@').or_else(|| self.url.split_once("://")).map_or("", |(_, host)| host);
        if host.starts_with("0.0.0.0") || host.starts_with("[::]") { Fault::Wildcard } else { Fault::Other }
    }
}

/// Whether the client was built with TLS, which any crate of the binary may ask for.
fn tls() -> bool {
    ConnectionAddr::TcpTls { host: String::new(), port: 0, insecure: false, tls_params: None }.is_supported()
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Builder { url: _, connect_timeout, response_timeout } = self;
        f.debug_struct("Builder")
            .field("connect_timeout", connect_timeout)
            .field("response_timeout", response_timeout)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Fault::NoScheme => f.write_str("redis url: no scheme, write `redis://` in front of the host"),
            Fault::Scheme(scheme) => {
                write!(f, "redis url: no such scheme `{scheme}`, write `redis://`, `rediss://` or `unix://`")
            }
            Fault::Tls(scheme) => write!(
                f,
                "redis url: `{scheme}://` needs TLS and this binary has none, add `redis = {{ version = \"1.8\", \
                 default-features = false, features = [\"tokio-rustls-comp\"] }}` to its Cargo.toml, or write `redis://`"
            ),
            Fault::Wildcard => {
                f.write_str("redis url: nobody can connect to a wildcard address, write `127.0.0.1` or `[::1]`")
            }
            Fault::Other => f.write_str(
                "redis url: cannot be read, write `redis://user:password@host:6379/0` with `@`, `:`, `/`, `#` and `?` \
                 in the password percent-encoded",
            ),
        }
    }
}

impl std::error::Error for OpenError {}
