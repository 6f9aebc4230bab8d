//! VOLE zero knowledge between two processes.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod circuit;
mod stock;
mod tampered;
