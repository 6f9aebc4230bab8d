//! Correlations that are not yet used. Each is used once.

use zeroize::{Zeroize, Zeroizing};

use crate::{
    field::{Field, Fp, Gf64},
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

/// The prover's stock of one field, and its claims.
pub struct ProverStock<F: Field> {
    pub values: Zeroizing<Vec<F::Value>>,
    pub macs: Zeroizing<Vec<F>>,
    pub claims: Vec<Polynomial<F>>,
}

/// The verifier's stock of one field, and the claims.
pub struct VerifierStock<F: Field> {
    pub keys: Zeroizing<Vec<F>>,
    pub claims: Vec<Evaluation<F>>,
}

pub type ProverStocks = PerField<ProverStock<Gf64>, ProverStock<Fp>>;
pub type VerifierStocks = PerField<VerifierStock<Gf64>, VerifierStock<Fp>>;

impl<F: Field> Default for ProverStock<F> {
    fn default() -> Self {
        Self { values: Zeroizing::default(), macs: Zeroizing::default(), claims: Vec::new() }
    }
}

impl<F: Field> Default for VerifierStock<F> {
    fn default() -> Self {
        Self { keys: Zeroizing::default(), claims: Vec::new() }
    }
}
