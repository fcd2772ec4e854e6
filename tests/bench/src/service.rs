//! An axum handler with one limit in memory, beside the same handler without.

use crate::{
    Error,
    rounds::{Contender, Times, in_turns},
    table::{Goal, Ratio, Table},
};
use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    http::StatusCode,
    response::IntoResponse,
    routing::get,
};
use ratelimit::rate_limit;
use std::{net::SocketAddr, time::Instant};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    task::JoinSet,
};
use tower::ServiceExt;

const SOCKET_NOTES: [&str; 5] = [
    "Requests over loopback, 16 connections kept alive, one request at a time on each. One limit by address.",
    "Both servers share one worker thread, and the clients another: with two cores to themselves, the server is what",
    "is measured; where there is less, the clients' part counts on both sides and the ratio looks better than it is.",
    "The clients are bare sockets: they send bytes made before and read until the body is there.",
    "The bare handler is served without `into_make_service_with_connect_info`, which the limited one needs.",
];
const CALL_NOTES: [&str; 1] =
    ["The router called directly: what the limit adds, without socket and HTTP parser."];

const CONNECTIONS: u32 = 16;
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

async fn bare() -> impl IntoResponse {
    "ok"
}

#[rate_limit(name = "limited", key = "ip", algo = "token_bucket", rate = "1/min", burst = 100_000_000)]
async fn limited() -> impl IntoResponse {
    "ok"
}

pub(crate) fn run(rounds: usize) -> Result<(), Error> {
    let (bare, limited) = (Router::new().route("/", get(bare)), Router::new().route("/", get(limited)));
    over_sockets(rounds, bare.clone(), limited.clone())?;
    by_calls(rounds, &bare, &limited)
}

fn over_sockets(rounds: usize, bare: Router, limited: Router) -> Result<(), Error> {
    let server = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let client = Builder::new_current_thread().enable_all().build()?;
    let (bare_at, bare_listener) = listen(&server)?;
    let (limited_at, limited_listener) = listen(&server)?;
    server.spawn(async { axum::serve(bare_listener, bare).await });
    let limited = limited.into_make_service_with_connect_info::<SocketAddr>();
    server.spawn(async { axum::serve(limited_listener, limited).await });

    let mut to_bare = connect(&client, bare_at)?;
    let mut to_limited = connect(&client, limited_at)?;
    let contenders = vec![
        Contender::new("one limit", || load(&client, &mut to_limited)),
        Contender::new("bare", || load(&client, &mut to_bare)),
    ];
    let times = in_turns(rounds, contenders)?;
    let table = Table::begin("An axum handler", &SOCKET_NOTES, "requests", Ratio::Rate);
    print(&table, "over loopback", &times, Some(Goal(0.97)));
    Ok(())
}

fn by_calls(rounds: usize, bare: &Router, limited: &Router) -> Result<(), Error> {
    let runtime = Builder::new_current_thread().build()?;
    let contenders = vec![
        Contender::new("one limit", || call(&runtime, limited)),
        Contender::new("bare", || call(&runtime, bare)),
    ];
    let times = in_turns(rounds, contenders)?;
    let table = Table::begin("An axum handler, without a socket", &CALL_NOTES, "requests", Ratio::Time);
    print(&table, "of the router", &times, None);
    Ok(())
}

fn print(table: &Table, work: &str, times: &[Times], goal: Option<Goal>) {
    let [limited, bare] = times else { return };
    table.row(work, limited, bare, goal);
}

/// So many calls of the router, each with the request that a server would make.
fn call(runtime: &Runtime, router: &Router) -> Result<f64, Error> {
    const CALLS: u32 = 2_000;
    runtime.block_on(async {
        let start = Instant::now();
        for _ in 0..CALLS {
            let mut request = Request::builder().uri("/").body(Body::empty())?;
            request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 50_000))));
            let response = router.clone().oneshot(request).await?;
            if response.status() != StatusCode::OK {
                return Err(format!("answered {}", response.status()).into());
            }
        }
        Ok(start.elapsed().as_secs_f64() / f64::from(CALLS))
    })
}

fn listen(server: &Runtime) -> Result<(SocketAddr, TcpListener), Error> {
    let listener = server.block_on(TcpListener::bind("127.0.0.1:0"))?;
    Ok((listener.local_addr()?, listener))
}

/// A connection that is kept alive.
struct Connection {
    stream: TcpStream,
    answer: Vec<u8>,
}

fn connect(client: &Runtime, address: SocketAddr) -> Result<Vec<Connection>, Error> {
    client.block_on(async {
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            connections.push(Connection { stream, answer: Vec::with_capacity(4096) });
        }
        Ok(connections)
    })
}

/// Lets every connection ask for a while, and says how long all together took for one request.
fn load(client: &Runtime, connections: &mut Vec<Connection>) -> Result<f64, Error> {
    const REQUESTS: u32 = 200;
    client.block_on(async {
        let start = Instant::now();
        let mut asking: JoinSet<Result<Connection, Error>> = JoinSet::new();
        for mut connection in connections.drain(..) {
            asking.spawn(async move {
                for _ in 0..REQUESTS {
                    connection.ask().await?;
                }
                Ok(connection)
            });
        }
        while let Some(done) = asking.join_next().await {
            connections.push(done??);
        }
        Ok(start.elapsed().as_secs_f64() / f64::from(CONNECTIONS * REQUESTS))
    })
}

impl Connection {
    async fn ask(&mut self) -> Result<(), Error> {
        self.stream.write_all(REQUEST).await?;
        self.answer.clear();
        while !self.answer.ends_with(b"\r\n\r\nok") {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err("the server has closed the connection".into());
            }
        }
        if self.answer.starts_with(b"HTTP/1.1 200 ") {
            Ok(())
        } else {
            Err("the server does not answer 200".into())
        }
    }
}
