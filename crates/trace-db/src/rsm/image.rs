//! What everybody sees of a dealt share, and what it was made from.

use shuffle::{Column, PointList};
use wire::Encode;
use zeroize::Zeroizing;

use crate::{
    bases::{F, G1},
    paillier::{Ciphertexts, Openings},
};

/// What everybody sees of a share, for each opened row: encryptions of `b_S·G`, and of
/// `(b_c + q·u)·2^512 + b_r + q·u'` with u, u' below 2^128 that hide what the integers would tell;
/// `Z_1^(k) = b_S·G + δ_0·E`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) points: Column<G1>,
    pub(super) integers: Ciphertexts,
    pub(super) commitments: PointList<G1>,
}

/// What an image was made from.
pub(super) struct ImageOpenings {
    /// ρ, b_S and δ_0.
    pub(super) scalars: Zeroizing<[Vec<F>; 3]>,
    pub(super) integers: Openings,
}

/// Counted encryptions of points, counted numbers, `Z_1^(k)`.
impl Encode for Image {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.points.len() as u32).encode(out);
        self.points.encode(out);
        self.integers.encode(out);
        out.extend_from_slice(self.commitments.encoding());
    }
}
