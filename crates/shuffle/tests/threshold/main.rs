//! The committee of trustees: key generation and decryption, honest and attacked.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod completeness;
mod hostile;
mod soundness;
mod support;
