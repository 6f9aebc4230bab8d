//! The streaming form of the multi-scalar multiplication.

use ark_ec::short_weierstrass::{Affine, Projective};

use super::buckets::BucketMsm;
use crate::{MsmStream, weierstrass::Curve};

/// Buckets for full and for short scalars, each made when the first of its kind arrives.
pub struct Stream<P: Curve> {
    expected: usize,
    full: Option<BucketMsm<P>>,
    short: Option<BucketMsm<P>>,
}

impl<P: Curve> Stream<P> {
    pub(crate) fn add(&mut self, scalars: &[P::ScalarField], points: &[Affine<P>]) {
        self.full.get_or_insert_with(|| BucketMsm::new(self.expected)).push(scalars, points);
    }

    pub(crate) fn add_short(&mut self, scalars: &[u128], points: &[Affine<P>]) {
        let short = self.short.get_or_insert_with(|| BucketMsm::new_short(self.expected));
        short.push_short(scalars, points);
    }

    pub(crate) fn sum(self) -> Projective<P> {
        self.full.into_iter().chain(self.short).map(|buckets| buckets.finish()).sum()
    }
}

impl<P: Curve> MsmStream<Projective<P>> for Stream<P> {
    fn new(expected: usize) -> Self {
        Self { expected, full: None, short: None }
    }

    fn push(&mut self, scalars: &[P::ScalarField], points: &[Affine<P>]) {
        P::push(self, scalars, points);
    }

    fn push_short(&mut self, scalars: &[u128], points: &[Affine<P>]) {
        P::push_short(self, scalars, points);
    }

    fn finish(self) -> Projective<P> {
        P::finish(self)
    }
}
