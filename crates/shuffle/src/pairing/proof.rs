//! What a prover of FLSZ17 or tFLSZ publishes besides the outputs.

use algebra::{Group, Pairing};
use wire::{DecodeError, Encode, Reader};

use super::Scheme;
use crate::{Column, PointList, ShuffleError, encode};

/// The proof that columns of n rows moved by one permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShuffleProof<E: Pairing> {
    /// `A_i`: unit vectors, committed to in G1; FLSZ17 leaves out the last.
    pub a: PointList<E::G1>,
    /// `B_i`: the same in G2.
    pub b: PointList<E::G2>,
    /// `Â_i`: the same unit vectors in the basis `P̂`; the last is left out.
    pub a_hat: PointList<E::G1>,
    /// `C_i`: that each `A_i` is a unit vector.
    pub unit: PointList<E::G1>,
    /// `D_i`: that `A_i` and `Â_i` are the same.
    pub same: PointList<E::G1>,
    /// `t`: the re-encryption randomness under `P̂`, for every column.
    pub t: PointList<E::G1>,
    /// `N`: what the randomness of `Â` contributes, for every column.
    pub n: Column<E::G2>,
}

impl<E: Pairing> ShuffleProof<E> {
    /// Bytes of a proof about `columns` columns of n rows.
    pub fn encoded_len(scheme: Scheme, n: usize, columns: usize) -> usize {
        let sent = scheme.rows_sent(n);
        (sent + n.saturating_sub(1) + 2 * n + columns) * E::G1::ENCODED_LEN
            + (sent + 2 * columns) * E::G2::ENCODED_LEN
    }

    /// Reads what [`Encode`] writes.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but canonical points of the groups.
    pub fn decode(
        reader: &mut Reader<'_>,
        scheme: Scheme,
        n: usize,
        columns: usize,
    ) -> Result<Self, DecodeError> {
        let sent = scheme.rows_sent(n);
        Ok(Self {
            a: encode::point_list(reader, "A", sent)?,
            b: encode::point_list(reader, "B", sent)?,
            a_hat: encode::point_list(reader, "A hat", n.saturating_sub(1))?,
            unit: encode::point_list(reader, "C", n)?,
            same: encode::point_list(reader, "D", n)?,
            t: encode::point_list(reader, "t", columns)?,
            n: encode::column(reader, "N", columns)?,
        })
    }

    pub(crate) fn require_lengths(
        &self,
        scheme: Scheme,
        n: usize,
        columns: usize,
    ) -> Result<(), ShuffleError> {
        let sent = scheme.rows_sent(n);
        let lengths = [
            ("A", self.a.len(), sent),
            ("B", self.b.len(), sent),
            ("A hat", self.a_hat.len(), n.saturating_sub(1)),
            ("C", self.unit.len(), n),
            ("D", self.same.len(), n),
            ("t", self.t.len(), columns),
            ("N", self.n.len(), columns),
        ];
        match lengths.into_iter().find(|(_, got, expected)| got != expected) {
            Some((what, got, expected)) => Err(ShuffleError::Length { what, expected, got }),
            None => Ok(()),
        }
    }
}

/// The points in the order of the fields.
impl<E: Pairing> Encode for ShuffleProof<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.a.encoding());
        out.extend_from_slice(self.b.encoding());
        for list in [&self.a_hat, &self.unit, &self.same, &self.t] {
            out.extend_from_slice(list.encoding());
        }
        self.n.encode(out);
    }
}
