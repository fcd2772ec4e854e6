//! A link to a server that is far away.

use crate::RedisServer;
use core::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// The address of a link on which every answer of the server takes that much longer. It lasts as long as the runtime.
///
/// # Panics
///
/// If no port is free.
#[allow(clippy::expect_used, reason = "a test kit fails loudly")]
pub async fn slow_link(server: &RedisServer, latency: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let server = server.url().trim_start_matches("redis://").to_owned();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            if let Ok(far) = TcpStream::connect(&server).await {
                let ((mut near_in, near_out), (far_in, mut far_out)) = (near.into_split(), far.into_split());
                tokio::spawn(async move { tokio::io::copy(&mut near_in, &mut far_out).await });
                tokio::spawn(delay(far_in, near_out, latency));
            }
        }
    });
    format!("redis://{address}")
}

async fn delay(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    latency: Duration,
) -> std::io::Result<()> {
    let mut chunk = vec![0; 64 << 10];
    loop {
        let length = from.read(&mut chunk).await?;
        if length == 0 {
            return Ok(());
        }
        // The latency is what is tested with: real time, because the other end is a real server.
        tokio::time::sleep(latency).await;
        to.write_all(chunk.get(..length).unwrap_or_default()).await?;
    }
}
