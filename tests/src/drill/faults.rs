//! What can go wrong, on a real server or on the way to it.

use crate::{Proxy, RedisServer, Weather};
use core::time::Duration;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each says itself what it is")]
pub enum Fault {
    Killed,
    Stopped,
    ScriptsFlushed,
    OutOfMemory,
    CommandForbidden,
    ForeignValue,
    Demoted,
    Down,
    Reset,
    Swallowed,
    Garbage,
    Late20ms,
    Late200ms,
    Late2s,
}

/// What a fault does to answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The store answers in time all the same: no fail mode may decide.
    Answers,
    /// It does not: every fail mode decides.
    Fails,
}

impl Fault {
    /// All of them.
    pub const ALL: &'static [Fault] = &[
        Fault::Killed,
        Fault::Stopped,
        Fault::ScriptsFlushed,
        Fault::OutOfMemory,
        Fault::CommandForbidden,
        Fault::ForeignValue,
        Fault::Demoted,
        Fault::Down,
        Fault::Reset,
        Fault::Swallowed,
        Fault::Garbage,
        Fault::Late20ms,
        Fault::Late200ms,
        Fault::Late2s,
    ];

    /// What it is called in a table.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::Killed => "kill -9, restarted empty",
            Fault::Stopped => "SIGSTOP",
            Fault::ScriptsFlushed => "SCRIPT FLUSH under load",
            Fault::OutOfMemory => "maxmemory, noeviction",
            Fault::CommandForbidden => "a command is forbidden",
            Fault::ForeignValue => "a foreign value",
            Fault::Demoted => "replica promoted by hand",
            Fault::Down => "connections refused",
            Fault::Reset => "reset in mid-reply",
            Fault::Swallowed => "replies swallowed",
            Fault::Garbage => "garbage for replies",
            Fault::Late20ms => "latency 20 ms",
            Fault::Late200ms => "latency 200 ms",
            Fault::Late2s => "latency 2 s",
        }
    }

    /// What it does to answers.
    pub const fn effect(self) -> Effect {
        match self {
            Fault::ScriptsFlushed | Fault::Late20ms => Effect::Answers,
            _ => Effect::Fails,
        }
    }

    /// Whether the server forgets what was used.
    pub const fn loses_state(self) -> bool {
        matches!(self, Fault::Killed)
    }

    pub(super) fn begin(self, server: &mut RedisServer, replica: &RedisServer, proxy: &Proxy, key: &str) {
        match self {
            Fault::Killed => server.stop(),
            Fault::Stopped => server.pause(),
            Fault::ScriptsFlushed => server.ask(redis::cmd("SCRIPT").arg("FLUSH")),
            Fault::OutOfMemory => config(server, "maxmemory", "1"),
            Fault::CommandForbidden => user(server, "-get"),
            Fault::ForeignValue => {
                server.ask::<()>(redis::cmd("RENAME").arg(key).arg("kept"));
                server.ask(redis::cmd("SET").arg(key).arg("not ours"))
            }
            Fault::Demoted => {
                // The other one has everything, and takes over; connections to this one stay open.
                server.ask(redis::cmd("REPLICAOF").arg("127.0.0.1").arg(replica.port()))
            }
            Fault::Down => proxy.set(Weather::Down),
            Fault::Reset => proxy.set(Weather::Reset),
            Fault::Swallowed => proxy.set(Weather::Swallowed),
            Fault::Garbage => proxy.set(Weather::Garbage),
            Fault::Late20ms => proxy.set(Weather::Slow(Duration::from_millis(20))),
            Fault::Late200ms => proxy.set(Weather::Slow(Duration::from_millis(200))),
            Fault::Late2s => proxy.set(Weather::Slow(Duration::from_secs(2))),
        }
    }

    /// Before the fault: a replica that has everything.
    pub(super) fn prepare(self, server: &RedisServer, replica: &RedisServer) {
        if self == Fault::Demoted {
            replica.ask::<()>(redis::cmd("REPLICAOF").arg("127.0.0.1").arg(server.port()));
            let started = std::time::Instant::now();
            while !replica
                .ask::<String>(redis::cmd("INFO").arg("replication"))
                .contains("master_link_status:up")
            {
                assert!(started.elapsed() < Duration::from_secs(20), "no replica");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }

    /// Before the fault, and after the last write: all of it has arrived at the replica.
    pub(super) fn catch_up(self, server: &RedisServer) {
        if self == Fault::Demoted {
            let _: i64 = server.ask(redis::cmd("WAIT").arg(1).arg(5_000));
        }
    }

    pub(super) fn end(self, server: &mut RedisServer, replica: &RedisServer, proxy: &Proxy, key: &str) {
        match self {
            Fault::Killed => server.restart(),
            Fault::Stopped => server.resume(),
            Fault::ScriptsFlushed => {}
            Fault::OutOfMemory => config(server, "maxmemory", "0"),
            Fault::CommandForbidden => user(server, "+get"),
            Fault::ForeignValue => server.ask(redis::cmd("RENAME").arg("kept").arg(key)),
            Fault::Demoted => {
                replica.ask::<()>(redis::cmd("REPLICAOF").arg("NO").arg("ONE"));
                proxy.lead_to(replica);
            }
            _ => proxy.set(Weather::Fair),
        }
    }
}

fn config(server: &RedisServer, name: &str, value: &str) {
    server.ask(redis::cmd("CONFIG").arg("SET").arg(name).arg(value))
}

fn user(server: &RedisServer, rule: &str) {
    server.ask(redis::cmd("ACL").arg("SETUSER").arg("default").arg(rule))
}
