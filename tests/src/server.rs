//! A redis-server that belongs to one test.

use redis::{Cmd, Connection, FromRedisValue};
use std::{
    io,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A redis-server on a free port of this machine, without persistence; killed when dropped, so also by a test that
/// panics.
#[derive(Debug)]
pub struct RedisServer {
    process: Child,
    port: u16,
    /// Gone with the server.
    _directory: tempfile::TempDir,
    arguments: Vec<String>,
}

/// A port that was free may be taken a moment later.
const ATTEMPTS: usize = 5;
const PATIENCE: Duration = Duration::from_secs(20);

impl RedisServer {
    /// Starts one and waits until it answers.
    ///
    /// # Panics
    ///
    /// If redis-server is missing: a test that cannot test must not pass.
    pub fn start() -> RedisServer {
        RedisServer::start_with(&[])
    }

    /// Starts one with further options.
    ///
    /// # Panics
    ///
    /// As [`start`](RedisServer::start).
    pub fn start_with(options: &[&str]) -> RedisServer {
        RedisServer::launch(|port, directory| {
            let port = port.to_string();
            let directory = directory.to_string_lossy();
            let ours = ["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
            let ours = ours.into_iter().chain(["--dir", &directory]);
            ours.chain(options.iter().copied()).map(str::to_owned).collect()
        })
    }

    /// Starts a sentinel that watches a server under the name `main`, and takes it for dead after half a second.
    ///
    /// # Panics
    ///
    /// As [`start`](RedisServer::start).
    #[allow(clippy::expect_used, reason = "a test kit fails loudly")]
    pub fn start_sentinel(of: &RedisServer, quorum: usize) -> RedisServer {
        let watched = of.port();
        RedisServer::launch(|port, directory| {
            let file = directory.join("sentinel.conf");
            let text = format!(
                "port {port}\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 {watched} {quorum}\n\
                 sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 3000\n"
            );
            // A sentinel writes into it what it learns.
            std::fs::write(&file, text).expect("a file for the sentinel");
            vec![file.to_string_lossy().into_owned(), "--sentinel".to_owned()]
        })
    }

    #[allow(clippy::expect_used, clippy::panic, reason = "a test kit fails loudly")]
    fn launch(arguments: impl Fn(u16, &Path) -> Vec<String>) -> RedisServer {
        let directory = tempfile::tempdir().expect("a directory for redis-server");
        for _ in 0..ATTEMPTS {
            let port = free_port().expect("a free port");
            let arguments = arguments(port, directory.path());
            let mut process = spawn(&arguments);
            if wait_until_ready(&mut process, port) {
                return RedisServer { process, port, _directory: directory, arguments };
            }
            end(&mut process);
        }
        panic!("redis-server does not answer");
    }

    /// Ends it. Its address stays its own.
    pub fn stop(&mut self) {
        end(&mut self.process);
    }

    /// Ends it, and starts an empty one at the same address.
    ///
    /// # Panics
    ///
    /// If it does not answer again.
    pub fn restart(&mut self) {
        self.stop();
        self.process = spawn(&self.arguments);
        assert!(wait_until_ready(&mut self.process, self.port), "redis-server does not come back");
    }

    /// Its address.
    pub fn url(&self) -> String {
        url(self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// A connection of one's own.
    ///
    /// # Panics
    ///
    /// If the server does not answer.
    #[allow(clippy::expect_used, reason = "a test kit fails loudly")]
    pub fn connect(&self) -> Connection {
        connect(self.port).expect("redis-server answers")
    }

    /// Runs a command and returns what it answers.
    ///
    /// # Panics
    ///
    /// If the server does not answer, or with something else.
    #[allow(clippy::expect_used, reason = "a test kit fails loudly")]
    pub fn ask<T: FromRedisValue>(&self, command: &Cmd) -> T {
        command.query(&mut self.connect()).expect("a reply")
    }

    /// What it calls itself, `redis` or `valkey`, and its version.
    pub fn version(&self) -> (&'static str, String) {
        let info: String = self.ask(redis::cmd("INFO").arg("server"));
        let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        match field("valkey_version") {
            Some(version) => ("valkey", version.to_owned()),
            None => ("redis", field("redis_version").unwrap_or_default().to_owned()),
        }
    }

    /// Every key that it holds, in order.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.ask(redis::cmd("KEYS").arg("*"));
        keys.sort();
        keys
    }

    /// Stops its process without ending it: connections stay open and nothing answers. Until [`RedisServer::resume`].
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets its process go on.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    #[allow(clippy::expect_used, reason = "a test kit fails loudly")]
    fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.process.id().to_string()]).status();
        assert!(status.expect("`kill` runs").success(), "kill {signal}");
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

/// A node of a cluster talks to others ten thousand ports above.
const HIGHEST_PORT: u16 = 55_535;

fn free_port() -> io::Result<u16> {
    loop {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        if port <= HIGHEST_PORT {
            return Ok(port);
        }
    }
}

#[allow(clippy::panic, reason = "a test kit fails loudly")]
fn spawn(arguments: &[String]) -> Child {
    let program = program();
    Command::new(&program).args(arguments).stdout(Stdio::null()).spawn().unwrap_or_else(|error| {
        panic!("{program} does not start ({error}): `./tests/run` installs redis-server")
    })
}

/// The program of the server that is tested on: `RATELIMIT_TEST_SERVER`, or redis-server.
pub(crate) fn program() -> String {
    std::env::var("RATELIMIT_TEST_SERVER").unwrap_or_else(|_| "redis-server".to_owned())
}

/// Whether it is this process that answers, and not one that has taken the port before it.
fn wait_until_ready(process: &mut Child, port: u16) -> bool {
    let ours = format!("process_id:{}\r", process.id());
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if !matches!(process.try_wait(), Ok(None)) {
            return false;
        }
        let info = connect(port).and_then(|mut connection| {
            redis::cmd("INFO").arg("server").query::<String>(&mut connection).ok()
        });
        if let Some(info) = info {
            return info.lines().any(|line| line == ours.trim_end());
        }
        std::thread::yield_now();
    }
    false
}

fn connect(port: u16) -> Option<Connection> {
    redis::Client::open(url(port)).ok()?.get_connection().ok()
}

fn url(port: u16) -> String {
    format!("redis://127.0.0.1:{port}")
}

/// A stopped process dies of this as well.
fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
}
