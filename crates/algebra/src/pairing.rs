//! Pairings `G1 × G2 → GT`.

use std::{
    fmt::Debug,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign},
};

use ark_ec::{bls12::Bls12Config, bn::BnConfig, pairing::PairingOutput};
use ark_ff::{BitIteratorBE, CyclotomicMultSubgroup};

use crate::{
    AffineGroup, Group,
    kernels::{
        self, Evaluation, Line, MillerLoop, Multiple, Prepared, Step, mul_by_d_line, mul_by_m_line,
    },
};

/// BLS12-381, the default pairing (128-bit security).
pub type Bls12381 = ark_bls12_381::Bls12_381;
/// BN254, for circom and snarkjs (about 100-bit security).
pub type Bn254 = ark_bn254::Bn254;

/// Two groups of the same prime order with a bilinear, non-degenerate map.
pub trait Pairing: Copy + Debug + Send + Sync + 'static {
    /// The first group, with the shorter encoding.
    type G1: AffineGroup;

    /// The second group.
    type G2: AffineGroup<Scalar = <Self::G1 as Group>::Scalar>;

    /// A point of the second group that takes part in many pairings, at about half the price.
    type Prepared: Clone + Send + Sync + 'static;

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
    fn multi_pairing(pairs: &[(Self::G1, Self::G2)]) -> Self::Target {
        Self::multi_pairing_with(pairs, &[])
    }

    /// [`Pairing::multi_pairing`] over pairs as they are and pairs with prepared points.
    fn multi_pairing_with(
        pairs: &[(Self::G1, Self::G2)],
        prepared: &[(Self::G1, &Self::Prepared)],
    ) -> Self::Target;

    /// Prepares points of the second group.
    fn prepare(points: &[Self::G2]) -> Vec<Self::Prepared>;

    /// Whether `sum_i e(left_i, right_i)` is neutral: the form of every verification equation.
    fn is_neutral(pairs: &[(Self::G1, Self::G2)]) -> bool {
        Self::multi_pairing(pairs) == Self::Target::default()
    }
}

impl Pairing for Bls12381 {
    type G1 = crate::Bls12381G1;
    type G2 = crate::Bls12381G2;
    type Prepared = Prepared<ark_bls12_381::Fq2>;
    type Target = PairingOutput<Self>;

    const NAME: &'static str = "BLS12-381";

    fn multi_pairing_with(
        pairs: &[(Self::G1, Self::G2)],
        prepared: &[(Self::G1, &Self::Prepared)],
    ) -> Self::Target {
        kernels::multi_pairing(pairs, prepared)
    }

    fn prepare(points: &[Self::G2]) -> Vec<Self::Prepared> {
        kernels::prepare::<Self>(points)
    }
}

impl Pairing for Bn254 {
    type G1 = crate::Bn254G1;
    type G2 = crate::Bn254G2;
    type Prepared = Prepared<ark_bn254::Fq2>;
    type Target = PairingOutput<Self>;

    const NAME: &'static str = "BN254";

    fn multi_pairing_with(
        pairs: &[(Self::G1, Self::G2)],
        prepared: &[(Self::G1, &Self::Prepared)],
    ) -> Self::Target {
        kernels::multi_pairing(pairs, prepared)
    }

    fn prepare(points: &[Self::G2]) -> Vec<Self::Prepared> {
        kernels::prepare::<Self>(points)
    }
}

/// The ate pairing: a loop over the bits of |x|.
impl MillerLoop for Bls12381 {
    type Left = ark_bls12_381::g1::Config;
    type Right = ark_bls12_381::g2::Config;

    fn steps() -> Vec<Step> {
        let bits = BitIteratorBE::without_leading_zeros(ark_bls12_381::Config::X).skip(1);
        let add = |bit: bool| bit.then_some(Step::Add(Multiple::One));
        bits.flat_map(|bit| std::iter::once(Step::Double).chain(add(bit))).collect()
    }

    fn mul_by_line(
        product: &mut Self::TargetField,
        line: &Line<ark_bls12_381::Fq2>,
        at: &Evaluation<Self::BaseField>,
    ) {
        mul_by_m_line(product, line, at);
    }

    fn correct_sign(product: &mut Self::TargetField) {
        product.cyclotomic_inverse_in_place();
    }

    #[cfg(feature = "blst")]
    const AFFINE_MIN: usize = usize::MAX;

    #[cfg(feature = "blst")]
    fn plain(left: &[Self::G1Affine], right: &[Self::G2Affine]) -> Self::TargetField {
        kernels::blst::miller_loop(left, right)
    }

    #[cfg(feature = "blst")]
    fn finish(product: Self::TargetField) -> PairingOutput<Self> {
        PairingOutput(kernels::blst::final_exponentiation(product))
    }
}

/// The optimal ate pairing: a loop over the signed digits of 6x + 2, then ψ(Q) and −ψ²(Q).
impl MillerLoop for Bn254 {
    type Left = ark_bn254::g1::Config;
    type Right = ark_bn254::g2::Config;

    fn steps() -> Vec<Step> {
        let digits = ark_bn254::Config::ATE_LOOP_COUNT.iter().rev().skip(1);
        let add = |digit| match digit {
            1 => Some(Step::Add(Multiple::One)),
            -1 => Some(Step::Add(Multiple::MinusOne)),
            _ => None,
        };
        let steps = digits.flat_map(|&digit| std::iter::once(Step::Double).chain(add(digit)));
        steps.chain([Multiple::Psi, Multiple::MinusPsiSquared].map(Step::Add)).collect()
    }

    fn mul_by_line(
        product: &mut Self::TargetField,
        line: &Line<ark_bn254::Fq2>,
        at: &Evaluation<Self::BaseField>,
    ) {
        mul_by_d_line(product, line, at);
    }

    fn correct_sign(_: &mut Self::TargetField) {}
}
