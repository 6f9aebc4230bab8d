//! What a predicate of few places is to both parties: its value in the clear, and its share of the sums
//! over F_2 and over F_p.

use super::graph::MAX_LOCALITY;
use crate::{
    field::{Fp, gf64},
    kernel::clmul::Clmul,
};

/// Degrees of an output over F_2 and F_p, at most.
pub(super) const MAX_DEGREES: [usize; 2] = [4, 15];
/// Sums over F_2 of the coefficients of X^0, X^1, .., without the highest; not yet reduced.
pub(super) type BitSums = [u128; MAX_DEGREES[0]];
/// Sums over F_p, of at most [`MAX_TERMS`] products each.
pub(super) type ValueSums = [u128; MAX_DEGREES[1]];
/// Products of two elements of F_p, below 2^122 each, that fit into 128 bits.
pub(super) const MAX_TERMS: usize = 63;

/// What an output is.
pub(super) trait Predicate {
    /// Places.
    const LOCALITY: usize;
    /// Degrees over F_2 and over F_p.
    const DEGREES: [usize; 2];
    /// Products that one output adds to a sum over F_p, at most.
    const TERMS: usize;

    /// In the clear.
    fn output(bits: &[u8; MAX_LOCALITY]) -> u8;

    /// The prover's coefficients over F_2 times `chi`, from MACs that have the bit in the lowest
    /// place.
    fn prove_bit<C: Clmul>(clmul: C, macs: &[u64; MAX_LOCALITY], chi: u64, sums: &mut BitSums);

    /// The verifier's value over F_2, from keys.
    fn verify_bit<C: Clmul>(clmul: C, keys: &[u64; MAX_LOCALITY], delta: u64) -> u64;

    /// The prover's coefficients over F_p times `gamma`, from the bits (in the lowest place) and the
    /// constant terms of their signs.
    fn prove_value(
        bits: &[u64; MAX_LOCALITY],
        signs: &[Fp; MAX_LOCALITY],
        gamma: Fp,
        constants: &Constants,
        sums: &mut ValueSums,
    );

    /// The verifier's value over F_p, from signs.
    fn verify_value(signs: &[Fp; MAX_LOCALITY], constants: &Constants) -> Fp;
}

/// What is used for every output: the polynomial in W that is the sign of odd W in -7..=7,
/// `c1 W + c3 W^3 + c5 W^5 + c7 W^7`, and 1/2.
pub(super) struct Constants {
    /// The factors c, each times the power of Δ that lifts its term to degree 7.
    pub(super) sign: [Fp; 4],
    /// For r = 1..=7: `binom(k, r) c_k` for the powers `s^(k-r)` from the lowest on, s^0 or s^1.
    pub(super) rows: [[Fp; 4]; 7],
    pub(super) half: Fp,
}

impl Constants {
    /// For the verifier's Δ; the prover has none.
    pub(super) fn new(delta: Fp) -> Self {
        let ratio = |a: i64, b: u64| Fp::from_signed(a) * Fp::from(b).inverse();
        let [c1, c3, c5, c7] =
            [ratio(30_251, 26_880), ratio(-301, 2_304), ratio(61, 11_520), ratio(-1, 16_128)];
        let (square, zero) = (delta * delta, Fp::default());
        let times = |n: u64, c: Fp| Fp::from(n) * c;
        Self {
            sign: [c1 * square * square * square, c3 * square * square, c5 * square, c7],
            rows: [
                [c1, times(3, c3), times(5, c5), times(7, c7)],
                [times(3, c3), times(10, c5), times(21, c7), zero],
                [c3, times(10, c5), times(35, c7), zero],
                [times(5, c5), times(35, c7), zero, zero],
                [c5, times(21, c7), zero, zero],
                [times(7, c7), zero, zero, zero],
                [c7, zero, zero, zero],
            ],
            half: ratio(1, 2),
        }
    }
}

/// `a · b` in F_{2^64}.
#[inline(always)]
pub(super) fn mul<C: Clmul>(clmul: C, a: u64, b: u64) -> u64 {
    gf64::reduce(clmul, clmul.clmul(a, b))
}

/// All ones for a set lowest bit.
#[inline(always)]
pub(super) fn mask(word: u64) -> u64 {
    (word & 1).wrapping_neg()
}

/// Negates if the lowest bit is set.
#[inline(always)]
pub(super) fn negate_if(x: Fp, bit: u64) -> Fp {
    // -x = x + (-2x).
    x - (x + x).masked(mask(bit))
}

#[inline(always)]
pub(super) fn product(a: Fp, b: Fp) -> u128 {
    u128::from(a.to_u64()) * u128::from(b.to_u64())
}
