//! The scalar field of a prime-order group.

use std::{
    fmt::Debug,
    iter::Sum,
    ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign},
};

use rand_core::CryptoRng;
use thiserror::Error;
use zeroize::{Zeroize, Zeroizing};

use crate::parallel;

/// Scalars that one thread decodes at a time.
const DECODE_CHUNK: usize = 1 << 10;

/// Why 32 bytes are not a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("scalar {index} is not reduced modulo the group order")]
pub struct ScalarError {
    /// Position in the decoded list; 0 for a single scalar.
    pub index: usize,
}

/// An element of the field of integers modulo a group's prime order, 2^252 < order < 2^255.
///
/// Scalars travel as 32 bytes, little-endian and reduced.
pub trait Scalar:
    Copy
    + Debug
    + Default
    + Eq
    + Send
    + Sync
    + Zeroize
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
    + 'static
{
    /// Bytes of an encoded scalar.
    const ENCODED_LEN: usize = 32;

    /// The additive identity.
    fn zero() -> Self;

    /// The multiplicative identity.
    fn one() -> Self;

    /// The scalar of a small integer.
    fn from_u64(value: u64) -> Self {
        Self::from_u128(value.into())
    }

    /// The scalar of a 128-bit integer, such as a short challenge.
    fn from_u128(value: u128) -> Self;

    /// Reduces 64 bytes, read as a little-endian integer. Uniform bytes give a scalar whose
    /// distance from uniform is below 2^-256.
    fn from_wide(bytes: &[u8; 64]) -> Self;

    /// A uniformly random scalar.
    fn random(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let mut wide = Zeroizing::new([0; 64]);
        rng.fill_bytes(wide.as_mut());
        Self::from_wide(&wide)
    }

    /// `count` uniformly random scalars.
    fn random_many(count: usize, rng: &mut (impl CryptoRng + ?Sized)) -> Vec<Self> {
        (0..count).map(|_| Self::random(rng)).collect()
    }

    /// The multiplicative inverse; `None` for zero. Variable time.
    fn invert(&self) -> Option<Self>;

    /// The canonical encoding.
    fn encode(&self) -> [u8; 32];

    /// Decodes a canonical encoding.
    ///
    /// # Errors
    /// [`ScalarError`] if the integer is not below the group order.
    fn decode(bytes: &[u8; 32]) -> Result<Self, ScalarError>;

    /// The encodings of many scalars, one after the other.
    fn encode_all(scalars: &[Self]) -> Vec<u8> {
        scalars.iter().flat_map(Self::encode).collect()
    }

    /// Decodes `bytes.len() / 32` scalars on all threads.
    ///
    /// # Errors
    /// [`ScalarError`] with the index of the first that is not reduced; a trailing part of an
    /// encoding counts as such.
    fn decode_all(bytes: &[u8]) -> Result<Vec<Self>, ScalarError> {
        let (chunks, rest) = bytes.as_chunks::<32>();
        if !rest.is_empty() {
            return Err(ScalarError { index: chunks.len() });
        }
        let decoded = parallel::chunks(chunks, DECODE_CHUNK, |piece, chunks| {
            let decode = |(at, chunk)| {
                let index = piece * DECODE_CHUNK + at;
                Self::decode(chunk).map_err(|_| ScalarError { index })
            };
            chunks.iter().enumerate().map(decode).collect::<Result<Vec<_>, _>>()
        });
        Ok(decoded.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Inverts every scalar in place with one inversion (Montgomery's trick); zeros stay zero.
    fn batch_invert(scalars: &mut [Self]) {
        let mut prefix = Zeroizing::new(Vec::with_capacity(scalars.len()));
        let mut product = Self::one();
        for &scalar in scalars.iter().filter(|s| **s != Self::zero()) {
            prefix.push(product);
            product *= scalar;
        }
        // A product of scalars that are not zero is not zero, and each of them pushed its prefix.
        let mut inverse = product.invert().unwrap_or_default();
        for scalar in scalars.iter_mut().rev().filter(|s| **s != Self::zero()) {
            let before = prefix.pop().unwrap_or_default();
            let next = inverse * *scalar;
            *scalar = inverse * before;
            inverse = next;
        }
    }
}

/// `sum_i left_i · right_i`, over the shorter of the two.
pub fn inner_product<S: Scalar>(left: &[S], right: &[S]) -> S {
    left.iter().zip(right).map(|(&l, &r)| l * r).sum()
}
