//! Bits: combinations whose value is zero or one.

use algebra::Scalar;

use crate::synthesis::{Linear, Synthesizer};

/// A bit of a circuit. Operations on constants cost nothing, nor does negation.
#[derive(Clone)]
pub struct Bit<S> {
    linear: Linear<S>,
    value: bool,
}

impl<S: Scalar> Bit<S> {
    /// A constant.
    pub fn constant(value: bool) -> Self {
        Self { linear: if value { Linear::one() } else { Linear::zero() }, value }
    }

    /// A private wire that is a bit. One constraint.
    pub fn private(cs: &mut Synthesizer<S>, value: bool) -> Self {
        let linear = cs.private(S::from_u64(value.into()));
        Self::require(cs, linear, value)
    }

    /// A private wire that is a bit, and zero if `excluded` is one. One constraint:
    /// `bit · (1 − bit − excluded) = 0`.
    pub(super) fn private_unless(cs: &mut Synthesizer<S>, value: bool, excluded: &Self) -> Self {
        let linear = cs.private(S::from_u64(value.into()));
        let rest = &(&Linear::one() - &linear) - &excluded.linear;
        cs.enforce(&linear, &rest, &Linear::zero());
        Self { linear, value }
    }

    /// A combination that must be a bit, with its value. One constraint.
    pub(super) fn require(cs: &mut Synthesizer<S>, linear: Linear<S>, value: bool) -> Self {
        cs.enforce(&linear, &(&linear - &Linear::one()), &Linear::zero());
        Self { linear, value }
    }

    /// Private wires with the bits of bytes, the least significant bit of each byte first. One
    /// constraint each.
    pub fn private_bytes(cs: &mut Synthesizer<S>, bytes: &[u8]) -> Vec<Self> {
        bits_of(bytes).map(|bit| Self::private(cs, bit)).collect()
    }

    /// The combination.
    pub fn linear(&self) -> &Linear<S> {
        &self.linear
    }

    /// The value.
    pub fn value(&self) -> bool {
        self.value
    }

    /// The value, if it is the same in every witness.
    pub fn as_constant(&self) -> Option<bool> {
        self.linear.as_constant().map(|_| self.value)
    }

    /// The other bit. No constraint.
    #[must_use]
    pub fn not(&self) -> Self {
        Self { linear: &Linear::one() - &self.linear, value: !self.value }
    }

    /// Whether both are one. One constraint.
    #[must_use]
    pub fn and(&self, cs: &mut Synthesizer<S>, other: &Self) -> Self {
        let linear = cs.product(&self.linear, &other.linear);
        Self { linear, value: self.value & other.value }
    }

    /// Whether one of the two is one. One constraint: `2a · b = a + b − (a ⊕ b)`.
    #[must_use]
    pub fn xor(&self, cs: &mut Synthesizer<S>, other: &Self) -> Self {
        match (self.as_constant(), other.as_constant()) {
            (Some(false), _) => return other.clone(),
            (_, Some(false)) => return self.clone(),
            (Some(true), _) => return other.not(),
            (_, Some(true)) => return self.not(),
            (None, None) => {}
        }
        let value = self.value ^ other.value;
        let linear = cs.private(S::from_u64(value.into()));
        let sum = &self.linear + &other.linear;
        cs.enforce(&(&self.linear * S::from_u64(2)), &other.linear, &(&sum - &linear));
        Self { linear, value }
    }

    /// `yes` if this is one, else `no`. One constraint: `bit · (yes − no) = selected − no`.
    #[must_use]
    pub fn select(&self, cs: &mut Synthesizer<S>, yes: &Self, no: &Self) -> Self {
        let value = if self.value { yes.value } else { no.value };
        let difference = cs.product(&self.linear, &(&yes.linear - &no.linear));
        Self { linear: &no.linear + &difference, value }
    }
}

/// The bits of bytes, the least significant bit of each byte first.
pub(super) fn bits_of(bytes: &[u8]) -> impl Iterator<Item = bool> {
    bytes.iter().flat_map(|byte| (0..8).map(move |shift| byte >> shift & 1 == 1))
}
