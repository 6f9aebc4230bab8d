//! The engine `db`: honest sessions, and every attack on it.
#![cfg(feature = "gmp")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod completeness;
mod support;
