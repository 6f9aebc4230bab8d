//! The verifier's side of a proof: the value at Δ of the random combination of all claims.

use rand_core::CryptoRng;
use rayon::prelude::*;

use super::{
    CHUNK, Challenge, Degrees,
    parties::Verifier,
    stock::{Showing, Stock},
};
use crate::{
    convert::{
        Bits, Targets,
        addition::Additions,
        chain::{Batch, Seed, Work},
        factors::{Coefficients, Factors, masked_bit},
        nibbles::Ranges,
    },
    field::{Deltas, Fp, Gf64, MacField, coefficients, gf64},
    local::{VerifierSeed, VerifierSums},
    prg::Prg,
};

/// `Δ^n`.
fn power<F: MacField>(delta: F, exponent: usize) -> F {
    (0..exponent).fold(F::unit_element(), |product, _| product * delta)
}

/// The value of a field's zeros, products and computed claims, as of degree `degree`.
pub(super) fn claims<R: CryptoRng, F: MacField>(
    stock: &mut Stock<Verifier<'_, R>, F>,
    challenge: &Challenge,
    delta: F,
    degree: usize,
) -> F {
    let lift = |value: F, from: usize| value * power(delta, degree.saturating_sub(from));
    let generator = challenge.generator::<F>("zero");
    let zeros = stock.zeros.par_chunks(CHUNK).enumerate().map(|(part, zeros)| {
        let chis = coefficients::<F>(&generator, (part * CHUNK) as u64, zeros.len());
        zeros.iter().zip(chis).map(|(key, chi)| -(*key * chi)).sum()
    });
    let mut total = lift(zeros.reduce(F::default, |a: F, b| a + b), 1);

    let generator = challenge.generator::<F>("product");
    let chunks = stock.products.par_chunks(CHUNK).enumerate();
    let products =
        chunks.map(|(part, products)| of_products(&generator, part * CHUNK, products, delta));
    total += lift(products.reduce(F::default, |a: F, b| a + b), 2);

    let generator = challenge.generator::<F>("computed");
    let chis = coefficients::<F>(&generator, 0, stock.claims.len());
    for (claim, chi) in stock.claims.iter().zip(chis) {
        total += claim.lifted(degree, delta) * chi;
    }
    let generator = challenge.generator::<F>("shown");
    let mut chis = coefficients::<F>(&generator, 0, stock.showing()).into_iter();
    for showing in &stock.shown {
        match showing {
            Showing::Linear(keys) => {
                let pairs = keys.iter().zip(chis.by_ref());
                total += lift(pairs.map(|(key, chi)| -(*key * chi)).sum(), 1);
            }
            Showing::Computed(values) => {
                let pairs = values.iter().zip(chis.by_ref());
                total += pairs.map(|(value, chi)| value.lifted(degree, delta) * chi).sum();
            }
        }
    }
    stock.zeros.clear();
    stock.products.clear();
    stock.claims.clear();
    total
}

/// What the values that were shown take from the value of [`claims`]: it is then of `x - y`.
pub(super) fn shown<F: MacField>(
    values: &[F::Value],
    challenge: &Challenge,
    delta: F,
    degree: usize,
) -> F {
    let generator = challenge.generator::<F>("shown");
    let chis = coefficients::<F>(&generator, 0, values.len());
    let sum: F = chis.iter().zip(values).map(|(chi, value)| chi.times(*value)).sum();
    -(sum * power(delta, degree))
}

/// The value of claims `a b = c`, the first of which has coefficient number `first`.
fn of_products<F: MacField>(generator: &Prg, first: usize, products: &[[F; 3]], delta: F) -> F {
    let chis = coefficients::<F>(generator, first as u64, products.len());
    let values = products.iter().zip(chis);
    // (-k)(-l) - Δ (-o).
    values.map(|(&[k, l, o], chi)| (k * l + delta * o) * chi).sum()
}

