//! The table server, through processes of its own: this binary, started once more.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod answers;
#[cfg(feature = "sql")]
#[path = "../common/mod.rs"]
mod common;
mod crowd;
mod failing;
mod hostile;
mod keeper;
mod kept;
mod killed;
mod load;
mod openapi;
#[cfg(feature = "sql")]
mod pull;
mod reload;
mod rollups;
mod schemathesis;
mod support;
mod witnessed;

/// What the processes run that the other tests start; by itself, nothing.
#[test]
fn server_process() {
    support::server_process();
    keeper::server_process();
    keeper::party_process();
}
