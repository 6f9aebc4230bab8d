//! What a holder keeps of a commitment.

use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::params::{Curve, Parameters, Value};
use algebra::Scalar as _;

/// A value and the randomness of its commitment.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Opening {
    /// The value.
    pub value: Value,
    /// The randomness.
    pub randomness: Value,
}

impl Opening {
    /// A value with fresh randomness.
    pub fn random(value: Value, rng: &mut impl CryptoRng) -> Self {
        Self { value, randomness: Value::random(rng) }
    }

    /// The commitment.
    pub fn commitment(&self, parameters: &Parameters) -> Curve {
        parameters.commit(&self.value, &self.randomness)
    }
}
