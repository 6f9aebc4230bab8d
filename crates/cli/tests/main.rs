//! The program as its users run it: several processes, their files, and what becomes of both when something fails.
//!
//! One program of tests and not one for each module, so that some compute while others wait.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod common;

mod elections;
mod parameters;
mod tables;
mod vole;
