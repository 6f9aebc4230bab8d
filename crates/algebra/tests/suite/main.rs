//! One suite for all groups and pairings, and published vectors.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

#[macro_use]
mod common;

mod embed;
mod encodings;
mod groups;
mod kernels;
mod known_answers;
mod pairing;
mod transforms;
