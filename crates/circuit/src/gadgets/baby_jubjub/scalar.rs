//! Integers below the order of the subgroup, as values and as bits on wires.

use algebra::Scalar as _;
use rand_core::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::field::{Fr, field};
use crate::{
    gadgets::{Bit, bits::bits_of},
    synthesis::{Linear, Synthesizer},
};

/// The order, 251 bits.
const ORDER: [u64; 4] =
    [0x677297dc392126f1, 0xab3eedb83920ee0a, 0x370a08b6d0302b0b, 0x060c89ce5c263405];
/// Bits of the order.
pub(super) const BITS: usize = 251;

/// An integer below the order of the subgroup. (No `Debug`; erased when dropped.)
#[derive(Clone, PartialEq, Eq, Zeroize)]
#[zeroize(drop)]
pub struct JubjubScalar(Fr);

impl JubjubScalar {
    /// The integer that a field element stands for, if it is below the order.
    pub fn new(value: Fr) -> Option<Self> {
        // Both are reduced, and compare as big-endian integers do.
        let is_below = value.encode().iter().rev().lt(field(ORDER).encode().iter().rev());
        is_below.then_some(Self(value))
    }

    /// Zero.
    pub fn zero() -> Self {
        Self(Fr::zero())
    }

    /// Uniformly random.
    pub fn random(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        loop {
            let mut bytes = Zeroizing::new([0; 32]);
            rng.fill_bytes(bytes.as_mut());
            if let Some(top) = bytes.last_mut() {
                *top &= 0x07;
            }
            if let Some(scalar) = Fr::decode(&bytes).ok().and_then(Self::new) {
                return scalar;
            }
        }
    }

    /// The field element.
    pub fn value(&self) -> Fr {
        self.0
    }

    /// The bits, the least significant first.
    pub(super) fn bits(&self) -> Zeroizing<Vec<bool>> {
        Zeroizing::new(bits_of(&self.0.encode()).take(BITS).collect())
    }
}

/// Bits of an integer below the order, the least significant first.
pub struct ScalarWires {
    bits: Vec<Bit<Fr>>,
}

impl ScalarWires {
    /// Private bits of an integer that is below the order: 364 constraints.
    ///
    /// From the top, `prefix` is whether all bits that are one in the largest integer are one here.
    /// Where the largest has a zero, `bit · (1 − bit − prefix) = 0`: a bit, and zero if the prefix is
    /// that of the largest.
    pub fn private(cs: &mut Synthesizer<Fr>, scalar: &JubjubScalar) -> Self {
        let largest: Vec<bool> = bits_of(&(field(ORDER) - Fr::one()).encode()).take(BITS).collect();
        let mut prefix = Bit::constant(true);
        let mut bits = Vec::with_capacity(BITS);
        for (&largest, &value) in largest.iter().zip(scalar.bits().iter()).rev() {
            let bit = if largest {
                let bit = Bit::private(cs, value);
                prefix = prefix.and(cs, &bit);
                bit
            } else {
                Bit::private_unless(cs, value, &prefix)
            };
            bits.push(bit);
        }
        bits.reverse();
        Self { bits }
    }

    /// The integer as a field element. No constraint.
    pub fn value(&self) -> Linear<Fr> {
        Linear::from_bits(self.bits.iter().map(Bit::linear))
    }

    /// The bits, the least significant first.
    pub fn bits(&self) -> &[Bit<Fr>] {
        &self.bits
    }
}
