//! Several servers that share the slots of a cluster.

use crate::RedisServer;
use redis::Cmd;
use std::time::{Duration, Instant};

/// A cluster on this machine: primaries that share the slots evenly, and perhaps a replica of each.
#[derive(Debug)]
pub struct Cluster {
    /// Primaries first, then their replicas in the same order.
    pub nodes: Vec<RedisServer>,
    primaries: usize,
}

const SLOTS: usize = 16_384;
const PATIENCE: Duration = Duration::from_secs(60);
/// After so many milliseconds a node that says nothing is taken for dead.
const NODE_TIMEOUT: Duration = Duration::from_millis(1_000);

#[allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test kit fails loudly")]
impl Cluster {
    /// Starts one and waits until every node knows of all others.
    ///
    /// # Panics
    ///
    /// If the servers do not come together.
    pub fn start(primaries: usize, has_replicas: bool) -> Cluster {
        let count = if has_replicas { primaries * 2 } else { primaries };
        let timeout = NODE_TIMEOUT.as_millis().to_string();
        let options = [
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            &timeout,
            "--cluster-replica-validity-factor",
            "0",
            // What replication has lost is measured in bytes: nothing else may be sent.
            "--repl-ping-replica-period",
            "3600",
            // A node that dies does not keep the others from serving their slots.
            "--cluster-require-full-coverage",
            "no",
            "--repl-diskless-sync-delay",
            "0",
        ];
        let nodes: Vec<RedisServer> = (0..count).map(|_| RedisServer::start_with(&options)).collect();
        let cluster = Cluster { nodes, primaries };
        for (number, node) in cluster.nodes.iter().enumerate() {
            node.ask::<()>(cluster_command("SET-CONFIG-EPOCH").arg(number + 1));
            if number > 0 {
                node.ask::<()>(cluster_command("MEET").arg("127.0.0.1").arg(cluster.nodes[0].port()));
            }
        }
        cluster.wait_until("all know each other", |node| {
            node.ask::<String>(&cluster_command("NODES")).lines().count() == count
        });
        for (number, node) in cluster.nodes.iter().take(primaries).enumerate() {
            let slots = SLOTS * number / primaries..SLOTS * (number + 1) / primaries;
            node.ask::<()>(cluster_command("ADDSLOTSRANGE").arg(slots.start).arg(slots.end - 1));
        }
        for (number, node) in cluster.nodes.iter().enumerate().skip(primaries) {
            let primary: String = cluster.nodes[number - primaries].ask(&cluster_command("MYID"));
            node.ask::<()>(cluster_command("REPLICATE").arg(primary));
        }
        cluster.wait_until_served();
        for node in cluster.nodes.iter().skip(primaries) {
            wait("a replica has caught up", || {
                node.ask::<String>(redis::cmd("INFO").arg("replication")).contains("master_link_status:up")
            });
        }
        cluster
    }

    /// Its address: that of some of its primaries.
    pub fn url(&self) -> String {
        let ports = self.nodes.iter().take(self.primaries).map(|node| format!("127.0.0.1:{}", node.port()));
        format!("redis://{}", ports.collect::<Vec<_>>().join(","))
    }

    /// The slot of a key.
    pub fn slot(&self, key: &str) -> u16 {
        self.nodes[0].ask(cluster_command("KEYSLOT").arg(key))
    }

    /// The number of the primary that a slot was given to at the start.
    pub fn first_owner(&self, slot: u16) -> usize {
        (0..self.primaries)
            .rev()
            .find(|number| SLOTS * number / self.primaries <= usize::from(slot))
            .unwrap_or(0)
    }

    /// The number of the primary that a slot is at.
    pub fn owner(&self, slot: u16) -> usize {
        let is_it = |node: &RedisServer| {
            let moved: redis::RedisResult<i64> =
                cluster_command("COUNTKEYSINSLOT").arg(slot).query(&mut node.connect());
            moved.is_ok_and(|keys| keys > 0)
        };
        self.nodes.iter().take(self.primaries).position(is_it).unwrap_or_else(|| self.first_owner(slot))
    }

    /// Waits until every node says that every slot is served.
    pub fn wait_until_served(&self) {
        self.wait_until("every slot is served", |node| {
            let info = node.ask::<String>(&cluster_command("INFO"));
            info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:16384")
        });
    }

    /// All keys, of all primaries.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<_> = self.nodes.iter().take(self.primaries).flat_map(RedisServer::keys).collect();
        keys.sort();
        keys
    }

    /// Moves a slot with its keys from one node to another, as an operator's tool does: key by key, while calls go on.
    ///
    /// # Panics
    ///
    /// If a node refuses.
    pub fn move_slot(&self, slot: u16, from: usize, to: usize) {
        let others = (0..self.primaries).filter(|number| ![from, to].contains(number));
        let others = others.map(|number| &self.nodes[number]);
        let [from, to] = [&self.nodes[from], &self.nodes[to]];
        let [source, target]: [String; 2] = [from, to].map(|node| node.ask(&cluster_command("MYID")));
        to.ask::<()>(cluster_command("SETSLOT").arg(slot).arg("IMPORTING").arg(&source));
        from.ask::<()>(cluster_command("SETSLOT").arg(slot).arg("MIGRATING").arg(&target));
        loop {
            let keys: Vec<String> = from.ask(cluster_command("GETKEYSINSLOT").arg(slot).arg(1));
            let Some(key) = keys.first() else { break };
            let mut migrate = redis::cmd("MIGRATE");
            migrate.arg("127.0.0.1").arg(to.port()).arg(key).arg(0).arg(5_000);
            from.ask::<()>(&migrate);
        }
        // The new owner first: the old one would send calls to somebody who does not know that it is his.
        for node in [to, from].into_iter().chain(others) {
            node.ask::<()>(cluster_command("SETSLOT").arg(slot).arg("NODE").arg(&target));
        }
        // One step after the other: servers that have not heard of the last one may never agree on the next.
        let view = |node: &RedisServer| {
            let nodes: String = node.ask(&cluster_command("NODES"));
            // Id, epoch and slots; the rest is when they were last heard of.
            let line = |line: &str| {
                let words: Vec<&str> = line.split(' ').collect();
                [&words[..1], &words[6..7], &words[8..]].concat().join(" ")
            };
            let mut lines: Vec<String> = nodes.lines().map(line).collect();
            lines.sort();
            lines
        };
        wait("all agree who has the slot", || {
            let mut views = self.nodes.iter().take(self.primaries).map(view);
            let first = views.next();
            views.all(|view| Some(view) == first)
        });
    }

    fn wait_until(&self, what: &str, is_so: impl Fn(&RedisServer) -> bool) {
        wait(what, || self.nodes.iter().all(&is_so));
    }
}

/// Waits until something is so.
///
/// # Panics
///
/// If it takes too long.
#[allow(clippy::panic, reason = "a test kit fails loudly")]
fn wait(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "not after {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn cluster_command(subcommand: &str) -> Cmd {
    let mut command = redis::cmd("CLUSTER");
    command.arg(subcommand);
    command
}
