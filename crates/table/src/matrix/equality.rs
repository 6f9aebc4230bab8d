//! `eq(x, z) = Π_t (x_t z_t + (1 − x_t)(1 − z_t))`.

use crate::commitment::Scalar;

/// `eq(point, z)` for every `z`, variable 0 least significant.
pub(super) fn table(point: &[Scalar]) -> Vec<Scalar> {
    let mut table = vec![Scalar::ONE];
    for coordinate in point {
        let high: Vec<Scalar> = table.iter().map(|entry| entry * coordinate).collect();
        table.iter_mut().zip(&high).for_each(|(low, high)| *low -= high);
        table.extend(high);
    }
    table
}

/// `eq` of two points.
pub(super) fn at(left: &[Scalar], right: &[Scalar]) -> Scalar {
    let factor = |(x, z): (&Scalar, &Scalar)| {
        let product = x * z;
        product + product - x - z + Scalar::ONE
    };
    left.iter().zip(right).map(factor).product()
}

/// `eq(point, ·)` as an outer product of two small tables, so that the whole is never stored.
pub(super) struct Split {
    pub(super) low: Vec<Scalar>,
    pub(super) high: Vec<Scalar>,
}

impl Split {
    pub(super) fn new(point: &[Scalar]) -> Self {
        let (low, high) = point.split_at(point.len().div_ceil(2));
        Self { low: table(low), high: table(high) }
    }
}
