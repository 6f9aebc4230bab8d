//! Bytes in and out: encodings, files, channels.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod address;
mod channel;
mod codec;
mod common;
mod digest;
mod file;
mod sections;
mod tls;
