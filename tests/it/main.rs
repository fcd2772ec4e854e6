//! Tests of the whole: the attribute, the stores, the servers.

mod attribute;
mod fail_modes;
mod http;
mod stores;
