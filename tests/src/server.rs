//! A redis-server that belongs to one test.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A redis-server on a free port of this machine, without persistence; killed when dropped.
#[derive(Debug)]
pub struct RedisServer {
    process: Child,
    port: u16,
    _directory: tempfile::TempDir,
}

impl RedisServer {
    /// Starts one and waits until it answers.
    ///
    /// # Panics
    ///
    /// If redis-server is missing: a test that cannot test must not pass.
    #[allow(clippy::expect_used, clippy::panic, reason = "a test kit fails loudly")]
    pub fn start() -> RedisServer {
        let directory = tempfile::tempdir().expect("a directory for redis-server");
        let port = TcpListener::bind(("127.0.0.1", 0))
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .arg("--dir")
            .arg(directory.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("redis-server does not start ({error}): `./tests/run` installs it")
            });
        let server = RedisServer { process, port, _directory: directory };
        let started = Instant::now();
        while server.connect().is_none() {
            assert!(started.elapsed() < Duration::from_secs(10), "redis-server does not answer");
            std::thread::yield_now();
        }
        server
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Runs a command and returns what it answers.
    ///
    /// # Panics
    ///
    /// If the server does not answer.
    #[allow(clippy::expect_used, reason = "a test kit fails loudly")]
    pub fn ask<T: redis::FromRedisValue>(&self, command: &redis::Cmd) -> T {
        command.query(&mut self.connect().expect("redis-server answers")).expect("a reply")
    }

    /// A connection of one's own.
    pub fn connect(&self) -> Option<redis::Connection> {
        redis::Client::open(self.url()).ok()?.get_connection().ok()
    }

    /// Sends a signal by name, for example `STOP`.
    ///
    /// # Panics
    ///
    /// If there is no `kill`.
    #[allow(clippy::expect_used, reason = "a test kit fails loudly")]
    pub fn signal(&self, name: &str) {
        let status =
            Command::new("kill").args([&format!("-{name}"), &self.process.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        // A stopped process dies of this as well.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
