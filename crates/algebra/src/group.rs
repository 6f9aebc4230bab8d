//! The trait that protocols are written against.

use std::{
    fmt::Debug,
    iter::Sum,
    ops::{Add, AddAssign, Neg, Sub, SubAssign},
};

use rand_core::CryptoRng;
use rayon::prelude::*;
use thiserror::Error;
use zeroize::{Zeroize, Zeroizing};

use crate::Scalar;

/// Why bytes are not a group element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PointError {
    /// The encoding has the wrong number of bytes.
    #[error("point {index} is cut short or has extra bytes")]
    Length {
        /// Position in the decoded list; 0 for a single point.
        index: usize,
    },
    /// Not the canonical encoding of a point of the curve.
    #[error("point {index} is not a canonical encoding of a curve point")]
    Encoding {
        /// Position in the decoded list; 0 for a single point.
        index: usize,
    },
    /// On the curve, outside the prime-order subgroup.
    #[error("point {index} is outside the prime-order subgroup")]
    Subgroup {
        /// Position in the decoded list; 0 for a single point.
        index: usize,
    },
}

impl PointError {
    /// Position in the decoded list; 0 for a single point.
    pub fn index(self) -> usize {
        match self {
            Self::Length { index } | Self::Encoding { index } | Self::Subgroup { index } => index,
        }
    }

    /// The same reason, for position `index` of a list.
    #[must_use]
    pub fn at(self, index: usize) -> Self {
        match self {
            Self::Length { .. } => Self::Length { index },
            Self::Encoding { .. } => Self::Encoding { index },
            Self::Subgroup { .. } => Self::Subgroup { index },
        }
    }
}

/// A group of prime order, written additively.
pub trait Group:
    Copy
    + Debug
    + Eq
    + Send
    + Sync
    + Zeroize
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Sum
    + 'static
{
    /// Integers modulo the group order.
    type Scalar: Scalar;

    /// A point in the form that is cheapest to add repeatedly.
    type Precomputed: Copy + Send + Sync + 'static;

    /// The name that transcripts and file headers carry.
    const NAME: &'static str;

    /// Bytes of an encoded point.
    const ENCODED_LEN: usize;

    /// The neutral element.
    fn identity() -> Self;

    /// The standard generator.
    fn generator() -> Self;

    /// Whether this is the neutral element.
    fn is_identity(&self) -> bool {
        *self == Self::identity()
    }

    /// The sum of the point with itself.
    #[must_use]
    fn double(&self) -> Self {
        *self + *self
    }

    /// Multiplication by a scalar; constant time on ristretto255.
    #[must_use]
    fn mul(&self, scalar: &Self::Scalar) -> Self;

    /// Multiplication of every point by the same scalar, on all threads of the current rayon pool; constant time on
    /// ristretto255.
    fn mul_all(points: &[Self], scalar: &Self::Scalar) -> Vec<Self> {
        points.par_iter().map(|point| point.mul(scalar)).collect()
    }

    /// Multiplication of the generator; constant time on ristretto255.
    #[must_use]
    fn mul_generator(scalar: &Self::Scalar) -> Self;

    /// `sum_i scalars_i · points_i` over the shorter of the two, on all threads of the current
    /// rayon pool. Variable time.
    fn msm(scalars: &[Self::Scalar], points: &[Self]) -> Self;

    /// [`Group::msm`] with 128-bit scalars, at about half its price.
    fn msm_short(scalars: &[u128], points: &[Self]) -> Self;

    /// A generator that nobody knows a relation to, from a label.
    fn hash_to_group(label: &[u8]) -> Self;

    /// A uniformly random point of unknown logarithm.
    fn random(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let mut label = Zeroizing::new([0; 64]);
        rng.fill_bytes(label.as_mut());
        Self::hash_to_group(label.as_ref())
    }

    /// The canonical encoding, [`Group::ENCODED_LEN`] bytes.
    fn encode(&self) -> Vec<u8>;

    /// The encoding of the generator.
    fn encoded_generator() -> Vec<u8> {
        Self::generator().encode()
    }

    /// Decodes a canonical encoding, checking curve and subgroup. The neutral element decodes;
    /// where a protocol forbids it, the protocol checks.
    ///
    /// # Errors
    /// [`PointError`] with index 0.
    fn decode(bytes: &[u8]) -> Result<Self, PointError>;

    /// The encodings of many points, one after the other.
    fn encode_all(points: &[Self]) -> Vec<u8> {
        points.par_iter().flat_map_iter(Self::encode).collect()
    }

    /// Decodes `bytes.len() / ENCODED_LEN` points on all threads.
    ///
    /// # Errors
    /// [`PointError`] with the lowest index that does not decode.
    fn decode_all(bytes: &[u8]) -> Result<Vec<Self>, PointError> {
        let decoded: Vec<_> = bytes.par_chunks(Self::ENCODED_LEN).map(Self::decode).collect();
        let indexed = decoded.into_iter().enumerate();
        indexed.map(|(index, point)| point.map_err(|error| error.at(index))).collect()
    }

    /// [`Group::decode_all`] with the points' subgroup checked together, where there is one to be
    /// checked and that takes less time. It accepts a point outside with probability below 2^-128,
    /// if `rng` was not known to whoever wrote the bytes: draw from the system, after they are fixed.
    ///
    /// # Errors
    /// [`PointError`] with the lowest index that does not decode.
    fn decode_batch(
        bytes: &[u8],
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Vec<Self>, PointError> {
        // This one checks every point by itself, and draws nothing.
        let _ = rng;
        Self::decode_all(bytes)
    }

    /// Brings points into the form that [`Group::add_precomputed`] takes.
    fn precompute(points: &[Self]) -> Vec<Self::Precomputed>;

    /// `self + point`.
    #[must_use]
    fn add_precomputed(&self, point: &Self::Precomputed) -> Self;

    /// `self − point`.
    #[must_use]
    fn sub_precomputed(&self, point: &Self::Precomputed) -> Self;

    /// Whether [`Group::sum_precomputed`] gives sums.
    fn sums_in_lanes() -> bool {
        false
    }

    /// The sums of lists of points by the vector kernels; `None` where there are none, or they do not run. A
    /// term is the index of a point, with the highest bit set if it is to be subtracted; list i has the terms from
    /// `starts[i]` to `starts[i + 1]`.
    fn sum_precomputed(
        points: &[Self::Precomputed],
        terms: &[u32],
        starts: &[u32],
    ) -> Option<Vec<Self>> {
        let _ = (points, terms, starts);
        None
    }
}

/// Groups that carry short byte strings as points, so that ElGamal encrypts them directly.
pub trait Embed: Group {
    /// Bytes that one point carries.
    const CAPACITY: usize;

    /// The point of a message; shorter messages are padded with zeros. Constant time on
    /// ristretto255.
    ///
    /// # Errors
    /// [`PointError::Length`] if the message is longer than [`Embed::CAPACITY`].
    fn embed(message: &[u8]) -> Result<Self, PointError>;

    /// The message of a point, [`Embed::CAPACITY`] bytes; `None` if the point carries none.
    fn extract(&self) -> Option<Vec<u8>>;
}
