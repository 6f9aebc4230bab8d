//! RFC 9380: `hash_to_curve` in its random-oracle form, with SHA-256 and `expand_message_xmd`.

use ark_ec::{
    hashing::curve_maps::parity,
    short_weierstrass::{Affine, SWCurveConfig},
};
use ark_ff::{AdditiveGroup, Field, PrimeField};
use sha2::{Digest, Sha256};

use crate::weierstrass::Curve;

/// Input block and output of SHA-256.
const BLOCK_LEN: usize = 64;
const HASH_LEN: usize = 32;
/// Bits by which uniform integers exceed the field, to be uniform modulo its order.
const SECURITY_BITS: u32 = 128;

/// A point of the prime-order subgroup, as from a random oracle.
pub(crate) fn hash_to_curve<P: Curve>(domain: &[u8], message: &[u8]) -> Affine<P> {
    let [left, right] = hash_to_field::<P::BaseField>(domain, message);
    P::to_subgroup(&(P::map_to_curve(left) + P::map_to_curve(right)).into())
}

/// Two field elements, section 5.2.
fn hash_to_field<F: Field>(domain: &[u8], message: &[u8]) -> [F; 2] {
    let degree = F::extension_degree() as usize;
    let len = (F::BasePrimeField::MODULUS_BIT_SIZE + SECURITY_BITS).div_ceil(8) as usize;
    let uniform = expand_message(domain, message, 2 * degree * len);
    let mut coefficients = uniform.chunks(len).map(F::BasePrimeField::from_be_bytes_mod_order);
    [(); 2].map(|()| {
        F::from_base_prime_field_elems(coefficients.by_ref().take(degree))
            .expect("as many coefficients as the degree")
    })
}

/// `expand_message_xmd`, section 5.3.1. Domains are our own constants, below 256 bytes.
fn expand_message(domain: &[u8], message: &[u8], len: usize) -> Vec<u8> {
    let domain_len = [domain.len() as u8];
    let seed = Sha256::new()
        .chain_update([0; BLOCK_LEN])
        .chain_update(message)
        .chain_update((len as u16).to_be_bytes())
        .chain_update([0])
        .chain_update(domain)
        .chain_update(domain_len)
        .finalize();
    let mut block = [0; HASH_LEN];
    let blocks = (1_u8..).map(|counter| {
        block.iter_mut().zip(seed).for_each(|(byte, s)| *byte ^= s);
        block = Sha256::new()
            .chain_update(block)
            .chain_update([counter])
            .chain_update(domain)
            .chain_update(domain_len)
            .finalize()
            .into();
        block
    });
    blocks.take(len.div_ceil(HASH_LEN)).flatten().take(len).collect()
}

/// The Shallue-van de Woestijne map for curves with `a = 0`, section 6.6.1, with its constants.
pub(crate) struct ShallueWoestijne<P: SWCurveConfig> {
    z: P::BaseField,
    c1: P::BaseField,
    c2: P::BaseField,
    c3: P::BaseField,
    c4: P::BaseField,
}

impl<P: SWCurveConfig> ShallueWoestijne<P> {
    /// The constants of appendix F.1 for `Z = z`.
    pub(crate) fn new(z: P::BaseField) -> Self {
        let c1 = z.square() * z + P::COEFF_B;
        let three_z_squared = z.square() * P::BaseField::from(3_u64);
        let c3 = (-c1 * three_z_squared).sqrt().expect("Z is chosen for this to be a square");
        let half = P::BaseField::from(2_u64).inverse().expect("odd characteristic");
        let inverse = three_z_squared.inverse().expect("Z is not zero");
        Self {
            z,
            c1,
            c2: -z * half,
            c3: if parity(&c3) { -c3 } else { c3 },
            c4: -c1.double().double() * inverse,
        }
    }

    /// `map_to_curve_svdw` of appendix F.1.
    pub(crate) fn map(&self, u: P::BaseField) -> Affine<P> {
        let t = u.square() * self.c1;
        let (minus, plus) = (P::BaseField::ONE - t, P::BaseField::ONE + t);
        // `inv0` of the appendix: the inverse of 0 is 0.
        let inverse = (minus * plus).inverse().unwrap_or(P::BaseField::ZERO);
        let offset = u * minus * inverse * self.c3;
        let x3 = (plus.square() * inverse).square() * self.c4 + self.z;
        let point = [self.c2 - offset, self.c2 + offset, x3]
            .into_iter()
            .find_map(|x| Affine::<P>::get_point_from_x_unchecked(x, false))
            .expect("one of the three is on the curve");
        if parity(&u) == parity(&point.y) { point } else { -point }
    }
}

#[cfg(test)]
mod tests;
