//! Points that keep their encoding, so that hashing and sending them again is free.

use algebra::{Group, PointError};
use rand_core::CryptoRng;

/// A list of points together with its canonical encoding.
///
/// Encoding a ristretto255 point costs as much as adding thirty; transcripts and files both want
/// the bytes, so they are computed once, or kept from decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointList<G: Group> {
    points: Vec<G>,
    encoding: Vec<u8>,
}

impl<G: Group> PointList<G> {
    /// Encodes points.
    pub fn new(points: Vec<G>) -> Self {
        Self { encoding: G::encode_all(&points), points }
    }

    /// Decodes `bytes.len() / ENCODED_LEN` points.
    ///
    /// # Errors
    /// [`PointError`] with the lowest index that does not decode.
    pub fn decode(bytes: &[u8]) -> Result<Self, PointError> {
        Ok(Self { points: G::decode_all(bytes)?, encoding: bytes.to_vec() })
    }

    /// [`PointList::decode`] with the points' subgroup checked together: see
    /// [`Group::decode_batch`].
    ///
    /// # Errors
    /// [`PointError`] with the lowest index that does not decode.
    pub fn decode_batch(
        bytes: &[u8],
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, PointError> {
        Ok(Self { points: G::decode_batch(bytes, rng)?, encoding: bytes.to_vec() })
    }

    /// The first `rows` points, and the others.
    pub(crate) fn split_at(&self, rows: usize) -> (Self, Self) {
        let (points, others) = self.points.split_at(rows.min(self.points.len()));
        let (encoding, rest) = self.encoding.split_at(points.len() * G::ENCODED_LEN);
        let list = |points: &[G], encoding: &[u8]| Self {
            points: points.to_vec(),
            encoding: encoding.to_vec(),
        };
        (list(points, encoding), list(others, rest))
    }

    /// The points.
    pub fn points(&self) -> &[G] {
        &self.points
    }

    /// Their encodings, one after the other.
    pub fn encoding(&self) -> &[u8] {
        &self.encoding
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}
