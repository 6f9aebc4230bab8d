//! Ceremonies, keys and proofs on the command line.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

#[path = "../common/mod.rs"]
mod common;

mod ceremony;
mod exchange;
mod killed;
mod native;
mod of_elections;
mod oracle;
mod phase2;
mod snark;
mod snark_circom;
mod snark_native;
mod snark_sets;
mod verdicts;

use test_support::{circomlib, histories};
