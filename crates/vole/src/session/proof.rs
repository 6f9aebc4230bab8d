//! The prover's side of a proof: coefficients of the random combination of all claims, without the
//! highest, which is zero if all claims are true.

use rand_core::CryptoRng;
use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use super::{
    CHUNK, Challenge, Degrees,
    parties::Prover,
    stock::{Showing, Stock},
};
use crate::{
    convert::{
        Bits, Targets,
        addition::Additions,
        chain::{Batch, Seed, Work},
        factors::{Coefficients, Factors},
        nibbles::{MAX_DEGREE, Ranges},
    },
    field::{Authenticated, Fp, Gf64, MacField, coefficients, gf64},
    local::{ProverSeed, ProverSums},
    polynomial::Polynomial,
    prg::Prg,
};

/// The coefficients so far, the constant one first.
pub(super) struct Sums {
    pub(super) bits: Zeroizing<Vec<Gf64>>,
    pub(super) values: Zeroizing<Vec<Fp>>,
}

impl Sums {
    pub(super) fn new(degrees: Degrees) -> Self {
        Self {
            bits: Zeroizing::new(vec![Gf64::default(); degrees.bits]),
            values: Zeroizing::new(vec![Fp::default(); degrees.values]),
        }
    }
}

/// Adds a polynomial of a lower degree, given without its highest coefficient, times a power of X.
fn add<F: MacField>(sums: &mut [F], polynomial: &[F]) {
    let lift = sums.len().saturating_sub(polynomial.len());
    sums.iter_mut().skip(lift).zip(polynomial).for_each(|(sum, c)| *sum += *c);
}

/// Adds a field's zeros, products and computed claims.
pub(super) fn add_claims<R: CryptoRng, F: MacField>(
    sums: &mut [F],
    stock: &mut Stock<Prover<'_, R>, F>,
    challenge: &Challenge,
) {
    let generator = challenge.generator::<F>("zero");
    let zeros = stock.zeros.par_chunks(CHUNK).enumerate().map(|(part, zeros)| {
        let chis = coefficients::<F>(&generator, (part * CHUNK) as u64, zeros.len());
        zeros.iter().zip(chis).map(|(zero, chi)| -(F::mac(*zero) * chi)).sum()
    });
    if !stock.zeros.is_empty() {
        add(sums, &[zeros.reduce(F::default, |a: F, b| a + b)]);
    }

    let generator = challenge.generator::<F>("product");
    let chunks = stock.products.par_chunks(CHUNK).enumerate();
    let products =
        chunks.map(|(part, products)| of_products::<F>(&generator, part * CHUNK, products));
    if !stock.products.is_empty() {
        add(sums, &total(products));
    }

    let generator = challenge.generator::<F>("computed");
    let chis = coefficients::<F>(&generator, 0, stock.claims.len());
    for (claim, chi) in stock.claims.iter().zip(chis) {
        add_computed(sums, claim, chi);
    }
    // What is left of x - y, for a value x that is shown as y, is what is below the highest degree.
    let generator = challenge.generator::<F>("shown");
    let chis = coefficients::<F>(&generator, 0, stock.showing());
    let mut chis = chis.into_iter();
    for showing in &stock.shown {
        match showing {
            Showing::Linear(values) => {
                let pairs = values.iter().zip(chis.by_ref());
                add(sums, &[pairs.map(|(value, chi)| -(F::mac(*value) * chi)).sum()]);
            }
            Showing::Computed(values) => {
                for (value, chi) in values.iter().zip(chis.by_ref()) {
                    add_computed(sums, value, chi);
                }
            }
        }
    }
    stock.zeros.zeroize();
    stock.products.zeroize();
    stock.claims.clear();
}

