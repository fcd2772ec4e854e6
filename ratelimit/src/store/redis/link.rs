//! The connection: opened at the first call, shared by all, replaced when it is no longer good.
//!
//! The client's manager reconnects by itself when a connection breaks. Three things it does not do: it does not see a
//! peer that has gone silent without closing, nor that the server which answers is the wrong one by now; and it hands a
//! failed attempt to the next caller, however much later that one comes. All three are noticed here, and cost one new
//! connection, not one per call.

use super::fault::{self, About};
use crate::{lock::lock, store::Failure};
use ::redis::{
    Client, Cmd, RedisError, Value,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// Calls in a row that nobody answered before a connection that has worked is taken for dead.
const SILENT: u32 = 3;

pub(super) struct Link {
    client: Client,
    config: ConnectionManagerConfig,
    current: Mutex<Option<Arc<Line>>>,
    /// Whether the last that was heard of the server, or not heard, was a failure.
    doubtful: AtomicBool,
}

/// One connection and what is known of it.
pub(super) struct Line {
    manager: ConnectionManager,
    /// Whether it carried an answer since it was opened. One that is still being opened has a timeout of its own.
    proven: AtomicBool,
    unanswered: AtomicU32,
}

/// A call under way. Dropped before it was answered, it speaks against the line.
struct Waiting<'a> {
    link: &'a Link,
    line: &'a Arc<Line>,
    answered: bool,
}

impl Link {
    pub(super) fn new(client: Client, config: ConnectionManagerConfig) -> Link {
        Link { client, config, current: Mutex::new(None), doubtful: AtomicBool::new(false) }
    }

    /// Whether another server may have to be asked by now.
    pub(super) fn is_doubtful(&self) -> bool {
        self.doubtful.load(Ordering::Relaxed)
    }

    /// The line to send on.
    fn line(&self) -> Result<Arc<Line>, Failure> {
        let mut current = lock(&self.current);
        if let Some(line) = current.as_ref() {
            return Ok(Arc::clone(line));
        }
        // The manager starts a task when it is made, even a lazy one.
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(fault::no_runtime());
        }
        let manager = ConnectionManager::new_lazy_with_config(self.client.clone(), self.config.clone())
            .map_err(fault::failure)?;
        let line = Line { manager, proven: AtomicBool::new(false), unanswered: AtomicU32::new(0) };
        Ok(Arc::clone(current.insert(Arc::new(line))))
    }

    /// Sends one command, once; to a server that is about to take the key over, with the word that lets it in.
    pub(super) async fn send(&self, command: &Cmd, asks: bool) -> Result<Result<Value, RedisError>, Failure> {
        let line = &self.line()?;
        let mut waiting = Waiting { link: self, line, answered: false };
        let mut manager = line.manager.clone();
        let reply = if asks {
            let mut commands = ::redis::pipe();
            commands.cmd("ASKING").add_command(command.clone());
            let replies = manager.send_packed_commands(&commands, 1, 1).await;
            replies.map(|replies| replies.into_iter().next().unwrap_or(Value::Nil))
        } else {
            manager.send_packed_command(command).await
        };
        // An error that the server sent arrives as a value.
        let reply = reply.and_then(Value::extract_error);
        match &reply {
            Err(error) if error.is_timeout() && line.proven.load(Ordering::Relaxed) => {}
            Err(error) if error.is_io_error() => {
                waiting.answered = true;
                self.doubtful.store(true, Ordering::Relaxed);
                // When a good connection breaks the manager is already at it. Else an attempt to connect has failed.
                if !line.proven.swap(false, Ordering::Relaxed) {
                    self.replace(line);
                }
            }
            Err(error) => match fault::about(error) {
                About::Call => waiting.answered(),
                About::Opening if line.proven.load(Ordering::Relaxed) => waiting.answered(),
                About::Opening | About::Server => {
                    waiting.answered = true;
                    self.replace(line);
                }
            },
            Ok(_) => waiting.answered(),
        }
        Ok(reply)
    }

    /// An answer came that is none to what was asked: whatever follows on the connection may be somebody else's.
    pub(super) fn distrust(&self) {
        *lock(&self.current) = None;
    }

    /// Lets the next call open a new connection, unless another call has seen to that. Calls on the old one finish.
    fn replace(&self, line: &Arc<Line>) {
        let mut current = lock(&self.current);
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, line)) {
            *current = None;
            self.doubtful.store(true, Ordering::Relaxed);
        }
    }
}

impl Waiting<'_> {
    fn answered(&mut self) {
        self.answered = true;
        // Read first: all calls share these two.
        if !self.line.proven.load(Ordering::Relaxed) {
            self.line.proven.store(true, Ordering::Relaxed);
        }
        if self.line.unanswered.load(Ordering::Relaxed) != 0 {
            self.line.unanswered.store(0, Ordering::Relaxed);
        }
        if self.link.is_doubtful() {
            self.link.doubtful.store(false, Ordering::Relaxed);
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let counts = !self.answered && self.line.proven.load(Ordering::Relaxed);
        if counts && self.line.unanswered.fetch_add(1, Ordering::Relaxed) + 1 >= SILENT {
            self.link.replace(self.line);
        }
    }
}
