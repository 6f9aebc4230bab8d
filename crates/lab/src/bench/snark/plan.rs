//! What all systems are told, and what they answer.

use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use serde::Serialize;

/// What a system is to do.
#[derive(Clone, Copy)]
pub struct Plan {
    /// Proofs that are worked on together.
    pub batch: u32,
    /// How often rows are repeated.
    pub repeat: u32,
    /// Sonic: whether aggregates with an opening for each proof are measured too.
    pub per_proof: bool,
    /// Sonic: whether a proof of Groth16 is measured too.
    pub peer: bool,
}

/// How large a circuit is in a system's own terms.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Size {
    /// Points of the domain of rows.
    Domain { domain_size: usize },
    /// Gates and linear constraints, and the degree of the reference string.
    Sonic { gates: usize, linear_constraints: usize, degree: usize },
}

/// Randomness from the operating system.
pub fn randomness() -> ChaCha20Rng {
    ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng))
}
