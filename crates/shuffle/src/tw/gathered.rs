//! Sums of multiples over many lists of points.

use algebra::Group;

/// Points that are multiplied out together. More gain nothing, and are copied.
const BATCH: usize = 1 << 16;

/// `Σ scalars_i · points_i` over all lists that were added. One multi-scalar multiplication of many points costs
/// less than many of few.
pub(super) struct Gathered<G: Group> {
    sum: G,
    scalars: Vec<G::Scalar>,
    points: Vec<G>,
}

impl<G: Group> Gathered<G> {
    pub(super) fn new() -> Self {
        Self { sum: G::identity(), scalars: Vec::new(), points: Vec::new() }
    }

    /// Adds the terms of a list: as many as the shorter of the two has.
    pub(super) fn add(&mut self, scalars: &[G::Scalar], points: &[G]) {
        if self.points.len() + points.len() > BATCH {
            self.multiply_out();
        }
        if points.len() > BATCH {
            self.sum += G::msm(scalars, points);
            return;
        }
        let terms = scalars.iter().zip(points);
        for (scalar, point) in terms {
            self.scalars.push(*scalar);
            self.points.push(*point);
        }
    }

    fn multiply_out(&mut self) {
        self.sum += G::msm(&self.scalars, &self.points);
        self.scalars.clear();
        self.points.clear();
    }

    /// The sum.
    pub(super) fn finish(mut self) -> G {
        self.multiply_out();
        self.sum
    }
}
