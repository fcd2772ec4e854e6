//! Redis over TLS, with an authority of our own and with certificates on both sides.

use ratelimit::{
    DeniedKind, FailMode, Limit, Limiter,
    store::{Failure, FailureKind, Store as _, redis::Redis},
};
use ratelimit_tests::RedisServer;
use rcgen::{BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use std::{net::TcpListener, time::Duration};

/// An authority that nobody else trusts.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate and its key.
    fn sign(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        // Of the same name as its issuer it would pass for one that signed itself.
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate: Certificate = params.signed_by(&key, &self.0).unwrap();
        (certificate.pem(), key.serialize_pem())
    }
}

struct Encrypted {
    authority: Authority,
    server: RedisServer,
    port: u16,
    _files: tempfile::TempDir,
}

impl Encrypted {
    fn start(asks_for_certificates: bool) -> Encrypted {
        let (authority, files) = (Authority::new(), tempfile::tempdir().unwrap());
        let (certificate, key) = authority.sign("localhost");
        let file = |name: &str, text: String| {
            let path = files.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_string_lossy().into_owned()
        };
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = RedisServer::start_with(&[
            "--tls-port",
            &port.to_string(),
            "--tls-cert-file",
            &file("cert.pem", certificate),
            "--tls-key-file",
            &file("key.pem", key),
            "--tls-ca-cert-file",
            &file("ca.pem", authority.pem()),
            "--tls-auth-clients",
            if asks_for_certificates { "yes" } else { "no" },
        ]);
        Encrypted { authority, server, port, _files: files }
    }

    fn url(&self, rest: &str) -> String {
        format!("rediss://{rest}localhost:{}", self.port)
    }
}

async fn failure(store: Redis) -> Failure {
    let limit = Limit::builder("tls").key("user").rate("1/day").build().unwrap();
    let numbers = limit.rule().numbers();
    let charge = ratelimit::store::Charge { numbers, key: b"k", cost: 1, max_delay: None, hold: None };
    store.decide(&[charge]).await.unwrap_err()
}

async fn is_shared(encrypted: &Encrypted, store: Redis) {
    let limiter = Limiter::builder().store(store).fail(FailMode::Closed).deadline(Duration::from_secs(10));
    let limiter = limiter.build().unwrap();
    let limit = Limit::builder("tls").key("user").rate("2/day").build().unwrap();
    for number in 0..4 {
        let outcome = limiter.check(&limit).part("user", "ann").await;
        assert_eq!(outcome.is_ok(), number < 2, "{outcome:?}");
        assert!(outcome.is_ok() || outcome.unwrap_err().kind() == DeniedKind::Limited);
    }
    assert_eq!(encrypted.server.keys().len(), 1);
}

#[tokio::test]
async fn authority_of_ones_own_is_trusted_when_it_is_given() {
    let encrypted = Encrypted::start(false);
    let store = Redis::builder(encrypted.url("")).root_certificate(encrypted.authority.pem());
    is_shared(&encrypted, store.build().unwrap()).await;
}

#[tokio::test]
async fn server_whose_authority_nobody_knows_is_not_trusted() {
    let encrypted = Encrypted::start(false);
    let strangers = Redis::builder(encrypted.url("")).root_certificate(Authority::new().pem());
    for store in [Redis::open(encrypted.url("")), strangers.build()] {
        let failure = failure(store.unwrap()).await;
        assert_eq!(failure.kind(), FailureKind::Connection);
        let why = std::error::Error::source(&failure).unwrap().to_string();
        assert!(why.contains("certificate"), "{why}");
    }
}

#[tokio::test]
async fn server_that_asks_for_a_certificate_gets_it() {
    let encrypted = Encrypted::start(true);
    let builder = || Redis::builder(encrypted.url("")).root_certificate(encrypted.authority.pem());
    let (certificate, key) = encrypted.authority.sign("limiter");
    is_shared(&encrypted, builder().client_certificate(certificate, key).build().unwrap()).await;
    assert_eq!(failure(builder().build().unwrap()).await.kind(), FailureKind::Connection);
}

#[tokio::test]
async fn user_password_and_database_go_with_it() {
    let encrypted = Encrypted::start(false);
    let user = ["SETUSER", "limiter", "on", ">s3cret", "~rl:*", "+@all"];
    encrypted.server.ask::<()>(redis::cmd("ACL").arg(&user));
    let url = format!("{}/3", encrypted.url("limiter:s3cret@"));
    let builder = Redis::builder(url).root_certificate(encrypted.authority.pem());
    let limiter = Limiter::builder().store(builder.build().unwrap()).fail(FailMode::Closed);
    let limiter = limiter.deadline(Duration::from_secs(10)).build().unwrap();
    let limit = Limit::builder("tls").key("user").rate("2/day").build().unwrap();
    limiter.check(&limit).part("user", "ann").await.unwrap();
    assert!(encrypted.server.keys().is_empty(), "database 0 is not ours");
    assert!(encrypted.server.ask::<String>(redis::cmd("INFO").arg("keyspace")).contains("db3:keys=1"));
    assert!(!format!("{limiter:?}").contains("s3cret"));
}

#[test]
fn certificates_that_cannot_be_used_are_said_at_start_up() {
    let error =
        Redis::builder("rediss://localhost").root_certificate("no pem").client_certificate("x", "s3cret");
    let error = error.build().unwrap_err();
    assert!(error.to_string().starts_with("redis tls: the certificates cannot be used"), "{error}");
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    let plain = Redis::builder("redis://localhost").root_certificate(Authority::new().pem()).build();
    assert!(plain.unwrap_err().to_string().contains("write `rediss://`"));
}
