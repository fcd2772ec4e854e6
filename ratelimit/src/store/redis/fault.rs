//! What an error of the client or the server means for a decision.

use crate::store::{Failure, FailureKind};
use ::redis::{ErrorKind, RedisError, ServerErrorKind};

/// The failure that an error amounts to.
pub(super) fn failure(error: RedisError) -> Failure {
    Failure::new(kind(&error)).because(error)
}

/// Whether the server says that it has lost the script; nothing was run then.
pub(super) fn lost_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
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
        // A single connection does not follow a cluster's redirections.
        ServerErrorKind::Moved
        | ServerErrorKind::Ask
        | ServerErrorKind::CrossSlot
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
