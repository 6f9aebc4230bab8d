//! Transparent tables and pay surveys on the command line.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

#[path = "../common/mod.rs"]
mod common;

mod disputes;
mod hierarchy;
mod histories;
mod killed;
mod recorded;
mod restored;
mod rollups;
mod served;
#[cfg(feature = "sql")]
mod sql;
mod survey;
mod table;
mod witnesses;
