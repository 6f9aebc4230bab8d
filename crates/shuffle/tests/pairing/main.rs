//! The pairing-based shuffles, in one binary because generic pairings compile slowly.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

mod ac16;
mod attacks;
mod completeness;
mod forgery;
mod hostile;
mod mutations;
mod support;
mod toy;
