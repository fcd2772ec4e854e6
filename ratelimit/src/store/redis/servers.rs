//! Which server a key is at: the one that the URL names, or those that a cluster or its sentinels name.
//!
//! Who serves what is asked by a task of the store's own, at most one at a time and not more often than ten times a
//! second: at the first call, when a server redirects, and when one has not answered. Calls go on meanwhile by what is
//! known. The client's own cluster is not used: it sends again what may have been applied, and lets the calls of all nodes
//! wait while it reconnects to one.

use super::{
    fault,
    link::Link,
    routes::{Node, Routes},
    slot::slot,
    topology::{Address, Question, Range, Said},
};
use crate::{
    lock::{lock, read, write},
    store::{Failure, FailureKind, Place},
};
use ::redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, RedisError, aio::ConnectionManagerConfig,
};
use core::{fmt, time::Duration};
use std::{
    sync::{Arc, Mutex, RwLock},
    time::Instant,
};
use tokio::{
    runtime::Handle,
    sync::watch,
    task::{AbortHandle, JoinSet},
    time::timeout,
};

/// Which server a key is at.
pub(super) enum Servers {
    /// At one address for all.
    One(Arc<Node>),
    /// At those that others name.
    Named(Named),
}

/// Servers that others name.
pub(super) struct Named {
    shared: Arc<Shared>,
    task: Mutex<Option<AbortHandle>>,
}

struct Shared {
    question: Question,
    /// Who is asked while no server is known: nodes of the cluster, or sentinels.
    seeds: Vec<ConnectionInfo>,
    /// What every connection to a server has, but for its address.
    template: ConnectionInfo,
    config: ConnectionManagerConfig,
    connect_timeout: Duration,
    routes: RwLock<Routes>,
    search: watch::Sender<Search>,
}

/// The search for who serves what.
#[derive(Default)]
struct Search {
    is_on: bool,
    begun: Option<Instant>,
    /// Why the last one found nothing.
    why: Option<(FailureKind, String)>,
}

/// Between the beginnings of two searches.
const PAUSE: Duration = Duration::from_millis(100);
/// How long others may answer after the last that did.
const GRACE: Duration = Duration::from_millis(50);
/// Who is asked at once.
const ASKED_AT_ONCE: usize = 4;

impl Servers {
    /// What can be decided together with other keys, and what fails together.
    pub(super) fn place(&self, key: &[u8]) -> Place {
        match self {
            Servers::Named(Named { shared, .. }) if matches!(shared.question, Question::Slots) => {
                let slot = slot(key);
                let number = read(&shared.routes).number(slot);
                Place { part: number.map_or(0, |number| number.saturating_add(1)), slot }
            }
            _ => Place::default(),
        }
    }

    /// How many servers there are, as far as is known.
    pub(super) fn parts(&self) -> usize {
        match self {
            Servers::Named(Named { shared, .. }) if matches!(shared.question, Question::Slots) => {
                read(&shared.routes).nodes.iter().flatten().count()
            }
            _ => 1,
        }
    }

    /// What a part of the store is called in logs.
    pub(super) fn name(&self, part: u16) -> Option<String> {
        let Servers::Named(named) = self else { return None };
        let routes = read(&named.shared.routes);
        let node = routes.nodes.get(usize::from(part.checked_sub(1)?))?.as_ref()?;
        Some(node.address.to_string())
    }

    /// The server that a key is at.
    pub(super) async fn of(&self, key: &[u8]) -> Result<Arc<Node>, Failure> {
        match self {
            Servers::One(node) => Ok(Arc::clone(node)),
            Servers::Named(named) => named.of(slot(key)).await,
        }
    }

