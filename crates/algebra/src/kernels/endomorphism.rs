//! Scalars in several short parts: `k = Σ k_j μ^j` modulo the group order, where μ is what a fast
//! endomorphism multiplies by.
//!
//! On G1 the endomorphism is `(x, y) ↦ (βx, y)` and gives two parts of 126 or 127 bits (Gallant,
//! Lambert, Vanstone 2001); on G2 it is ψ (untwist, Frobenius, twist) and gives four parts of 63
//! or 64 bits (Galbraith, Lin, Scott 2009; Galbraith, Scott 2008).

use rand_core::CryptoRng;

use crate::{Scalar, weierstrass::Curve};

/// At most so many parts.
pub(super) const PARTS_MAX: usize = 4;

/// A reduced basis of the lattice of all `(a_j)` with `Σ a_j μ^j = 0` modulo the group order.
pub struct Lattice {
    /// The parts of a scalar are below `2^bits` in absolute value.
    pub(crate) bits: usize,
    /// As many as a scalar has parts.
    pub(crate) basis: &'static [BasisVector],
}

/// A vector of the basis, and how much of it a scalar takes.
pub struct BasisVector {
    /// `2^318` times the vector's coefficient in `(1, 0, …)`, rounded, in little-endian limbs. The
    /// group order is below 2^255, hence its rounding moves a coefficient by less than 2^-63.
    pub(crate) coefficient: [u64; 4],
    /// Whether that coefficient is negative.
    pub(crate) negative: bool,
    /// The vector modulo 2^128, which is all that parts below 2^127 need.
    pub(crate) vector: [i128; PARTS_MAX],
}

impl Lattice {
    /// The parts of a scalar: what is left of `(k, 0, …)` after Babai's rounding to the lattice.
    pub(super) fn decompose(&self, scalar: [u64; 4]) -> [i128; PARTS_MAX] {
        let mut parts = [0; PARTS_MAX];
        let [low, high, ..] = scalar;
        parts[0] = i128::from(high) << 64 | i128::from(low);
        for BasisVector { coefficient, negative, vector } in self.basis {
            let multiple = rounded_product(scalar, *coefficient) as i128;
            let multiple = if *negative { multiple.wrapping_neg() } else { multiple };
            for (part, entry) in parts.iter_mut().zip(vector) {
                *part = part.wrapping_sub(multiple.wrapping_mul(*entry));
            }
        }
        parts
    }
}

