//! Succinct proofs that everybody can check.
#![forbid(unsafe_code)]
