//! Whether the points of a list are consecutive powers of `τ`, times the first.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup};
use circuit::PointList;
use rand_core::CryptoRng;

use crate::{CHUNK, Error, equations::random_weights};

/// Random linear combinations of a list without its last point, and of the list without its first:
/// if every point is `τ` times the one before, the second is `τ` times the first, and otherwise with
/// probability 2^−128.
///
/// The weights are drawn chunk by chunk and leave this function to nobody, hence whoever made the
/// points knows no weight.
pub(crate) struct Shift<G> {
    pub truncated: G,
    pub shifted: G,
    /// The weight of the last point seen, as the predecessor of the next.
    carried: Option<u128>,
}

impl<G: CurveGroup> Shift<G> {
    pub(crate) fn new() -> Self {
        Self { truncated: G::identity(), shifted: G::identity(), carried: None }
    }

    /// Adds points, which follow those before; the last point of the list comes with `is_last`.
    pub(crate) fn push(
        &mut self,
        points: &[Affine<G>],
        is_last: bool,
        rng: &mut (impl CryptoRng + ?Sized),
    ) {
        let own = random_weights(points.len() - usize::from(is_last), rng);
        let skipped = usize::from(self.carried.is_none());
        let mut predecessors = Vec::with_capacity(points.len());
        predecessors.extend(self.carried);
        predecessors.extend(&own);
        self.carried = own.last().copied();
        self.truncated += G::msm_short_affine(&own, points);
        // If there is no point to skip there is no successor.
        let successors = points.get(skipped..).unwrap_or_default();
        self.shifted += G::msm_short_affine(&predecessors, successors);
    }
}

/// The first point that is not `τ` times the one before, in a list where there is one. `is_tau` says
/// whether the second point is `τ` times the first.
pub(crate) fn first_break<G: CurveGroup>(
    list: &PointList<G>,
    reader: &mut (impl Read + Seek),
    is_tau: impl Fn(&Shift<G>) -> bool,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<u64, Error> {
    // Among the points from `start` to `end`, both included.
    let (mut start, mut end) = (0, list.len() - 1);
    while end - start > 1 {
        let middle = start + (end - start) / 2;
        let part = list.part(start, middle - start + 1)?;
        let mut shift = Shift::new();
        for chunk in part.chunks(reader, CHUNK) {
            let (first, points) = chunk?;
            let is_last = first + points.len() as u64 == part.len();
            shift.push(&points, is_last, rng);
        }
        match is_tau(&shift) {
            true => start = middle,
            false => end = middle,
        }
    }
    Ok(end)
}