/// The sum of claims `a b = c`, the first of which has coefficient number `first`.
fn of_products<F: MacField>(generator: &Prg, first: usize, products: &[[F::Proven; 3]]) -> [F; 2] {
    let chis = coefficients::<F>(generator, first as u64, products.len());
    let mut sums = [F::default(); 2];
    for (&[a, b, c], chi) in products.iter().zip(chis) {
        // (aX - m)(bX - n) - X (cX - o).
        let (m, n, o) = (F::mac(a), F::mac(b), F::mac(c));
        let [low, high] = &mut sums;
        *low += m * n * chi;
        *high += (o - n.times(F::value(a)) - m.times(F::value(b))) * chi;
    }
    sums
}

fn total<F: MacField>(parts: impl ParallelIterator<Item = [F; 2]>) -> [F; 2] {
    parts.reduce(|| [F::default(); 2], |[a, b], [c, d]| [a + c, b + d])
}

/// Adds what is claimed of additions.
pub(super) fn add_additions<R: CryptoRng>(
    sums: &mut [Gf64],
    additions: &[Additions<Prover<'_, R>>],
    challenge: &Challenge,
) {
    let generator = challenge.generator::<Gf64>("addition");
    let mut first = 0;
    for additions in additions {
        let parts = additions.parts().map(|part| {
            let first = first + part.start * additions.claims_each();
            let claims =
                Zeroizing::new(additions.claims(part, |bit, by| Gf64::shift_proven(*bit, by)));
            of_products::<Gf64>(&generator, first, &claims)
        });
        add(sums, &total(parts));
        first += additions.len() * additions.claims_each();
    }
}

/// Adds what is claimed of digits: that the product of `d - i` for all i below the bound is zero.
pub(super) fn add_ranges<R: CryptoRng>(
    sums: &mut [Fp],
    ranges: &Ranges<Prover<'_, R>>,
    challenge: &Challenge,
) {
    for (bound, digits) in ranges.bounded().filter(|(_, digits)| !digits.is_empty()) {
        let generator = challenge.generator::<Fp>(&format!("below {bound}"));
        let parts = digits.par_chunks(CHUNK).enumerate().map(|(part, digits)| {
            let chis = coefficients::<Fp>(&generator, (part * CHUNK) as u64, digits.len());
            let mut sum = Zeroizing::new([Fp::default(); MAX_DEGREE]);
            for (digit, chi) in digits.iter().zip(chis) {
                let product = Zeroizing::new(product_below(bound, *digit));
                sum.iter_mut().zip(*product).for_each(|(sum, c)| *sum += c * chi);
            }
            sum
        });
        let zeros = || Zeroizing::new([Fp::default(); MAX_DEGREE]);
        let total = parts.reduce(zeros, |mut a, b| {
            a.iter_mut().zip(&*b).for_each(|(a, b)| *a += *b);
            a
        });
        let (total, _) = total.split_at((bound as usize).min(MAX_DEGREE));
        add(sums, total);
    }
}

/// The product of `(d - i) X - m` for i below the bound, without the coefficient of X to the bound.
fn product_below(bound: u64, digit: Authenticated) -> [Fp; MAX_DEGREE] {
    let mut product = [Fp::default(); MAX_DEGREE];
    let [constant, ..] = &mut product;
    *constant = Fp::from(1);
    for i in 0..bound {
        let slope = digit.value - Fp::from(i);
        let mut below = Fp::default();
        for c in &mut product {
            (below, *c) = (*c, below * slope - *c * digit.mac);
        }
    }
    product
}

/// Adds a computed claim times χ.
fn add_computed<F: MacField>(sums: &mut [F], claim: &Polynomial<F>, chi: F) {
    let lifted = claim.lifted(sums.len());
    sums.iter_mut().zip(lifted).for_each(|(sum, c)| *sum += c * chi);
}

/// What the claims of some numbers add.
#[derive(Default)]
struct Part {
    outputs: ProverSums,
    /// Of degree 1: the constant coefficient.
    bits: Gf64,
    values: Fp,
    /// Of the computed values.
    computed: Zeroizing<Vec<Fp>>,
}

impl Part {
    fn merge(mut self, mut other: Self) -> Self {
        if self.computed.len() < other.computed.len() {
            std::mem::swap(&mut self.computed, &mut other.computed);
        }
        self.computed.iter_mut().zip(&*other.computed).for_each(|(a, b)| *a += *b);
        Self {
            outputs: self.outputs.merge(&other.outputs),
            bits: self.bits + other.bits,
            values: self.values + other.values,
            computed: self.computed,
        }
    }
}

/// Adds the claims of decompositions, and those that seeds are outputs.
pub(super) fn add_decompositions<R: CryptoRng>(
    sums: &mut Sums,
    work: &Work<Prover<'_, R>>,
    challenge: &Challenge,
) {
    let degree = sums.values.len();
    let made = work.sum(
        challenge,
        |batch, first, factors| part(work, batch, first, factors, degree),
        Part::merge,
    );
    let total = reseeds(work, challenge).merge(made);
    let [of_bits, of_values] = work.generator.degrees();
    if work.chain.over_both() {
        add(&mut sums.bits, &total.outputs.bits(of_bits).collect::<Vec<_>>());
        add(&mut sums.bits, &[total.bits]);
    }
    add(&mut sums.values, &total.outputs.values(of_values).collect::<Vec<_>>());
    add(&mut sums.values, &[total.values]);
    add(&mut sums.values, &total.computed);
}

/// A seed as its outputs' sums take it: made for as many outputs as are summed at once, since all
/// together would be as much memory again as the seeds.
fn of_seed<R: CryptoRng>(seed: &Seed<Prover<'_, R>>) -> ProverSeed {
    ProverSeed {
        bits: match seed.bits.is_empty() {
            true => seed.values.iter().map(|s| Gf64::from(s.value.to_u64())).collect(),
            false => seed.bits.clone(),
        },
        signs: seed.values.iter().map(|s| s.mac + s.mac).collect(),
    }
}

/// Each seed but the first is the last outputs of the one before it.
fn reseeds<R: CryptoRng>(work: &Work<Prover<'_, R>>, challenge: &Challenge) -> Part {
    let coefficients = Coefficients::new(challenge, work.reseed_kind());
    let pairs = work.chain.seeds.par_windows(2).enumerate();
    let parts = pairs.filter_map(|(number, pair)| {
        let [before, after] = pair else { return None };
        let factors = coefficients.reseed(work.generator, number, !after.bits.is_empty());
        let mut part = Part::default();
        part.outputs.add(&of_seed(before), factors.terms(work.generator, &before.graph));
        part.bits = gf64::inner_product(&factors.chis, &after.bits);
        // r - s, of which s X - m is subtracted.
        part.values = after.values.iter().zip(&factors.targets).map(|(s, chi)| s.mac * *chi).sum();
        Some(part)
    });
    parts.reduce(Part::default, Part::merge)
}

/// The claims on some numbers of a batch.
fn part<'c, R: CryptoRng>(
    work: &Work<Prover<'c, R>>,
    batch: &Batch<Prover<'c, R>>,
    first: usize,
    factors: &Factors,
    degree: usize,
) -> Part {
    let claim = &batch.claim;
    let mut part = Part::default();
    let start = first * claim.width;
    for (number, terms) in work.terms(batch, first, factors) {
        let Some(seed) = work.chain.seeds.get(number) else { break };
        part.outputs.add(&of_seed(seed), terms);
    }
    if let Bits::Committed(bits) = &claim.bits {
        // A decomposition was validated: there is a bit for each place of each number.
        let bits = bits.get(start..start + factors.chis.len()).unwrap_or_default();
        part.bits = gf64::inner_product(&factors.chis, bits);
    }
    for (functional, chis) in claim.functionals.iter().zip(&factors.targets) {
        match &functional.values {
            Targets::Linear(values) => {
                let values = values.iter().skip(first).zip(chis);
                part.values += values.map(|(value, chi)| -(value.mac * *chi)).sum();
            }
            Targets::Computed(values) => {
                part.computed.resize(degree, Fp::default());
                for (value, chi) in values.iter().skip(first).zip(chis) {
                    add_computed(&mut part.computed, value, *chi);
                }
            }
        }
    }
    part
}
