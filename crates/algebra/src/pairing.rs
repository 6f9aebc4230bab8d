//! Pairings `G1 × G2 → GT`.

use std::{
    fmt::Debug,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign},
    sync::LazyLock,
};

use ark_ec::{
    bls12::{self, Bls12Config},
    bn::{self, BnConfig},
    pairing::PairingOutput,
};
use ark_ff::{BitIteratorBE, CyclotomicMultSubgroup, Field, Fp6Config};

use crate::{
    AffineGroup, Group,
    kernels::{
        self, Evaluation, Line, MillerLoop, Multiple, Prepared, Step,
        lanes::{self, Coefficient, LanesOf, Nonresidue, Plan, Register, Script, Tower},
        mul_by_d_line, mul_by_m_line,
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

impl Tower for Bls12381 {
    type Field = LanesOf<ark_bls12_381::g2::Config>;
    type Element = ark_bls12_381::Fq12;

    const NONRESIDUE: Nonresidue = Nonresidue::OneAndI;
    // Lines `b + av + vw` are divided by `vw = w³`.
    const SLOPE: usize = 5;

    fn plan() -> &'static Plan<ark_bls12_381::Fq2> {
        static PLAN: LazyLock<Plan<ark_bls12_381::Fq2>> =
            LazyLock::new(|| Plan::new::<Bls12381>(&Bls12381::steps(), bls12_381_hard_part));
        &PLAN
    }

    fn coefficients(element: &Self::Element) -> [Coefficient<Self>; 6] {
        lanes::coefficients(element)
    }

    fn from_coefficients(coefficients: [Coefficient<Self>; 6]) -> Self::Element {
        lanes::from_coefficients(coefficients)
    }
}

/// `f^((x − 1)² (x + p) (x² + p² − 1) + 3)` (Hayashida, Hayasaka, Teruya, ePrint 2020/875).
fn bls12_381_hard_part(script: &mut Script, f: Register) -> Register {
    const X: u64 = 0xd201_0000_0001_0000;
    let power = |script: &mut Script, element| {
        // x is negative.
        let power = script.power(element, X, 2);
        script.conjugate(power)
    };
    let less_one = |script: &mut Script, element| {
        let (power, inverse) = (power(script, element), script.conjugate(element));
        script.multiply(power, inverse)
    };
    let first = less_one(script, f);
    let square = less_one(script, first);
    let (by_x, by_p) = (power(script, square), script.frobenius(square, 1));
    let sum = script.multiply(by_x, by_p);
    let by_x = power(script, sum);
    let (by_x_squared, by_p_squared) = (power(script, by_x), script.frobenius(sum, 2));
    let inverse = script.conjugate(sum);
    let sum = script.multiply(by_x_squared, by_p_squared);
    let sum = script.multiply(sum, inverse);
    let squared = script.cyclotomic(f);
    let cube = script.multiply(squared, f);
    script.multiply(sum, cube)
}

impl Tower for Bn254 {
    type Field = LanesOf<ark_bn254::g2::Config>;
    type Element = ark_bn254::Fq12;

    const NONRESIDUE: Nonresidue = Nonresidue::NineAndI;
    const SLOPE: usize = 1;

    fn plan() -> &'static Plan<ark_bn254::Fq2> {
        static PLAN: LazyLock<Plan<ark_bn254::Fq2>> =
            LazyLock::new(|| Plan::new::<Bn254>(&Bn254::steps(), bn254_hard_part));
        &PLAN
    }

    fn coefficients(element: &Self::Element) -> [Coefficient<Self>; 6] {
        lanes::coefficients(element)
    }

    fn from_coefficients(coefficients: [Coefficient<Self>; 6]) -> Self::Element {
        lanes::from_coefficients(coefficients)
    }
}

/// `f^(2x(6x² + 3x + 1)(p⁴ − p² + 1)/r)` (Fuentes-Castañeda, Knapp, Rodríguez-Henríquez, 2011).
fn bn254_hard_part(script: &mut Script, f: Register) -> Register {
    const X: u64 = 0x44e9_92b4_4a69_09f1;
    let by_minus_x = |script: &mut Script, element| {
        let power = script.power(element, X, 4);
        script.conjugate(power)
    };
    let y0 = by_minus_x(script, f);
    let y1 = script.cyclotomic(y0);
    let y2 = script.cyclotomic(y1);
    let y3 = script.multiply(y2, y1);
    let y4 = by_minus_x(script, y3);
    let y5 = script.cyclotomic(y4);
    let y6 = by_minus_x(script, y5);
    let (y3, y6) = (script.conjugate(y3), script.conjugate(y6));
    let y7 = script.multiply(y6, y4);
    let y8 = script.multiply(y7, y3);
    let y9 = script.multiply(y8, y1);
    let y10 = script.multiply(y8, y4);
    let y11 = script.multiply(y10, f);
    let y12 = script.frobenius(y9, 1);
    let y13 = script.multiply(y12, y11);
    let y8 = script.frobenius(y8, 2);
    let y14 = script.multiply(y8, y13);
    let inverse = script.conjugate(f);
    let y15 = script.multiply(inverse, y9);
    let y15 = script.frobenius(y15, 3);
    script.multiply(y15, y14)
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

    fn lines(point: &Self::G2Affine) -> Vec<(Line<ark_bls12_381::Fq2>, ark_bls12_381::Fq2)> {
        let lines = bls12::G2Prepared::<ark_bls12_381::Config>::from(*point).ell_coeffs.into_iter();
        lines.map(|(offset, slope, constant)| (Line::new(slope, offset), constant)).collect()
    }

    /// `1/w⁶`: what is left of `w²/w³` and `1/w³`.
    fn turn() -> ark_bls12_381::Fq2 {
        static TURN: LazyLock<ark_bls12_381::Fq2> = LazyLock::new(|| {
            // No residue is zero.
            ark_bls12_381::Fq6Config::NONRESIDUE.inverse().unwrap_or(ark_bls12_381::Fq2::ONE)
        });
        *TURN
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
    const LANES_MIN: usize = 8;

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

    fn lines(point: &Self::G2Affine) -> Vec<(Line<ark_bn254::Fq2>, ark_bn254::Fq2)> {
        let lines = bn::G2Prepared::<ark_bn254::Config>::from(*point).ell_coeffs.into_iter();
        lines.map(|(constant, slope, offset)| (Line::new(slope, offset), constant)).collect()
    }

    fn turn() -> ark_bn254::Fq2 {
        ark_bn254::Fq2::ONE
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