/// The value of what is claimed of additions, as of degree `degree`.
pub(super) fn additions<R: CryptoRng>(
    additions: &[Additions<Verifier<'_, R>>],
    challenge: &Challenge,
    delta: Gf64,
    degree: usize,
) -> Gf64 {
    let generator = challenge.generator::<Gf64>("addition");
    let (mut total, mut first) = (Gf64::default(), 0);
    for additions in additions {
        let parts = additions.parts().map(|part| {
            let first = first + part.start * additions.claims_each();
            let claims = additions.claims(part, |key, by| Gf64::shift_key(*key, by, delta));
            of_products(&generator, first, &claims, delta)
        });
        total += parts.reduce(Gf64::default, |a, b| a + b);
        first += additions.len() * additions.claims_each();
    }
    total * power(delta, degree.saturating_sub(2))
}

/// The value of what is claimed of digits, as of degree `degree`.
pub(super) fn ranges<R: CryptoRng>(
    ranges: &Ranges<Verifier<'_, R>>,
    challenge: &Challenge,
    delta: Fp,
    degree: usize,
) -> Fp {
    let mut total = Fp::default();
    for (bound, digits) in ranges.bounded().filter(|(_, digits)| !digits.is_empty()) {
        let generator = challenge.generator::<Fp>(&format!("below {bound}"));
        let parts = digits.par_chunks(CHUNK).enumerate().map(|(part, digits)| {
            let chis = coefficients::<Fp>(&generator, (part * CHUNK) as u64, digits.len());
            let products = digits.iter().zip(chis).map(|(key, chi)| {
                (0..bound).fold(chi, |product, i| -(product * (*key + Fp::from(i) * delta)))
            });
            products.sum()
        });
        let sum = parts.reduce(Fp::default, |a, b| a + b);
        total += sum * power(delta, degree.saturating_sub(bound as usize));
    }
    total
}

/// What the claims of some numbers add: outputs, terms of degree 1, constants, each of which is lifted
/// at the end; and computed values as of the full degree.
#[derive(Default)]
struct Part {
    outputs: VerifierSums,
    bits: Gf64,
    bit_constant: Gf64,
    values: Fp,
    constant: Fp,
    computed: Fp,
}

impl Part {
    fn merge(self, other: Self) -> Self {
        Self {
            outputs: self.outputs.merge(&other.outputs),
            bits: self.bits + other.bits,
            bit_constant: self.bit_constant + other.bit_constant,
            values: self.values + other.values,
            constant: self.constant + other.constant,
            computed: self.computed + other.computed,
        }
    }
}

/// The values of the claims of decompositions, and of those that seeds are outputs.
pub(super) fn decompositions<R: CryptoRng>(
    work: &Work<Verifier<'_, R>>,
    challenge: &Challenge,
    deltas: &Deltas,
    degrees: Degrees,
) -> (Gf64, Fp) {
    let made = work.sum(
        challenge,
        |batch, first, factors| part(work, batch, first, factors, deltas, degrees),
        Part::merge,
    );
    let total = reseeds(work, challenge, deltas).merge(made);
    let [of_bits, of_values] = work.generator.degrees();
    let (bits, values) = (deltas.bits, deltas.values);
    let lift = |value: Fp, from: usize| value * power(values, degrees.values - from);
    let values = lift(total.outputs.values(), of_values)
        + lift(total.values, 1)
        + lift(total.constant, 0)
        + total.computed;
    if !work.chain.over_both() {
        return (Gf64::default(), values);
    }
    let lift = |value: Gf64, from: usize| value * power(bits, degrees.bits - from);
    let bits =
        lift(total.outputs.bits(), of_bits) + lift(total.bits, 1) + lift(total.bit_constant, 0);
    (bits, values)
}

/// A seed as its outputs' sums take it, as at the prover.
fn of_seed<R: CryptoRng>(seed: &Seed<Verifier<'_, R>>, deltas: &Deltas) -> VerifierSeed {
    VerifierSeed {
        bits: seed.bits.clone(),
        signs: seed.values.iter().map(|key| deltas.values + *key + *key).collect(),
    }
}

/// Each seed but the first is the last outputs of the one before it.
fn reseeds<R: CryptoRng>(
    work: &Work<Verifier<'_, R>>,
    challenge: &Challenge,
    deltas: &Deltas,
) -> Part {
    let coefficients = Coefficients::new(challenge, work.reseed_kind());
    let pairs = work.chain.seeds.par_windows(2).enumerate();
    let parts = pairs.filter_map(|(number, pair)| {
        let [before, after] = pair else { return None };
        let factors = coefficients.reseed(work.generator, number, !after.bits.is_empty());
        let mut part = Part::default();
        part.outputs.add(
            &of_seed(before, deltas),
            (deltas.bits, deltas.values),
            factors.terms(work.generator, &before.graph),
        );
        part.bits = gf64::inner_product(&factors.chis, &after.bits);
        part.values = after.values.iter().zip(&factors.targets).map(|(key, chi)| *key * *chi).sum();
        part.constant = factors.constant;
        Some(part)
    });
    parts.reduce(Part::default, Part::merge)
}

/// The claims on some numbers of a batch.
fn part<'c, R: CryptoRng>(
    work: &Work<Verifier<'c, R>>,
    batch: &Batch<Verifier<'c, R>>,
    first: usize,
    factors: &Factors,
    deltas: &Deltas,
    degrees: Degrees,
) -> Part {
    let claim = &batch.claim;
    let mut part = Part { constant: factors.constant, ..Part::default() };
    let start = first * claim.width;
    for (number, terms) in work.terms(batch, first, factors) {
        let Some(seed) = work.chain.seeds.get(number) else { break };
        part.outputs.add(&of_seed(seed, deltas), (deltas.bits, deltas.values), terms);
    }
    if let Bits::Committed(keys) = &claim.bits {
        // A decomposition was validated: there is a key for each place of each number.
        let keys = keys.get(start..start + factors.chis.len()).unwrap_or_default();
        part.bits = gf64::inner_product(&factors.chis, keys);
        for (chi, index) in factors.chis.iter().zip(start..) {
            let shown = u64::from(masked_bit(batch, index)).wrapping_neg();
            part.bit_constant += Gf64::from(chi & shown);
        }
    }
    for (functional, chis) in claim.functionals.iter().zip(&factors.targets) {
        match &functional.values {
            Targets::Linear(keys) => {
                let keys = keys.iter().skip(first).zip(chis);
                part.values += keys.map(|(key, chi)| -(*key * *chi)).sum();
            }
            Targets::Computed(values) => {
                for (value, chi) in values.iter().skip(first).zip(chis) {
                    part.computed += value.lifted(degrees.values, deltas.values) * *chi;
                }
            }
        }
    }
    part
}
