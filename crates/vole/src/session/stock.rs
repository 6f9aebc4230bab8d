//! What a party has between two messages: unused correlations, and claims that wait for a check.

use zeroize::{Zeroize, Zeroizing};

use crate::{
    field::{Fp, Gf64, MacField, PerField},
    polynomial::Side,
    session::Session,
};

/// Unused correlations, as they came. Each is used once.
pub struct Unused<T: Zeroize> {
    batches: Vec<Zeroizing<Vec<T>>>,
    len: usize,
}

impl<T: Zeroize> Default for Unused<T> {
    fn default() -> Self {
        Self { batches: Vec::new(), len: 0 }
    }
}

/// Correlations of a batch: a batch that is used up frees its memory. The crate's own tests take so few
/// that small stocks end before, at and behind the end of a batch.
const BATCH: usize = if cfg!(test) { 3 } else { 1 << 20 };

impl<T: Zeroize> Unused<T> {
    pub fn len(&self) -> usize {
        self.len
    }

    #[cfg(test)]
    pub fn iter(&self) -> impl Iterator<Item = T>
    where
        T: Copy,
    {
        self.batches.iter().flat_map(|batch| batch.iter().copied())
    }

    pub fn put(&mut self, mut batch: Zeroizing<Vec<T>>) {
        self.len += batch.len();
        while batch.len() > BATCH {
            let rest = batch.len() - BATCH;
            self.batches.push(Zeroizing::new(batch.split_off(rest)));
            batch.shrink_to_fit();
        }
        self.batches.push(batch);
    }

    /// `count` of them, or fewer if there are not so many.
    pub fn take(&mut self, count: usize) -> Vec<T> {
        let mut taken = Vec::new();
        taken.reserve_exact(count.min(self.len));
        while taken.len() < count {
            let Some(batch) = self.batches.last_mut() else { break };
            let kept = batch.len().saturating_sub(count - taken.len());
            taken.extend(batch.drain(kept..));
            if batch.is_empty() {
                self.batches.pop();
            }
        }
        self.len -= taken.len();
        taken
    }
}

/// A party's stock of one field, and the claims.
pub struct Stock<S: Session, F: MacField> {
    pub unused: Unused<S::Linear<F>>,
    /// Values that are claimed to be zero.
    pub zeros: Vec<S::Linear<F>>,
    /// a, b and c that are claimed to fulfil a b = c.
    pub products: Vec<[S::Linear<F>; 3]>,
    /// Results of computations that are claimed to be zero.
    pub claims: Vec<S::Commitment<F>>,
    /// What is shown with the next proof.
    pub shown: Vec<Showing<S, F>>,
}

/// Values that are shown with a proof, and proven to be what was committed to.
pub enum Showing<S: Session, F: MacField> {
    /// Inputs, or sums of them.
    Linear(Vec<S::Linear<F>>),
    /// Results of computations.
    Computed(Vec<S::Commitment<F>>),
}

impl<S: Session, F: MacField> Showing<S, F> {
    pub fn len(&self) -> usize {
        match self {
            Self::Linear(values) => values.len(),
            Self::Computed(values) => values.len(),
        }
    }

    /// At the prover.
    pub fn values(&self) -> Vec<F::Value> {
        match self {
            Self::Linear(values) => values.iter().map(S::peek::<F>).collect(),
            Self::Computed(values) => values.iter().map(Side::peek).collect(),
        }
    }

    fn degree(&self) -> usize {
        match self {
            Self::Linear(_) => 1,
            Self::Computed(values) => {
                // No values need no proof.
                values.iter().map(|value| value.degree().max(1)).max().unwrap_or(0)
            }
        }
    }
}

/// What is shown with the next proof.
pub type Shown<S> = PerField<Vec<Showing<S, Gf64>>, Vec<Showing<S, Fp>>>;

/// A party's stock.
pub type Stocks<S> = PerField<Stock<S, Gf64>, Stock<S, Fp>>;

impl<S: Session> Stocks<S> {
    pub fn put(
        &mut self,
        bits: Zeroizing<Vec<S::Linear<Gf64>>>,
        values: Zeroizing<Vec<S::Linear<Fp>>>,
    ) {
        self.bits.unused.put(bits);
        self.values.unused.put(values);
    }

    /// What is to be shown.
    pub fn take_shown(&mut self) -> Shown<S> {
        let (bits, values) = (&mut self.bits.shown, &mut self.values.shown);
        PerField { bits: std::mem::take(bits), values: std::mem::take(values) }
    }

    /// As before [`Self::take_shown`].
    pub fn put_shown(&mut self, shown: Shown<S>) {
        (self.bits.shown, self.values.shown) = (shown.bits, shown.values);
    }
}

impl<S: Session, F: MacField> Default for Stock<S, F> {
    fn default() -> Self {
        Self {
            unused: Unused::default(),
            zeros: Vec::new(),
            products: Vec::new(),
            claims: Vec::new(),
            shown: Vec::new(),
        }
    }
}

impl<S: Session, F: MacField> Stock<S, F> {
    /// The degree of a proof of these claims, 0 if there are none.
    pub fn degree(&self) -> usize {
        let claims = self.claims.iter().map(|claim| claim.degree().max(1)).max().unwrap_or(0);
        let zeros = usize::from(!self.zeros.is_empty());
        let shown = self.shown.iter().map(Showing::degree).max().unwrap_or(0);
        claims.max(zeros).max(shown).max(2 * usize::from(!self.products.is_empty()))
    }

    /// How many values are shown with the next proof.
    pub fn showing(&self) -> usize {
        self.shown.iter().map(Showing::len).sum()
    }

    /// The values that are shown, at the prover.
    pub fn own_values(&self) -> Vec<F::Value> {
        self.shown.iter().flat_map(Showing::values).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that was put is taken, and nothing twice.
    #[test]
    fn stocks_of_every_size() {
        for len in 0..=2 * BATCH as u32 + 1 {
            for first in 0..=len {
                for size in 1..=len.max(1) as usize {
                    let mut unused = Unused::default();
                    unused.put(Zeroizing::new((0..first).collect()));
                    unused.put(Zeroizing::new((first..len).collect()));
                    assert_eq!(unused.len(), len as usize);
                    let mut taken = Vec::new();
                    while unused.len() >= size {
                        let part: Vec<u32> = unused.take(size);
                        assert_eq!(part.len(), size);
                        taken.extend(part);
                    }
                    taken.extend(unused.take(size));
                    assert_eq!((unused.len(), unused.take(1)), (0, vec![]));
                    taken.sort_unstable();
                    assert!(taken.into_iter().eq(0..len), "{len}, {first}, {size}");
                }
            }
        }
    }
}
