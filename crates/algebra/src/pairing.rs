//! Pairings `G1 × G2 → GT`.

use std::{
    fmt::Debug,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign},
};

use ark_ec::{
    CurveGroup,
    pairing::{Pairing as Engine, PairingOutput},
};

use crate::Group;

/// BLS12-381, the default pairing (128-bit security).
pub type Bls12381 = ark_bls12_381::Bls12_381;
/// BN254, for circom and snarkjs (about 100-bit security).
pub type Bn254 = ark_bn254::Bn254;

/// Two groups of the same prime order with a bilinear, non-degenerate map.
pub trait Pairing: Copy + Debug + Send + Sync + 'static {
    /// The first group, with the shorter encoding.
    type G1: Group;

    /// The second group.
    type G2: Group<Scalar = <Self::G1 as Group>::Scalar>;

    /// The target group, written additively like the others: `+` is the multiplication of the
    /// field it lies in, and `default()` the neutral element.
    type Target: Copy
        + Debug
        + Default
        + Eq
        + Send
        + Sync
        + Add<Output = Self::Target>
        + Sub<Output = Self::Target>
        + Neg<Output = Self::Target>
        + Mul<<Self::G1 as Group>::Scalar, Output = Self::Target>
        + AddAssign
        + SubAssign
        + Sum
        + 'static;

    /// The name that file headers carry.
    const NAME: &'static str;

    /// `e(left, right)`.
    fn pairing(left: &Self::G1, right: &Self::G2) -> Self::Target {
        Self::multi_pairing(&[(*left, *right)])
    }

    /// `sum_i e(left_i, right_i)`, with a single final exponentiation.
    fn multi_pairing(pairs: &[(Self::G1, Self::G2)]) -> Self::Target;

    /// Whether `sum_i e(left_i, right_i)` is neutral: the form of every verification equation.
    fn is_neutral(pairs: &[(Self::G1, Self::G2)]) -> bool {
        Self::multi_pairing(pairs) == Self::Target::default()
    }
}

impl Pairing for Bls12381 {
    type G1 = crate::Bls12381G1;
    type G2 = crate::Bls12381G2;
    type Target = PairingOutput<Self>;

    const NAME: &'static str = "BLS12-381";

    fn multi_pairing(pairs: &[(Self::G1, Self::G2)]) -> Self::Target {
        multi_pairing(pairs)
    }
}

impl Pairing for Bn254 {
    type G1 = crate::Bn254G1;
    type G2 = crate::Bn254G2;
    type Target = PairingOutput<Self>;

    const NAME: &'static str = "BN254";

    fn multi_pairing(pairs: &[(Self::G1, Self::G2)]) -> Self::Target {
        multi_pairing(pairs)
    }
}

/// Brings all points to affine form with two inversions before arkworks takes them one by one.
fn multi_pairing<E: Engine>(pairs: &[(E::G1, E::G2)]) -> PairingOutput<E> {
    let (left, right): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    E::multi_pairing(E::G1::normalize_batch(&left), E::G2::normalize_batch(&right))
}
