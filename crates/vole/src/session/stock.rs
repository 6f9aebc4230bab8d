//! What a party has between two messages: unused correlations, and claims that wait for a check.

use zeroize::{Zeroize, Zeroizing};

use crate::{
    field::{Fp, Gf64, MacField},
    polynomial::{Evaluation, Polynomial},
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

/// The prover's stock of one field, and its claims.
pub struct ProverStock<F: MacField> {
    pub unused: Unused<F::Proven>,
    /// Values that are claimed to be zero.
    pub zeros: Vec<F::Proven>,
    /// a, b and c that are claimed to fulfil a b = c.
    pub products: Vec<[F::Proven; 3]>,
    /// Results of computations that are claimed to be zero.
    pub claims: Vec<Polynomial<F>>,
}

/// The verifier's stock of one field, and the claims.
pub struct VerifierStock<F: MacField> {
    pub unused: Unused<F>,
    pub zeros: Vec<F>,
    pub products: Vec<[F; 3]>,
    pub claims: Vec<Evaluation<F>>,
}

pub type ProverStocks = PerField<ProverStock<Gf64>, ProverStock<Fp>>;
pub type VerifierStocks = PerField<VerifierStock<Gf64>, VerifierStock<Fp>>;

impl<F: MacField> Default for ProverStock<F> {
    fn default() -> Self {
        Self {
            unused: Unused::default(),
            zeros: Vec::new(),
            products: Vec::new(),
            claims: Vec::new(),
        }
    }
}

impl<F: MacField> Default for VerifierStock<F> {
    fn default() -> Self {
        Self {
            unused: Unused::default(),
            zeros: Vec::new(),
            products: Vec::new(),
            claims: Vec::new(),
        }
    }
}

impl<F: MacField> ProverStock<F> {
    /// The degree of a proof of these claims, 0 if there are none.
    pub fn degree(&self) -> usize {
        let claims = self.claims.iter().map(|claim| claim.degree().max(1)).max().unwrap_or(0);
        claims.max(simple_degree(self.zeros.len(), self.products.len()))
    }
}

impl<F: MacField> VerifierStock<F> {
    /// The degree of a proof of these claims, 0 if there are none.
    pub fn degree(&self) -> usize {
        let claims = self.claims.iter().map(|claim| claim.degree().max(1)).max().unwrap_or(0);
        claims.max(simple_degree(self.zeros.len(), self.products.len()))
    }
}

fn simple_degree(zeros: usize, products: usize) -> usize {
    usize::from(zeros > 0).max(2 * usize::from(products > 0))
}
