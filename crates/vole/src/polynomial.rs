//! Commitments of any degree (QuickSilver, Yang, Sarkar, Weng and Wang, CCS 2021, section 4.2).
//!
//! A commitment to v of degree d is a polynomial P of degree d in the prover's hands, whose
//! coefficient of X^d is v, and the value P(Δ) in the verifier's. A correlation `m = k + x Δ` is the
//! commitment `x X - m` of degree 1 with the value `-k`. Sums and products of polynomials are
//! commitments to sums and products, and cost no message.

use zeroize::Zeroize;

use crate::field::MacField;

/// Either party's side of a commitment.
pub trait Side<F: MacField> {
    /// The degree.
    fn degree(&self) -> usize;

    /// The committed value: at the verifier, who does not know it, zero.
    fn peek(&self) -> F::Value;
}

/// The prover's side of a commitment: the coefficients, the constant one first.
#[derive(Clone)]
pub struct Polynomial<F: MacField>(Vec<F>);

/// The verifier's side of a commitment.
#[derive(Clone)]
pub struct Evaluation<F: MacField> {
    value: F,
    degree: usize,
}

impl<F: MacField> Polynomial<F> {
    pub(crate) fn new(proven: F::Proven) -> Self {
        Self(vec![-F::mac(proven), F::embed(F::value(proven))])
    }

    /// A public value.
    pub(crate) fn constant(value: F::Value) -> Self {
        Self(vec![F::embed(value)])
    }

    /// The coefficients as of a commitment of degree `degree`: times a power of X.
    pub(crate) fn lifted(&self, degree: usize) -> impl Iterator<Item = F> {
        let zeros = std::iter::repeat_n(F::default(), degree.saturating_sub(self.degree()));
        zeros.chain(self.0.iter().copied())
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let degree = self.degree().max(other.degree());
        Self(self.lifted(degree).zip(other.lifted(degree)).map(|(a, b)| a + b).collect())
    }

    pub(crate) fn sum(terms: &[&Self]) -> Self {
        // A sum of nothing is zero, of degree 0.
        let degree = terms.iter().map(|term| term.degree()).max().unwrap_or(0);
        let mut sum = Self(vec![F::default(); degree + 1]);
        for term in terms {
            sum.0.iter_mut().zip(term.lifted(degree)).for_each(|(sum, c)| *sum += c);
        }
        sum
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        let degree = self.degree().max(other.degree());
        Self(self.lifted(degree).zip(other.lifted(degree)).map(|(a, b)| a - b).collect())
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        let mut product = vec![F::default(); self.0.len() + other.0.len() - 1];
        for (shift, a) in self.0.iter().enumerate() {
            for (sum, b) in product.iter_mut().skip(shift).zip(&other.0) {
                *sum += *a * *b;
            }
        }
        Self(product)
    }
}

impl<F: MacField> Side<F> for Polynomial<F> {
    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn peek(&self) -> F::Value {
        // A polynomial without coefficients is zero.
        self.0.last().copied().unwrap_or_default().project()
    }
}

impl<F: MacField> Drop for Polynomial<F> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<F: MacField> Evaluation<F> {
    pub(crate) fn new(key: F) -> Self {
        Self { value: -key, degree: 1 }
    }

    /// A public value.
    pub(crate) fn constant(value: F::Value) -> Self {
        Self { value: F::embed(value), degree: 0 }
    }

    /// The value as of a commitment of degree `degree`.
    pub(crate) fn lifted(&self, degree: usize, delta: F) -> F {
        (self.degree..degree).fold(self.value, |value, _| value * delta)
    }

    pub(crate) fn add(&self, other: &Self, delta: F) -> Self {
        let degree = self.degree.max(other.degree);
        Self { value: self.lifted(degree, delta) + other.lifted(degree, delta), degree }
    }

    pub(crate) fn sub(&self, other: &Self, delta: F) -> Self {
        let degree = self.degree.max(other.degree);
        Self { value: self.lifted(degree, delta) - other.lifted(degree, delta), degree }
    }

    pub(crate) fn sum(terms: &[&Self], delta: F) -> Self {
        // As at the prover.
        let degree = terms.iter().map(|term| term.degree).max().unwrap_or(0);
        Self { value: terms.iter().map(|term| term.lifted(degree, delta)).sum(), degree }
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        Self { value: self.value * other.value, degree: self.degree + other.degree }
    }
}

impl<F: MacField> Side<F> for Evaluation<F> {
    fn degree(&self) -> usize {
        self.degree
    }

    fn peek(&self) -> F::Value {
        F::Value::default()
    }
}

impl<F: MacField> Drop for Evaluation<F> {
    fn drop(&mut self) {
        self.value.zeroize();
    }
}
