//! Certificates of one's own, and a provider of cryptography for the client.

use ::redis::{Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, TlsCertificates};
use rustls::crypto::{CryptoProvider, ring};

/// What the builder was given.
#[derive(Clone, Default)]
pub(super) struct Certificates {
    pub(super) root: Option<Vec<u8>>,
    /// Certificate and key.
    pub(super) client: Option<(Vec<u8>, Vec<u8>)>,
}

impl Certificates {
    /// Adds them to a connection that is to be encrypted.
    pub(super) fn add_to(&self, connection: ConnectionInfo) -> Result<ConnectionInfo, String> {
        if !matches!(connection.addr(), ConnectionAddr::TcpTls { .. }) {
            return match (&self.root, &self.client) {
                (None, None) => Ok(connection),
                _ => Err("the url is not encrypted, write `rediss://`".to_owned()),
            };
        }
        // The client takes the process's provider, and panics where there is none or rustls knows several.
        if CryptoProvider::get_default().is_none() {
            // Somebody else may have been faster, which is as good.
            let _ = ring::default_provider().install_default();
        }
        if self.root.is_none() && self.client.is_none() {
            return Ok(connection);
        }
        let client_tls =
            self.client.clone().map(|(client_cert, client_key)| ClientTlsConfig { client_cert, client_key });
        let certificates = TlsCertificates { client_tls, root_cert: self.root.clone() };
        // What the client says of a certificate quotes none of it.
        let client = Client::build_with_tls(connection, certificates).map_err(|error| error.to_string())?;
        Ok(client.get_connection_info().clone())
    }
}
