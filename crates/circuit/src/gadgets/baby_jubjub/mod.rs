//! Pedersen commitments on Baby Jubjub, the twisted Edwards curve `a·x² + y² = 1 + d·x²·y²` over the
//! scalars of BN254 (ERC-2494, circomlib).
//!
//! `d` is no square and `a` is one, so the addition law has no exceptions, in circuits as outside.
//! Multipliers are integers below the order of the large subgroup, [`JubjubScalar`]; a circuit takes
//! them as bits and requires that they are below the order. Without that, the bits of `v` and of `v`
//! plus the field's order would open one commitment to two values.

mod commitment;
mod fixed_base;
mod point;
mod scalar;

pub use commitment::{CommitmentKey, CommitmentWires};
pub use fixed_base::FixedBase;
pub use point::{JubjubPoint, JubjubWires};
pub use scalar::{JubjubScalar, ScalarWires};

use algebra::{Bn254, Scalar as _, ScalarOf};

/// The field of the coordinates.
pub type Fr = ScalarOf<Bn254>;

/// A field element from 64-bit words, the least significant first.
fn field(words: [u64; 4]) -> Fr {
    let mut bytes = [0; 64];
    for (byte, value) in bytes.iter_mut().zip(words.iter().flat_map(|word| word.to_le_bytes())) {
        *byte = value;
    }
    Fr::from_wide(&bytes)
}
