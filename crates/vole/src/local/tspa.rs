//! The predicate TSPA of five places.

use super::{
    graph::MAX_LOCALITY,
    predicate::{BitSums, Constants, Predicate, ValueSums, mask, mul, negate_if, product},
};
use crate::{field::Fp, kernel::clmul::Clmul};

/// `x1 + x2 + x3 + (x2 + x4)(x3 + x5)` over F_2; in signs, `w1 (w2 (w3 + w5) + w4 (w3 - w5)) / 2`.
pub(super) struct Tspa;

impl Predicate for Tspa {
    const LOCALITY: usize = 5;
    const DEGREES: [usize; 2] = [2, 3];
    const TERMS: usize = 4;

    #[inline(always)]
    fn output(&[x1, x2, x3, x4, x5, ..]: &[u8; MAX_LOCALITY]) -> u8 {
        x1 ^ x2 ^ x3 ^ (x2 ^ x4) & (x3 ^ x5)
    }

    #[inline(always)]
    fn prove_bit<C: Clmul>(
        clmul: C,
        &[m1, m2, m3, m4, m5, ..]: &[u64; MAX_LOCALITY],
        chi: u64,
        sums: &mut BitSums,
    ) {
        let (a, b) = (m2 ^ m4, m3 ^ m5);
        let linear = m1 ^ m2 ^ m3 ^ b & mask(a) ^ a & mask(b);
        let [constant, first, ..] = sums;
        *constant ^= clmul.clmul(mul(clmul, a, b), chi);
        *first ^= clmul.clmul(linear, chi);
    }

    #[inline(always)]
    fn verify_bit<C: Clmul>(
        clmul: C,
        &[k1, k2, k3, k4, k5, ..]: &[u64; MAX_LOCALITY],
        delta: u64,
    ) -> u64 {
        mul(clmul, k1 ^ k2 ^ k3, delta) ^ mul(clmul, k2 ^ k4, k3 ^ k5)
    }

    #[inline(always)]
    fn prove_value(
        bits: &[u64; MAX_LOCALITY],
        signs: &[Fp; MAX_LOCALITY],
        gamma: Fp,
        constants: &Constants,
        sums: &mut ValueSums,
    ) {
        let &[b1, b2, b3, b4, b5, ..] = bits;
        let &[a1, a2, a3, a4, a5, ..] = signs;
        // Sums of two signs are 2, 0 or -2 times X, so that half of them is a coefficient again.
        let half = constants.half;
        let [s2, s4] = [b2, b4].map(|bit| negate_if(Fp::from(1), bit));
        let sum = (negate_if(half, b3) + negate_if(half, b5), (a3 + a5) * half);
        let difference = (negate_if(half, b3) - negate_if(half, b5), (a3 - a5) * half);
        // w2 (w3 + w5) / 2 + w4 (w3 - w5) / 2, of which the highest coefficient is a sign.
        let c0 = Fp::from_u128(product(a2, sum.1) + product(a4, difference.1));
        let c1 = Fp::from_u128(
            product(s2, sum.1)
                + product(a2, sum.0)
                + product(s4, difference.1)
                + product(a4, difference.0),
        );
        let c2 = s2 * sum.0 + s4 * difference.0;
        let (scaled, signed) = (a1 * gamma, negate_if(gamma, b1));
        let [x0, x1, x2, ..] = sums;
        *x0 += product(scaled, c0);
        *x1 += product(scaled, c1) + product(signed, c0);
        *x2 += product(scaled, c2) + product(signed, c1);
    }

    #[inline(always)]
    fn verify_value(&[w1, w2, w3, w4, w5, ..]: &[Fp; MAX_LOCALITY], constants: &Constants) -> Fp {
        w1 * constants.half * Fp::from_u128(product(w2, w3 + w5) + product(w4, w3 - w5))
    }
}
