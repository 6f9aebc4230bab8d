//! Succinct proofs that everybody can check.
//!
//! | module | proof system | key |
//! |---|---|---|
//! | [`groth16`] | three points, three pairings | of each circuit, from `ceremony` phase 2 |
//!
//! [`membership`] has the statements that traceable mix-nets are compared by.
//!
//! Circuits, witnesses and keys are those of the room `circuit`.
#![forbid(unsafe_code)]

pub mod groth16;
pub mod membership;
