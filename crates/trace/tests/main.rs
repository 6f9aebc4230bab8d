//! The traceable mixnet: honest sessions of the engine `routed`, and the attacks on it.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod attack_list;
mod attacks;
mod completeness;
mod hostile;
mod support;
