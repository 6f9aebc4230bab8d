//! The Paillier side of the engine `db`, over a modulus of test size.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod attacks;
mod completeness;
mod mutation;
mod sharing;
mod support;
