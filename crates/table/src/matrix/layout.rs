//! Where bits, rows and columns are.

use algebra::Group as _;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

use crate::commitment::{Point, Scalar};

/// `lg` of the bits of a shard, which bounds memory.
pub(crate) const MAX_STATEMENTS_BITS: u32 = 25;

/// The shape of a proof about `n` statements of `b` bits.
///
/// Index `z = i·b + k` stands for bit `k` of `d_i`; bit `t` of `z` is variable `z_t`, so that the
/// first `lg b` variables are `k`. Column `c` is the low `σ` bits of `z`, row `j` the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// `n ≥ 1`.
    pub(crate) count: usize,
    /// `lg b`.
    pub(crate) bit_vars: u32,
    /// `A = ⌈lg n⌉`.
    pub(crate) index_vars: u32,
    /// `σ`.
    pub(crate) column_vars: u32,
}

impl Layout {
    /// The shape; `None` for no statements, too many, or widths that are not 8, 16, 32 or 64.
    pub(crate) fn new(count: usize, bits: u32) -> Option<Self> {
        if count == 0 || !matches!(bits, 8 | 16 | 32 | 64) {
            return None;
        }
        let bit_vars = bits.ilog2();
        let index_vars = count.checked_next_power_of_two()?.ilog2();
        let vars = index_vars + bit_vars;
        let column_vars = bit_vars.max(vars.div_ceil(2));
        let layout = Self { count, bit_vars, index_vars, column_vars };
        (vars <= MAX_STATEMENTS_BITS).then_some(layout)
    }

    /// `b`.
    pub(crate) fn bits(&self) -> usize {
        1 << self.bit_vars
    }

    /// `m`, the number of variables.
    pub(crate) fn vars(&self) -> u32 {
        self.index_vars + self.bit_vars
    }

    /// `S = 2^σ`, the columns.
    pub(crate) fn columns(&self) -> usize {
        1 << self.column_vars
    }

    /// Statements that share a row.
    pub(crate) fn values_per_row(&self) -> usize {
        1 << (self.column_vars - self.bit_vars)
    }

    /// `q`: the rows that hold a statement.
    pub(crate) fn rows(&self) -> usize {
        self.count.div_ceil(self.values_per_row())
    }

    /// Bytes of a proof: `32q + 96m + 64σ + 288`.
    pub(crate) fn proof_len(&self) -> usize {
        32 * self.rows() + 96 * self.vars() as usize + 64 * self.column_vars as usize + 288
    }
}

/// `P_c`: generators of the columns, hashed from their numbers.
pub(super) fn generators(count: usize) -> Vec<Point> {
    static KNOWN: Mutex<Vec<Point>> = Mutex::new(Vec::new());
    // Generators are appended all at once: those that are there are right.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let missing = known.len() as u64..count as u64;
    known.par_extend(missing.into_par_iter().map(|index| {
        Point::hash_to_group(&[&b"subrosa/table/v1/P"[..], &index.to_le_bytes()].concat())
    }));
    known.iter().take(count).copied().collect()
}

/// `2^(2^t)`: the factor that bit `t` of `k` puts into the weight of a bit.
pub(super) fn bit_weight(var: u32) -> Scalar {
    (0..var).fold(Scalar::from(2_u64), |power, _| power * power)
}
