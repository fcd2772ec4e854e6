//! HTTP/1.1 as it is on the wire: what a client library would repair, hide or not send.

use actix_web::{App, HttpServer, dev::Service, rt, web};
use ratelimit::Limiter;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// An answer, as it came.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    fields: Vec<(String, String)>,
    pub(super) body: String,
}

impl Answer {
    /// The one value of a field.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} twice: {self:?}");
        value
    }
}

/// Sends a request's first line and fields, and reads what the server has to say until it hangs up.
pub(super) async fn ask(server: &str, line: &str, fields: &[(&str, &str)]) -> Answer {
    let mut connection = connect(server).await;
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("{line} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n{fields}\r\n");
    connection.write_all(head.as_bytes()).await.unwrap();
    read(&mut connection).await
}

/// Announces a body of ten megabytes and sends only its beginning: who waits for the rest never answers.
pub(super) async fn begin_upload(server: &str, path: &str) -> Answer {
    let mut connection = connect(server).await;
    let head = format!("POST {path} HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n\r\n", 10 << 20);
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.write_all(&[b'x'; 10_000]).await.unwrap();
    read(&mut connection).await
}

async fn connect(server: &str) -> TcpStream {
    TcpStream::connect(server.trim_start_matches("http://")).await.unwrap()
}

async fn read(connection: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    while !is_whole(&bytes) {
        let read = timeout(Duration::from_secs(5), connection.read_buf(&mut bytes));
        match read.await.expect("an answer within five seconds") {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
    }
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap().parse().unwrap();
    let fields = lines.map(|line| line.split_once(": ").unwrap());
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Answer { status, fields, body: body.to_owned() }
}

fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.is_some_and(|length| body.len() >= length.parse::<usize>().unwrap())
}

/// Serves handlers whose limits are decided by that limiter, and returns the server's address.
pub(super) fn actix_server(limiter: Limiter, routes: fn(&mut web::ServiceConfig)) -> String {
    let server = HttpServer::new(move || {
        let limiter = limiter.clone();
        App::new().configure(routes).wrap_fn(move |request, service| {
            let (limiter, response) = (limiter.clone(), service.call(request));
            async move { limiter.scope(response).await }
        })
    });
    let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", server.addrs()[0]);
    rt::spawn(server.run());
    address
}
