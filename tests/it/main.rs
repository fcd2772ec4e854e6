//! Tests of the whole: the attribute, the stores, the servers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails loudly"
)]

mod attribute;
mod cluster;
mod concurrency;
mod drills;
mod fail_modes;
mod http;
mod monitor;
mod permissions;
mod permits;
mod sentinel;
mod stores;
mod tls;
