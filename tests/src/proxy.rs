//! A link to a server, on which a test can do what networks do.

use crate::RedisServer;
use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
};

/// What happens to the answers of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weather {
    /// They arrive.
    #[default]
    Fair,
    /// They arrive that much later.
    Slow(Duration),
    /// They never arrive, and the connection stays open.
    Swallowed,
    /// The beginning of one arrives, and the connection is reset.
    Reset,
    /// Something else arrives.
    Garbage,
    /// Nobody accepts a connection, and those that there are end.
    Down,
}

/// Less than any answer of ours is long.
const HALF: usize = 10;

/// The link. It lasts as long as the runtime.
#[derive(Clone, Debug)]
pub struct Proxy {
    address: String,
    weather: watch::Sender<Weather>,
    /// Where it leads.
    server: Arc<Mutex<String>>,
}

#[allow(clippy::expect_used, reason = "a test kit fails loudly")]
impl Proxy {
    /// A link to a server.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn to(server: &RedisServer) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("redis://{}", listener.local_addr().expect("an address"));
        let proxy = Proxy { address, weather: watch::Sender::default(), server: Arc::default() };
        proxy.lead_to(server);
        let accepting = proxy.clone();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(accepting.clone().carry(near));
            }
        });
        proxy
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.address.clone()
    }

    /// What happens from now on, also on connections that there are.
    pub fn set(&self, weather: Weather) {
        self.weather.send_replace(weather);
    }

    /// Leads new connections to another server, as an address does after a failover.
    pub fn lead_to(&self, server: &RedisServer) {
        let address = server.url().trim_start_matches("redis://").to_owned();
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }

    async fn carry(self, near: TcpStream) {
        let mut weather = self.weather.subscribe();
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if *weather.borrow() == Weather::Down {
            return;
        }
        let Ok(far) = TcpStream::connect(server).await else { return };
        // Small answers would wait for each other.
        if near.set_nodelay(true).and_then(|()| far.set_nodelay(true)).is_err() {
            return;
        }
        let ((mut near_in, near_out), (far_in, mut far_out)) = (near.into_split(), far.into_split());
        let questions = tokio::spawn(async move { tokio::io::copy(&mut near_in, &mut far_out).await });
        // Both directions end when the answers do.
        tokio::select! {
            _ = answers(far_in, near_out, weather.clone()) => {}
            _ = weather.wait_for(|weather| *weather == Weather::Down) => {}
        }
        questions.abort();
    }
}

async fn answers(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    weather: watch::Receiver<Weather>,
) -> std::io::Result<()> {
    let mut chunk = vec![0; 64 << 10];
    // Bytes of TCP are not lost one by one: a peer that has swallowed an answer never says anything again.
    let mut is_dead = false;
    loop {
        let length = from.read(&mut chunk).await?;
        if length == 0 {
            return Ok(());
        }
        let answer = chunk.get(..length).unwrap_or_default();
        let now = *weather.borrow();
        match now {
            _ if is_dead => {}
            Weather::Fair | Weather::Down => to.write_all(answer).await?,
            Weather::Slow(latency) => {
                // Real time, because the other end is a real server.
                tokio::time::sleep(latency).await;
                to.write_all(answer).await?;
            }
            Weather::Swallowed => is_dead = true,
            Weather::Reset => {
                to.write_all(answer.get(..length.min(HALF)).unwrap_or_default()).await?;
                return Ok(());
            }
            Weather::Garbage => to.write_all(b"*1\r\n$3\r\nwhat\r\n").await?,
        }
    }
}
