//! Gadgets: what they compute, what they cost, and that their constraints hold them to it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod blake2s;
mod support;