    /// The server that another one sends a call to: for one slot from now on, or for this call alone.
    pub(super) fn redirected(&self, error: &RedisError, from: &Node) -> Result<Arc<Node>, Failure> {
        let Servers::Named(named) = self else {
            return Err(Failure::new(FailureKind::Setup).because(
                "the server is a node of a cluster: name several nodes, `redis://a,b,c`, or write `redis+cluster://`",
            ));
        };
        let unreadable = || Failure::new(FailureKind::Protocol).because("a redirection that cannot be read");
        let (address, slot) = error.redirect_node().ok_or_else(unreadable)?;
        let address = Address::read(address, &from.address).ok_or_else(unreadable)?;
        let for_good = error.kind() == ::redis::ErrorKind::Server(::redis::ServerErrorKind::Moved);
        named.redirected(slot, address, for_good)
    }

    /// A server did not do what its slot asks of it: another may by now.
    pub(super) fn doubt(&self) {
        if let Servers::Named(named) = self {
            // Without a runtime there is no call that could have failed.
            let _ = named.search();
        }
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Servers::One(node) => write!(f, "{}", node.address),
            Servers::Named(Named { shared, .. }) => {
                let seeds = shared.seeds.iter().map(|seed| Address::of(seed.addr()).to_string());
                f.debug_tuple(shared.question.word()).field(&seeds.collect::<Vec<_>>()).finish()
            }
        }
    }
}

impl Named {
    pub(super) fn new(
        question: Question,
        seeds: Vec<ConnectionInfo>,
        template: ConnectionInfo,
        config: ConnectionManagerConfig,
        connect_timeout: Duration,
    ) -> Named {
        let (routes, search) = (RwLock::default(), watch::Sender::default());
        let shared = Shared { question, seeds, template, config, connect_timeout, routes, search };
        Named { shared: Arc::new(shared), task: Mutex::new(None) }
    }

    async fn of(&self, slot: u16) -> Result<Arc<Node>, Failure> {
        if let Some(node) = self.shared.node(slot) {
            if node.link.is_doubtful() {
                self.search()?;
            }
            return Ok(node);
        }
        self.search()?;
        // The sender lives as long as this.
        let _ = self.shared.search.subscribe().wait_for(|search| !search.is_on).await;
        self.shared.node(slot).ok_or_else(|| self.shared.why_not(slot))
    }

    /// Begins to ask who serves what, unless that is being asked or was a moment ago.
    fn search(&self) -> Result<(), Failure> {
        let runtime = Handle::try_current().map_err(|_| fault::no_runtime())?;
        let begins = self.shared.search.send_if_modified(|search| {
            let is_early = search.begun.is_some_and(|begun| begun.elapsed() < PAUSE);
            if search.is_on || is_early {
                return false;
            }
            (search.is_on, search.begun) = (true, Some(Instant::now()));
            true
        });
        if begins {
            let task = runtime.spawn(Arc::clone(&self.shared).find());
            *lock(&self.task) = Some(task.abort_handle());
        }
        Ok(())
    }

    fn redirected(&self, slot: u16, address: Address, for_good: bool) -> Result<Arc<Node>, Failure> {
        let mut routes = write(&self.shared.routes);
        let number = routes.number_of(&address, &|address| self.shared.open(address))?;
        if for_good && let Some(owner) = routes.owners.get_mut(usize::from(slot)) {
            *owner = Some(number);
        }
        let node = routes.node(number);
        drop(routes);
        if for_good {
            // One slot has moved, so others may have.
            self.search()?;
        }
        node.ok_or_else(|| Failure::new(FailureKind::Connection))
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        if let Some(task) = lock(&self.task).take() {
            task.abort();
        }
    }
}

/// Marks a search as over, also where its task is aborted.
struct Searching(Arc<Shared>);

impl Drop for Searching {
    fn drop(&mut self) {
        self.0.search.send_modify(|search| search.is_on = false);
    }
}

impl Shared {
    fn node(&self, slot: u16) -> Option<Arc<Node>> {
        let routes = read(&self.routes);
        routes.node(routes.number(slot)?)
    }

    fn why_not(&self, slot: u16) -> Failure {
        let search = self.search.borrow();
        match &search.why {
            Some((kind, why)) => Failure::new(*kind).because(why.clone()),
            None => Failure::new(FailureKind::Unavailable).because(format!("no node serves slot {slot}")),
        }
    }

