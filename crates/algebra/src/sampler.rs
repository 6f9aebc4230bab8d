//! The deterministic sampling of rand 0.4 and pairing 0.14, which the Powers of Tau of Zcash and
//! snarkjs fixed for ever: beacons and hashes to G2 are its output.

use ark_ec::{
    scalar_mul::double_and_add_affine,
    short_weierstrass::{Affine, Projective},
};
use ark_ff::Field;
use chacha20::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};
use zeroize::Zeroize;

use crate::{
    montgomery::{FieldBelow, MontgomeryField},
    weierstrass::Curve,
};

/// ChaCha20 as those tools seed and read it. Its state is erased when dropped.
///
/// ```
/// # use algebra::ChaChaSampler;
/// let mut sampler = ChaChaSampler::from_words([1, 2, 3, 4, 5, 6, 7, 8]);
/// assert_eq!(sampler.next_u32(), 0x8891_120d);
/// ```
pub struct ChaChaSampler(ChaCha20Rng);

impl ChaChaSampler {
    /// A sampler keyed by eight words.
    pub fn from_words(mut words: [u32; 8]) -> Self {
        let mut seed = [0; 32];
        let (bytes, _) = seed.as_chunks_mut::<4>();
        bytes.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
        let sampler = Self(ChaCha20Rng::from_seed(seed));
        seed.zeroize();
        words.zeroize();
        sampler
    }

    /// A sampler keyed by a hash, read as eight big-endian words: from the digest of a beacon, or
    /// the first half of a BLAKE2b-512 digest.
    pub fn from_digest(digest: &[u8; 32]) -> Self {
        let mut words = [0; 8];
        let (bytes, _) = digest.as_chunks::<4>();
        words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = u32::from_be_bytes(*bytes));
        Self::from_words(words)
    }

    /// The next word.
    pub fn next_u32(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// The next two words, the first being the high half.
    pub fn next_u64(&mut self) -> u64 {
        let high = u64::from(self.next_u32());
        high << 32 | u64::from(self.next_u32())
    }

    /// The lowest bit of the next word.
    pub fn next_bool(&mut self) -> bool {
        self.next_u32() & 1 == 1
    }
}

/// An element of a prime field: the integer drawn is its Montgomery representation.
pub(crate) fn sample_field<F: MontgomeryField>(sampler: &mut ChaChaSampler) -> F {
    let spare_bits = 64 * F::MODULUS.as_ref().len() as u32 - F::MODULUS_BIT_SIZE;
    loop {
        let mut integer = F::BigInt::default();
        integer.as_mut().iter_mut().for_each(|limb| *limb = sampler.next_u64());
        if let Some(top) = integer.as_mut().last_mut() {
            *top &= u64::MAX >> spare_bits;
        }
        let element = F::from_representation(integer);
        integer.zeroize();
        if let Some(element) = element {
            return element;
        }
    }
}

/// A point of the prime-order subgroup.
pub(crate) fn sample_point<P: Curve>(sampler: &mut ChaChaSampler) -> Projective<P>
where
    FieldBelow<P>: MontgomeryField,
{
    let degree = P::BaseField::extension_degree() as usize;
    loop {
        let coefficients: Vec<_> = (0..degree).map(|_| sample_field(sampler)).collect();
        let greatest = sampler.next_bool();
        let point = P::BaseField::from_base_prime_field_elems(coefficients)
            .and_then(|x| Affine::<P>::get_point_from_x_unchecked(x, greatest));
        if let Some(point) = point {
            return double_and_add_affine(&point, P::COFACTOR);
        }
    }
}
