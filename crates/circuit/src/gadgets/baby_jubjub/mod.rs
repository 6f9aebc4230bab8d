//! Pedersen commitments on Baby Jubjub, the twisted Edwards curve `a·x² + y² = 1 + d·x²·y²` over the
//! scalars of BN254 (ERC-2494, circomlib).
//!
//! `d` is no square and `a` is one, so the addition law has no exceptions, in circuits as outside.
//! Multipliers are integers below the order of the large subgroup, [`JubjubScalar`]; a circuit takes
//! them as bits and requires that they are below the order. Without that, the bits of `v` and of `v`
//! plus the field's order would open one commitment to two values.

mod commitment;
mod field;
mod fixed_base;
mod point;
mod scalar;

pub use commitment::{CommitmentKey, CommitmentWires};
pub use field::Fr;
pub use fixed_base::FixedBase;
pub use point::{JubjubPoint, JubjubWires};
pub use scalar::{JubjubScalar, ScalarWires};
