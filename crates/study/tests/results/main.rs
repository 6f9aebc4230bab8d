//! What an election publishes: ballots read, counted, described, shown.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod classes;
mod count;
mod description;
mod format;
mod layout;
mod preferences;
mod questions;
mod report;
