//! The committee of trustees: key generation and decryption, honest and attacked.

mod completeness;
mod hostile;
mod soundness;
mod support;
