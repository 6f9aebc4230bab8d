//! Succinct proofs that everybody can check.
//!
//! * [`sonic`]: Sonic, with one updatable reference string for all circuits.
#![forbid(unsafe_code)]

pub mod sonic;
