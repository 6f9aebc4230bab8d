//! From points per row to points per wire: `[u_i(τ)]` and its like.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Scalar};
use circuit::PointList;
use rayon::prelude::*;

use super::CHUNK;
use crate::Error;

/// The Lagrange points of a domain, read row after row.
pub(super) struct RowPoints<G: CurveGroup> {
    list: PointList<G>,
    is_checked: bool,
    start: u64,
    points: Vec<Affine<G>>,
}

impl<G: CurveGroup> RowPoints<G> {
    /// Points that must be in the subgroup.
    pub fn checked(list: PointList<G>) -> Self {
        Self { list, is_checked: true, start: 0, points: Vec::new() }
    }

    /// Points that were checked when they were read before.
    pub fn trusted(list: PointList<G>) -> Self {
        Self { is_checked: false, ..Self::checked(list) }
    }

    /// The point of a row, which is not before the one asked for last.
    pub fn at(&mut self, row: u32, reader: &mut (impl Read + Seek)) -> Result<Affine<G>, Error> {
        let row = u64::from(row);
        let position = |start| row.checked_sub(start).and_then(|at| usize::try_from(at).ok());
        if let Some(point) = position(self.start).and_then(|at| self.points.get(at)) {
            return Ok(*point);
        }
        let count = self.list.len().saturating_sub(row).clamp(1, CHUNK as u64) as usize;
        self.points = self.list.read(reader, row, count)?;
        if self.is_checked {
            self.list.check_subgroup(row, &self.points)?;
        }
        self.start = row;
        // One point or more was read.
        Ok(self.points.first().copied().unwrap_or_else(G::affine_identity))
    }
}

/// For each wire, a sum of multiples of points.
pub(super) struct WireSums<G: CurveGroup> {
    sums: Vec<G>,
    /// Terms not added yet, as `(wire, point)`, and the factors of the first among them; the others
    /// have factor 1.
    wires: Vec<u32>,
    points: Vec<Affine<G>>,
    factors: Vec<G::Scalar>,
    plain: Vec<(u32, Affine<G>)>,
}

impl<G: CurveGroup> WireSums<G> {
    /// For so many wires; any other is ignored.
    pub fn new(wires: u32) -> Self {
        let sums = vec![G::identity(); wires as usize];
        let (wires, points, factors, plain) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { sums, wires, points, factors, plain }
    }

    /// Adds `factor · point` to the sum of a wire, for each wire of a linear combination.
    pub fn add(&mut self, combination: &[(u32, G::Scalar)], point: Affine<G>) {
        for &(wire, factor) in combination {
            if factor == G::Scalar::one() {
                self.plain.push((wire, point));
            } else {
                self.wires.push(wire);
                self.points.push(point);
                self.factors.push(factor);
            }
        }
        if self.plain.len() + self.points.len() >= CHUNK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        G::scale_each(&mut self.points, &self.factors);
        self.plain.extend(self.wires.drain(..).zip(self.points.drain(..)));
        self.factors.clear();
        // Each thread goes through all the terms and adds those of its wires.
        let share = self.sums.len().div_ceil(rayon::current_num_threads()).max(1);
        let terms = &self.plain;
        self.sums.par_chunks_mut(share).enumerate().for_each(|(index, sums)| {
            for (wire, point) in terms {
                let position = (*wire as usize).checked_sub(index * share);
                if let Some(sum) = position.and_then(|position| sums.get_mut(position)) {
                    *sum = sum.add_precomputed(point);
                }
            }
        });
        self.plain.clear();
    }

    /// The sums.
    pub fn finish(mut self) -> Vec<Affine<G>> {
        self.flush();
        self.sums.par_chunks(CHUNK).flat_map_iter(|sums| G::to_affine_all(sums)).collect()
    }
}