/// Scalars `Σ k_j μ^j` with parts of 128 random bits in all. Two that are equal would differ by a
/// vector of the lattice shorter than its shortest, hence each has its own parts; and
/// [`Lattice::decompose`] finds these again, because they are near the origin.
pub(crate) fn random_weights<P: Curve>(
    count: usize,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Vec<P::ScalarField> {
    let (mu, parts) = (P::eigenvalue(), P::LATTICE.basis.len());
    let bytes_per_part = 16 / parts;
    let weight = |_| {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        bytes.chunks_exact(bytes_per_part).fold(P::ScalarField::zero(), |sum, part| {
            let part = part.iter().fold(0, |part, &byte| part << 8 | u64::from(byte));
            sum * mu + P::ScalarField::from_u64(part)
        })
    };
    (0..count).map(weight).collect()
}

/// `left · right / 2^318`, rounded, modulo 2^128.
fn rounded_product(left: [u64; 4], right: [u64; 4]) -> u128 {
    let mut product = [0_u64; 8];
    for (i, l) in left.into_iter().enumerate() {
        let mut carry = 0;
        for (j, r) in right.into_iter().enumerate() {
            let sum =
                u128::from(l) * u128::from(r) + u128::from(product[i + j]) + u128::from(carry);
            product[i + j] = sum as u64;
            carry = (sum >> 64) as u64;
        }
        product[i + 4] = carry;
    }
    let [_, _, _, _, p4, p5, p6, _] = product.map(u128::from);
    // Bit 318 is bit 62 of the limb `p4`; bit 61 rounds.
    let low = (p4 >> 62) + (p4 >> 61 & 1);
    low.wrapping_add(p5 << 2).wrapping_add(p6 << 66)
}

/// The wNAF of `magnitude < 2^127` into `digits`, least significant first: odd digits below
/// `2^(width − 1)`, of which `width` in a row hold at most one. Returns how many are used.
pub(super) fn recode(mut magnitude: u128, width: u32, digits: &mut [i8]) -> usize {
    digits.fill(0);
    let mut position = 0;
    while magnitude != 0 {
        let zeros = magnitude.trailing_zeros();
        magnitude >>= zeros;
        position += zeros as usize;
        let bits = (magnitude & ((1 << width) - 1)) as i16;
        let negative = bits >> (width - 1) == 1;
        digits[position] = (if negative { bits - (1 << width) } else { bits }) as i8;
        magnitude = (magnitude >> width) + u128::from(negative);
        if magnitude == 0 {
            return position + 1;
        }
        position += width as usize;
    }
    0
}

#[cfg(test)]
mod tests {
    use ark_ec::{AffineRepr, CurveGroup, short_weierstrass::Affine};
    use ark_ff::{AdditiveGroup, Field, PrimeField};
    use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

    use super::*;
    use crate::kernels::limbs;

    fn parts_recompose<P: Curve>(mu: P::ScalarField) {
        assert_eq!(P::eigenvalue(), mu);
        let one = P::ScalarField::ONE;
        let mut scalars = vec![P::ScalarField::ZERO, one, -one, mu, -mu, one.double()];
        scalars.extend(P::ScalarField::random_many(2000, &mut ChaCha20Rng::from_seed([1; 32])));
        for scalar in scalars {
            let parts = P::LATTICE.decompose(limbs(&scalar));
            let sum: P::ScalarField = parts
                .iter()
                .rev()
                .fold(P::ScalarField::ZERO, |sum, &part| sum * mu + P::ScalarField::from(part));
            assert_eq!(sum, scalar);
            assert!(parts.iter().all(|part| part.unsigned_abs() >> P::LATTICE.bits == 0));
            assert!(parts[P::LATTICE.basis.len()..].iter().all(|&part| part == 0));
        }
        let generator = P::GENERATOR;
        let image: Affine<P> = P::endomorphism(&generator);
        assert_eq!(image, (generator * mu).into_affine());
        assert!(P::endomorphism(&Affine::identity()).is_zero());
        assert_eq!(P::endomorphism(&-image), -P::endomorphism(&image));
    }

    /// The trace of Frobenius minus one, which is the field's characteristic modulo the order.
    fn characteristic<F: PrimeField, S: PrimeField>() -> S {
        let bytes: Vec<u8> =
            F::MODULUS.as_ref().iter().flat_map(|limb| limb.to_le_bytes()).collect();
        S::from_le_bytes_mod_order(&bytes)
    }

    #[test]
    fn scalars_are_the_sums_of_their_parts() {
        use ark_bls12_381 as bls;
        use ark_bn254 as bn;
        use ark_ec::scalar_mul::glv::GLVConfig;
        parts_recompose::<bn::g1::Config>(<bn::g1::Config as GLVConfig>::LAMBDA);
        parts_recompose::<bn::g2::Config>(characteristic::<bn::Fq, _>());
        parts_recompose::<bls::g1::Config>(<bls::g1::Config as GLVConfig>::LAMBDA);
        parts_recompose::<bls::g2::Config>(characteristic::<bls::Fq, _>());
    }

    fn weights_have_short_parts<P: Curve>() {
        let parts = P::LATTICE.basis.len();
        let weights = random_weights::<P>(500, &mut ChaCha20Rng::from_seed([2; 32]));
        let mut longest = 0;
        for weight in &weights {
            let found = P::LATTICE.decompose(limbs(weight));
            assert!(found.iter().all(|&part| part >= 0 && part >> (128 / parts) == 0));
            longest = found.into_iter().fold(longest, i128::max);
        }
        assert!(longest >> (128 / parts - 1) == 1);
        assert!(weights[1..].iter().all(|weight| *weight != weights[0]));
    }

    #[test]
    fn weights_take_as_few_steps_as_their_parts_have_bits() {
        weights_have_short_parts::<ark_bn254::g1::Config>();
        weights_have_short_parts::<ark_bn254::g2::Config>();
        weights_have_short_parts::<ark_bls12_381::g1::Config>();
        weights_have_short_parts::<ark_bls12_381::g2::Config>();
    }

    #[test]
    fn digits_recompose_to_the_magnitude() {
        for width in [2, 4, 5, 7] {
            for magnitude in [0, 1, 2, 7, 8, 9, 15, 16, u64::MAX.into(), (1 << 127) - 1, 5 << 120] {
                let mut digits = [1; 129];
                let used = recode(magnitude, width, &mut digits);
                let sum = digits.iter().rev().fold(0_u128, |sum, &digit| {
                    assert!(
                        digit == 0 || digit & 1 == 1 && i16::from(digit).abs() < 1 << (width - 1)
                    );
                    (sum << 1).wrapping_add_signed(digit.into())
                });
                assert_eq!(sum, magnitude);
                assert_eq!(used, digits.iter().rposition(|&d| d != 0).map_or(0, |top| top + 1));
            }
        }
    }
}
