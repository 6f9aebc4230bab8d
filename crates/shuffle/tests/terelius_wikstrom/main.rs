//! The Terelius-Wikström shuffle: honest mixers convince; cheating ones do not, by the attacks of the
//! specification (T.10), each with the equation that catches it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod chains;
mod commitments;
mod common;
mod completeness;
mod equations;
mod hostile;
mod matrix;
mod messages;
mod passage;
mod statements;
mod vectors;
