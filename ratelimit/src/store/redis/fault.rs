//! What an error of the client or the server means for a decision.

use crate::store::{Failure, FailureKind};
use ::redis::{ErrorKind, RedisError, ServerErrorKind};

/// The failure that an error amounts to.
pub(super) fn failure(error: RedisError) -> Failure {
    Failure::new(kind(&error)).because(error)
}

/// The client spawns tasks, and so does the search for servers.
pub(super) fn no_runtime() -> Failure {
    Failure::new(FailureKind::Setup).because("no Tokio runtime: await the call inside of one")
}

/// What the user of a store has to be allowed.
const PERMISSIONS: &str = "+eval +evalsha +time +get +set +pttl +pexpire, for sliding logs +lrange +lset +ltrim +rpush \
                           +lindex +lrem, for calls in flight +zcount +zadd +zscore +zrem +zremrangebyscore, in a \
                           cluster +cluster|slots +asking";

/// What to do about an error that does not go away by itself.
pub(super) fn way_out(error: &RedisError) -> Option<String> {
    let detail = error.detail().unwrap_or_default();
    let is_forbidden = error.kind() == ErrorKind::Server(ServerErrorKind::NoPerm)
        || ["can't run this command", "ACL failure"].iter().any(|text| detail.contains(text));
    is_forbidden.then(|| format!("allow the limiter's user {PERMISSIONS}"))
}

/// Why a server ran nothing of what it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotRun {
    /// It does not know the script.
    ScriptLost,
    /// Another server has the key.
    Moved,
    /// Another server is about to get the key, and has it already.
    Ask,
    /// Some of the keys are here and some there.
    TryAgain,
}

/// Whether the server says that it ran nothing; only then may the same be sent again.
pub(super) fn not_run(error: &RedisError) -> Option<NotRun> {
    match error.kind() {
        ErrorKind::Server(ServerErrorKind::NoScript) => Some(NotRun::ScriptLost),
        ErrorKind::Server(ServerErrorKind::Moved) => Some(NotRun::Moved),
        ErrorKind::Server(ServerErrorKind::Ask) => Some(NotRun::Ask),
        ErrorKind::Server(ServerErrorKind::TryAgain) => Some(NotRun::TryAgain),
        _ => None,
    }
}

/// Whether another server may have to be asked by now.
pub(super) fn is_doubtful(error: &RedisError) -> bool {
    error.is_io_error()
        || about(error) == About::Server
        || error.kind() == ErrorKind::Server(ServerErrorKind::ClusterDown)
}

/// What an error speaks of, that the server sent or that the client drew from what it sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// This call alone; the connection is good.
    Call,
    /// The call, or the opening of the connection (wrong password, too many clients, loading): the client keeps a
    /// refusal and hands it to all later calls.
    Opening,
    /// The server, which is the wrong one by now: another may stand behind the same address. Or the connection, which no
    /// longer makes sense.
    Server,
}

pub(super) fn about(error: &RedisError) -> About {
    let detail = error.detail().unwrap_or_default();
    match error.kind() {
        ErrorKind::Server(ServerErrorKind::ReadOnly | ServerErrorKind::MasterDown) => About::Server,
        // What cannot be read may have been the answer to somebody else's question, and so may all that follows.
        ErrorKind::Parse | ErrorKind::UnexpectedReturnType => About::Server,
        // Up to version 6 a script's error wraps around what its command met.
        ErrorKind::Server(ServerErrorKind::ResponseError) if detail.contains("script") => {
            let wrong_server = ["READONLY ", "MASTERDOWN "].iter().any(|code| detail.contains(code));
            if wrong_server { About::Server } else { About::Call }
        }
        ErrorKind::Server(
            ServerErrorKind::ResponseError | ServerErrorKind::BusyLoading | ServerErrorKind::NoPerm,
        )
        | ErrorKind::AuthenticationFailed
        | ErrorKind::RESP3NotSupported
        | ErrorKind::Client => About::Opening,
        ErrorKind::Extension if matches!(error.code(), Some("NOAUTH" | "WRONGPASS" | "DENIED")) => {
            About::Opening
        }
        _ => About::Call,
    }
}

/// The kind of failure that an error amounts to.
pub(super) fn kind(error: &RedisError) -> FailureKind {
    if error.is_timeout() {
        return FailureKind::Timeout;
    }
    match error.kind() {
        ErrorKind::Io
        | ErrorKind::ClusterConnectionNotFound
        | ErrorKind::MasterNameNotFoundBySentinel
        | ErrorKind::NoValidReplicasFoundBySentinel => FailureKind::Connection,
        ErrorKind::Parse | ErrorKind::UnexpectedReturnType => FailureKind::Protocol,
        ErrorKind::AuthenticationFailed
        | ErrorKind::InvalidClientConfig
        | ErrorKind::Client
        | ErrorKind::EmptySentinelList
        | ErrorKind::RESP3NotSupported => FailureKind::Setup,
        ErrorKind::Server(kind) => of_server(kind, error.detail().unwrap_or_default()),
        ErrorKind::Extension => of_code(error.code().unwrap_or_default()),
        // The client marks its list as open: what it may add later is at least no answer.
        _ => FailureKind::Protocol,
    }
}

fn of_server(kind: ServerErrorKind, detail: &str) -> FailureKind {
    match kind {
        ServerErrorKind::BusyLoading
        | ServerErrorKind::MasterDown
        | ServerErrorKind::ReadOnly
        | ServerErrorKind::ClusterDown
        | ServerErrorKind::TryAgain
        | ServerErrorKind::ExecAbort => FailureKind::Unavailable,
        // So often that the servers do not agree who has it.
        ServerErrorKind::Moved | ServerErrorKind::Ask => FailureKind::Unavailable,
        ServerErrorKind::CrossSlot
        | ServerErrorKind::NoPerm
        | ServerErrorKind::NoSub
        | ServerErrorKind::NotBusy => FailureKind::Setup,
        // EVAL brings the text along, so a server that still does not know the script keeps none.
        ServerErrorKind::NoScript => FailureKind::Setup,
        ServerErrorKind::ResponseError => of_text(detail),
        _ => FailureKind::Unavailable,
    }
}

/// Codes without a kind of their own in the client.
fn of_code(code: &str) -> FailureKind {
    match code {
        "WRONGTYPE" | "FOREIGN" | "NOAUTH" | "WRONGPASS" | "DENIED" | "NOPROTO" => FailureKind::Setup,
        // OOM, MISCONF, BUSY, NOREPLICAS, UNBLOCKED, and what newer servers and proxies have to say.
        _ => FailureKind::Unavailable,
    }
}

/// Plain `ERR`: up to version 6 also wraps around what a command inside a script met.
fn of_text(detail: &str) -> FailureKind {
    const PASSING: [&str; 8] = [
        "OOM ",
        "READONLY ",
        "LOADING ",
        "MISCONF ",
        "MASTERDOWN ",
        "NOREPLICAS ",
        "CLUSTERDOWN ",
        "max number of clients",
    ];
    if PASSING.iter().any(|text| detail.contains(text)) {
        FailureKind::Unavailable
    } else {
        FailureKind::Setup
    }
}
