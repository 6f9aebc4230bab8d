//! Trusted set-ups that nobody controls.
//!
//! A ceremony makes parameters whose secrets nobody knows: each participant multiplies secrets of
//! their own into them and forgets these, and the result is safe if a single one did. Everybody
//! can check afterwards that every participant did what they said.
//!
//! [`phase2`] makes the Groth16 key of a circuit from a prepared phase 1.
//!
//! Functions read and write through [`std::io`], chunk by chunk: a contribution takes the same
//! little memory for every circuit.
//!
//! # Secrets
//! A participant's secrets are used once, in variable time, on the participant's own machine, and
//! erased from memory when the contribution is made.
#![forbid(unsafe_code)]

mod beacon;
mod equations;
mod error;
pub mod phase2;

pub use error::{Error, Place, Relation};
