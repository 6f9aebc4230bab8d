//! The matrix of bits: commitments to its rows, and their combination.

use rayon::prelude::*;

use super::Layout;
use crate::commitment::{Point, Scalar};

/// Columns that share a table of subset sums.
const GROUP: usize = 4;
const SUBSETS: usize = 1 << GROUP;

/// `Σ_c B[jS + c]·P_c` for every row `j` that holds a statement: sums of generators, a table lookup
/// for four bits.
pub(super) fn commit_rows(layout: &Layout, values: &[u64], generators: &[Point]) -> Vec<Point> {
    let tables: Vec<[Point; SUBSETS]> = generators.par_chunks(GROUP).map(subset_sums).collect();
    let nibbles = layout.bits() / GROUP;
    let row = |values: &[u64]| {
        let mut sum = Point::default();
        for (value, tables) in values.iter().zip(tables.chunks(nibbles)) {
            let mut rest = *value;
            for table in tables {
                if let Some(entry) = table.get(rest as usize % SUBSETS).filter(|_| rest % 16 != 0) {
                    sum += entry;
                }
                rest >>= GROUP;
            }
        }
        sum
    };
    values.par_chunks(layout.values_per_row()).map(row).collect()
}

fn subset_sums(generators: &[Point]) -> [Point; SUBSETS] {
    let mut sums = [Point::default(); SUBSETS];
    for (index, generator) in generators.iter().enumerate() {
        let (known, fresh) = sums.split_at_mut(1 << index);
        known.iter().zip(fresh).for_each(|(known, fresh)| *fresh = known + generator);
    }
    sums
}

/// `v_c = Σ_j weights_j·B[jS + c]`.
pub(super) fn combine_rows(layout: &Layout, values: &[u64], weights: &[Scalar]) -> Vec<Scalar> {
    let columns = layout.columns();
    let rows = values.par_chunks(layout.values_per_row()).zip(weights);
    let add = |mut sums: Vec<Scalar>, (values, weight): (&[u64], &Scalar)| {
        for (value, sums) in values.iter().zip(sums.chunks_mut(layout.bits())) {
            for (bit, sum) in sums.iter_mut().enumerate() {
                if value >> bit & 1 == 1 {
                    *sum += weight;
                }
            }
        }
        sums
    };
    let merge = |mut left: Vec<Scalar>, right: Vec<Scalar>| {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
        left
    };
    let zeros = || vec![Scalar::ZERO; columns];
    rows.fold(zeros, add).reduce(zeros, merge)
}
