//! Columns of ciphertexts, the lists that a shuffle moves.

use algebra::{Group, PointError};
use rayon::prelude::*;

use crate::{Ciphertext, PointList};

/// One ciphertext per row, kept as two lists of points: both proofs and multi-scalar
/// multiplications work by component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column<G: Group> {
    c1: PointList<G>,
    c2: PointList<G>,
}

impl<G: Group> Column<G> {
    /// Gathers and encodes ciphertexts.
    pub fn new(ciphertexts: &[Ciphertext<G>]) -> Self {
        let (c1, c2) =
            ciphertexts.par_iter().map(|ciphertext| (ciphertext.c1, ciphertext.c2)).unzip();
        Self { c1: PointList::new(c1), c2: PointList::new(c2) }
    }

    /// The column of `n` first components followed by `n` second components.
    ///
    /// # Errors
    /// [`PointError::Length`] if the number of points is odd.
    pub fn from_components(points: &PointList<G>) -> Result<Self, PointError> {
        let rows = points.len() / 2;
        let (c1, c2) = points.split_at(rows);
        match c1.len() == c2.len() {
            true => Ok(Self { c1, c2 }),
            false => Err(PointError::Length { index: rows }),
        }
    }

    /// Decodes `n` first components followed by `n` second components.
    ///
    /// # Errors
    /// [`PointError`] with the position of the point that does not decode, counted over both.
    pub fn decode(bytes: &[u8]) -> Result<Self, PointError> {
        Self::from_components(&PointList::decode(bytes)?)
    }

    /// The canonical encoding: all first components, then all second components.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.components().iter().for_each(|component| out.extend_from_slice(component.encoding()));
    }

    /// First and second components.
    pub fn components(&self) -> [&PointList<G>; 2] {
        [&self.c1, &self.c2]
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.c1.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.c1.is_empty()
    }

    /// The ciphertexts, row by row.
    pub fn ciphertexts(&self) -> Vec<Ciphertext<G>> {
        let rows = self.c1.points().iter().zip(self.c2.points());
        rows.map(|(&c1, &c2)| Ciphertext { c1, c2 }).collect()
    }
}
