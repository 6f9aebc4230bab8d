//! What a party has between two messages: unused correlations, and claims that wait for a check.

use zeroize::{Zeroize, Zeroizing};

use crate::{
    field::{Fp, Gf64, MacField},
    polynomial::Side,
    session::Session,
};

/// A pair of things, for bits and for values.
#[derive(Default)]
pub struct PerField<B, V> {
    pub bits: B,
    pub values: V,
}

impl<B: Zeroize, V: Zeroize> Zeroize for PerField<B, V> {
    fn zeroize(&mut self) {
        self.bits.zeroize();
        self.values.zeroize();
    }
}

/// The verifier's global keys.
pub type Deltas = PerField<Gf64, Fp>;

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

/// Correlations of a batch: a batch that is used up frees its memory.
const BATCH: usize = 1 << 20;

impl<T: Zeroize> Unused<T> {
    pub fn len(&self) -> usize {
        self.len
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
}

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
}

impl<S: Session, F: MacField> Default for Stock<S, F> {
    fn default() -> Self {
        Self {
            unused: Unused::default(),
            zeros: Vec::new(),
            products: Vec::new(),
            claims: Vec::new(),
        }
    }
}

impl<S: Session, F: MacField> Stock<S, F> {
    /// The degree of a proof of these claims, 0 if there are none.
    pub fn degree(&self) -> usize {
        let claims = self.claims.iter().map(|claim| claim.degree().max(1)).max().unwrap_or(0);
        let zeros = usize::from(!self.zeros.is_empty());
        claims.max(zeros).max(2 * usize::from(!self.products.is_empty()))
    }
}
