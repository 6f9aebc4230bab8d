//! Both engines of the traceable mixnet, and the attacks on them.
//!
//! One program: what these tests have in common is compiled and linked once.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod attack_list;
mod attacks;
mod completeness;
mod db;
mod hostile;
mod paillier;
mod support;
