//! Succinct proofs that everybody can check.
//!
//! | module | proof system | key |
//! |---|---|---|
//! | [`groth16`] | three points, three pairings | of each circuit, from `ceremony` phase 2 |
//! | [`gm17`] | three points; nobody makes a second proof from a first | of each circuit, from a dealer |
//! | [`sonic`] | four points and two scalars | one for all circuits, updatable, from `ceremony` |
//!
//! [`membership`] has the statements that traceable mix-nets are compared by; [`set_membership`]
//! proves with an RSA accumulator that a committed value is in a set, or not, in the same time
//! whatever the size of the set. [`collaborative`] is Groth16 by provers who share the witness.
//!
//! [`claims`] puts proofs of any of the systems into bundles.
//!
//! Circuits, witnesses and keys are those of the crate `circuit`.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "prove"), allow(dead_code, reason = "provers call it"))]

pub mod claims;
#[cfg(feature = "prove")]
pub mod collaborative;
mod file;
pub mod gm17;
pub mod groth16;
pub mod membership;
pub mod set_membership;
pub mod sonic;
#[cfg(test)]
mod test_circuit;

pub use file::{FileFormat, pairing_of};
