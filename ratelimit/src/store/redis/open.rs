//! From a URL to a store, without a connection: a service starts while Redis is down.

use super::{
    Redis,
    link::Link,
    routes::Node,
    servers::{Named, Servers},
    topology::{Address, Question},
    url::{self, Fault, OpenError},
};
use ::redis::{
    Client, ConnectionInfo, RedisConnectionInfo, aio::ConnectionManagerConfig, io::tcp::TcpSettings,
};
use core::{fmt, time::Duration};
use std::sync::Arc;

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
    sentinel: Option<(String, String)>,
    #[cfg(feature = "tls")]
    certificates: super::tls::Certificates,
}

/// Commands that may wait for the connection's writer; the client's own default of 50 makes callers queue before it.
const PIPELINE: usize = 4096;

impl Builder {
    pub(super) fn new(url: String) -> Builder {
        Builder {
            url,
            connect_timeout: Duration::from_secs(1),
            response_timeout: Duration::from_millis(500),
            sentinel: None,
            #[cfg(feature = "tls")]
            certificates: super::tls::Certificates::default(),
        }
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

    /// The user and password by which sentinels let one in; without, they are asked without. What the URL says is for the
    /// server that they name. An empty user is the default one.
    pub fn sentinel_credentials(mut self, user: impl Into<String>, password: impl Into<String>) -> Builder {
        self.sentinel = Some((user.into(), password.into()));
        self
    }

    /// The authority that signed the servers' certificates, in PEM, instead of those that the system trusts. For URLs with
    /// `rediss://`.
    #[cfg(feature = "tls")]
    pub fn root_certificate(mut self, pem: impl Into<Vec<u8>>) -> Builder {
        self.certificates.root = Some(pem.into());
        self
    }

    /// The certificate and key by which the servers know this client, in PEM. For URLs with `rediss://`.
    #[cfg(feature = "tls")]
    pub fn client_certificate(mut self, pem: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Builder {
        self.certificates.client = Some((pem.into(), key.into()));
        self
    }

    /// The store. It connects at its first decision.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the URL, or a certificate, cannot be used.
    pub fn build(self) -> Result<Redis, OpenError> {
        let url::Read { question, hosts } = url::read(&self.url)?;
        let hosts = hosts.into_iter().map(|host| self.prepare(host)).collect::<Result<Vec<_>, _>>()?;
        // A URL without a host cannot be read.
        let template = hosts.first().cloned().ok_or(OpenError(Fault::Other))?;
        // Without retries: with the client's six, every call of an outage waits for all of them.
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(self.connect_timeout))
            .set_response_timeout(Some(self.response_timeout))
            .set_pipeline_buffer_size(PIPELINE);
        let servers = match question {
            None => {
                let address = Address::of(template.addr());
                let client = Client::open(template).map_err(|_| OpenError(Fault::Other))?;
                Servers::One(Arc::new(Node { address, link: Link::new(client, config) }))
            }
            Some(question) => {
                let seeds = match question {
                    Question::Slots => hosts,
                    Question::Primary(_) => hosts.into_iter().map(|host| self.to_sentinel(host)).collect(),
                };
                Servers::Named(Named::new(question, seeds, template, config, self.connect_timeout))
            }
        };
        Ok(Redis::over(servers))
    }

    fn prepare(&self, host: ConnectionInfo) -> Result<ConnectionInfo, OpenError> {
        let host = host.set_tcp_settings(TcpSettings::default().set_nodelay(true));
        #[cfg(feature = "tls")]
        let host = self.certificates.add_to(host).map_err(|why| OpenError(Fault::Certificate(why)))?;
        Ok(host)
    }

    /// Sentinels have users of their own, and no databases.
    fn to_sentinel(&self, host: ConnectionInfo) -> ConnectionInfo {
        let mut settings = RedisConnectionInfo::default();
        if let Some((user, password)) = &self.sentinel {
            settings = settings.set_password(password);
            if !user.is_empty() {
                settings = settings.set_username(user);
            }
        }
        host.set_redis_settings(settings)
    }
}

impl fmt::Debug for Builder {
    /// Neither the URL nor what else may hold a password or a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("connect_timeout", &self.connect_timeout)
            .field("response_timeout", &self.response_timeout)
            .finish_non_exhaustive()
    }
}