    async fn find(self: Arc<Shared>) {
        let searching = Searching(Arc::clone(&self));
        let answer = self.ask().await;
        let failure = match answer {
            Ok(ranges) => write(&self.routes).replace(ranges, &|address| self.open(address)).err(),
            Err(failure) => Some(failure),
        };
        let why = failure.map(|failure| {
            let source = std::error::Error::source(&failure).map(ToString::to_string);
            (failure.kind(), source.unwrap_or_else(|| failure.to_string()))
        });
        self.search.send_modify(|search| search.why = why);
        drop(searching);
    }

    /// The first answer of several that are asked, or the latest of what they know.
    async fn ask(&self) -> Result<Vec<Range>, Failure> {
        let mut waiting = self.askable().into_iter();
        let mut asked = JoinSet::new();
        let mut failure = Failure::new(FailureKind::Connection);
        let mut latest: Option<Said> = None;
        loop {
            while asked.len() < ASKED_AT_ONCE
                && let Some(whom) = waiting.next()
            {
                asked.spawn(ask(whom, self.question.clone(), self.connect_timeout));
            }
            // Who is alive answers at once; nobody waits for the others when something is known.
            let next = match &latest {
                None => asked.join_next().await,
                Some(_) => timeout(GRACE, asked.join_next()).await.ok().flatten(),
            };
            match next {
                None => return latest.map(|said| said.ranges).ok_or(failure),
                Some(Ok(Ok(said))) if self.question.first_answer_counts() => return Ok(said.ranges),
                Some(Ok(Ok(said))) => {
                    if latest.as_ref().is_none_or(|latest| said.epoch > latest.epoch) {
                        latest = Some(said);
                    }
                }
                Some(Ok(Err(found))) => failure = found,
                Some(Err(_cancelled)) => {}
            }
        }
    }

    /// Everybody who may know: nodes that answered when they were last called, then those that the URL names.
    fn askable(&self) -> Vec<ConnectionInfo> {
        let mut askable = Vec::new();
        if matches!(self.question, Question::Slots) {
            let routes = read(&self.routes);
            let nodes = routes.nodes.iter().flatten().filter(|node| !node.link.is_doubtful());
            askable.extend(nodes.map(|node| self.connection_info(&node.address)));
        }
        askable.extend(self.seeds.iter().cloned());
        askable
    }

    fn open(&self, address: &Address) -> Result<Node, Failure> {
        let client = Client::open(self.connection_info(address)).map_err(fault::failure)?;
        Ok(Node { address: address.clone(), link: Link::new(client, self.config.clone()) })
    }

    fn connection_info(&self, address: &Address) -> ConnectionInfo {
        self.template.clone().set_addr(address.like(self.template.addr()))
    }
}

/// Asks one of them, over a connection that is made for it.
async fn ask(whom: ConnectionInfo, question: Question, patience: Duration) -> Result<Said, Failure> {
    let asked = Address::of(whom.addr());
    let client = Client::open(whom).map_err(fault::failure)?;
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(patience))
        .set_response_timeout(Some(patience));
    let mut connection =
        client.get_multiplexed_async_connection_with_config(&config).await.map_err(fault::failure)?;
    let answer = connection.send_packed_command(&question.command()).await;
    let answer = answer.and_then(::redis::Value::extract_error).map_err(fault::failure)?;
    question.read(&answer, &asked).map_err(|why| Failure::new(FailureKind::Unavailable).because(why))
}

impl Address {
    pub(super) fn of(address: &ConnectionAddr) -> Address {
        match address {
            ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
                Address { host: host.clone(), port: *port }
            }
            // A cluster is not reached over a socket of one machine.
            other => Address { host: other.to_string(), port: 0 },
        }
    }

    /// This address, reached in the same way as another.
    fn like(&self, other: &ConnectionAddr) -> ConnectionAddr {
        let Address { host, port } = self.clone();
        match other {
            ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
                ConnectionAddr::TcpTls { host, port, insecure: *insecure, tls_params: tls_params.clone() }
            }
            _ => ConnectionAddr::Tcp(host, port),
        }
    }
}
