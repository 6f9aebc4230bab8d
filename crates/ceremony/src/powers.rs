//! Consecutive powers of a scalar.

use algebra::Scalar;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// `first · base^i`, one after the other; secret ones leave nothing behind.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct Powers<S: Scalar> {
    next: S,
    base: S,
}

impl<S: Scalar> Powers<S> {
    pub(crate) fn new(first: S, base: S) -> Self {
        Self { next: first, base }
    }

    /// The next `count`.
    pub(crate) fn take(&mut self, count: usize) -> Zeroizing<Vec<S>> {
        let mut powers = Zeroizing::new(Vec::with_capacity(count));
        for _ in 0..count {
            powers.push(self.next);
            self.next *= self.base;
        }
        powers
    }
}
