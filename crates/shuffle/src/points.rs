//! Points that keep their encoding, so that hashing and sending them again is free.

use algebra::{Group, PointError};

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
