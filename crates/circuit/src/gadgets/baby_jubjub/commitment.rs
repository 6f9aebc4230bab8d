//! Pedersen commitments `v·G + r·H`.

use super::{FixedBase, Fr, JubjubPoint, JubjubScalar, JubjubWires, ScalarWires};
use crate::synthesis::Synthesizer;

/// Tables of the two generators.
#[derive(Clone, Debug)]
pub struct CommitmentKey {
    value: FixedBase,
    randomness: FixedBase,
}

/// A commitment on wires, with the value in it.
pub struct CommitmentWires {
    /// The committed value.
    pub value: ScalarWires,
    /// The commitment.
    pub point: JubjubWires,
}

impl CommitmentKey {
    /// The key whose generators are [`JubjubPoint::base`] and [`JubjubPoint::second_base`].
    pub fn new() -> Self {
        let (value, randomness) = (JubjubPoint::base(), JubjubPoint::second_base());
        Self { value: FixedBase::new(value), randomness: FixedBase::new(randomness) }
    }

    /// A commitment to `value`, variable time.
    pub fn commit(&self, value: &JubjubScalar, randomness: &JubjubScalar) -> JubjubPoint {
        self.value.mul(value).add(&self.randomness.mul(randomness))
    }

    /// A commitment on wires, the value and the randomness private and both below the order of the
    /// subgroup: 2,230 constraints.
    pub fn constrain(
        &self,
        cs: &mut Synthesizer<Fr>,
        value: &JubjubScalar,
        randomness: &JubjubScalar,
    ) -> CommitmentWires {
        let value = ScalarWires::private(cs, value);
        let randomness = ScalarWires::private(cs, randomness);
        let mut terms = self.value.lookup(cs, &value);
        terms.extend(self.randomness.lookup(cs, &randomness));
        let sum = terms.into_iter().reduce(|sum, term| sum.add(cs, &term));
        // Both scalars have windows, and each of these a term.
        let point = sum.unwrap_or_else(JubjubWires::identity);
        CommitmentWires { value, point }
    }
}

impl Default for CommitmentKey {
    fn default() -> Self {
        Self::new()
    }
}
