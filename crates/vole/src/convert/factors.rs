//! What each output counts for in the proof of a check.
//!
//! Over F_2, `x_j + r_j + c_j = 0` for a bit x, an output r and the masked bit c shown, times a
//! random χ. Over F_p, `y_f - Σ a_{f,j} b_j = 0` for each functional f, times a random χ_f; with
//! `b = 1/2 ∓ w/2` for the sign w of the output, each output has the one factor
//! `± Σ_f χ_f a_{f,j} / 2`, and there is a constant `-Σ_f χ_f Σ_j a_{f,j} / 2`.

use rayon::prelude::*;

use super::{
    chain::{Batch, Work},
    decomposition::Functional,
};
use crate::{
    field::{Fp, Gf64, coefficients},
    local::{Graph, Terms},
    params::Generator,
    prg::Prg,
    session::{Challenge, Session},
};

/// Where the claims of a batch stand among all of a check.
#[derive(Clone, Copy, Default)]
pub(crate) struct Offsets {
    /// Bits over F_2: even.
    bits: usize,
    /// Claims over F_p.
    claims: usize,
}

impl Offsets {
    /// Those after a batch.
    pub(crate) fn after<S: Session>(self, batch: &Batch<S>) -> Self {
        let claim = &batch.claim;
        let bits = if claim.over_both() { claim.outputs().next_multiple_of(2) } else { 0 };
        Self { bits: self.bits + bits, claims: self.claims + claim.count * claim.functionals.len() }
    }
}

/// The random coefficients of the claims of decompositions.
pub(crate) struct Coefficients {
    bits: Prg,
    values: Prg,
}

/// The factors of some numbers of a batch.
pub(crate) struct Factors {
    /// For each output over F_2, or none.
    pub(crate) chis: Vec<u64>,
    /// For each output, as a sign over F_p.
    pub(crate) gammas: Vec<Fp>,
    /// For each functional, one for each number.
    pub(crate) targets: Vec<Vec<Fp>>,
    /// What does not depend on any commitment, over F_p.
    pub(crate) constant: Fp,
}

/// The factors of the claims that outputs are a seed.
pub(crate) struct Reseed {
    pub(crate) chis: Vec<u64>,
    gammas: Vec<Fp>,
    /// Of the next seed's values.
    pub(crate) targets: Vec<Fp>,
    pub(crate) constant: Fp,
    first: u64,
}

impl Reseed {
    pub(crate) fn terms<'a>(&'a self, generator: Generator, graph: &'a Graph) -> Terms<'a> {
        let Self { chis, gammas, first, .. } = self;
        Terms { generator, graph, first: *first, chis, gammas }
    }
}

/// Numbers that are worked on at once: an even number of them, of some thousands of bits.
fn chunk(width: usize) -> usize {
    (4096 / width.max(1)).next_multiple_of(2)
}

impl Coefficients {
    pub(crate) fn new(challenge: &Challenge, kind: &str) -> Self {
        Self { bits: challenge.generator::<Gf64>(kind), values: challenge.generator::<Fp>(kind) }
    }

    /// Those of `count` numbers of the batch from `first` on, which is even.
    pub(crate) fn factors<S: Session>(
        &self,
        batch: &Batch<S>,
        offsets: Offsets,
        first: usize,
        count: usize,
    ) -> Factors {
        let claim = &batch.claim;
        let half = Fp::from(2).inverse();
        let start = first * claim.width;
        let chis = match claim.over_both() {
            true => self.words(offsets.bits + start, count * claim.width),
            false => Vec::new(),
        };
        let mut gammas = vec![Fp::default(); count * claim.width];
        let mut constant = Fp::default();
        let mut targets = Vec::with_capacity(claim.functionals.len());
        for (number, Functional { coefficients: own, .. }) in claim.functionals.iter().enumerate() {
            let halves: Vec<_> = own.iter().map(|factor| *factor * half).collect();
            let total: Fp = halves.iter().copied().sum();
            let place = offsets.claims + number * claim.count + first;
            let chis: Vec<Fp> = coefficients(&self.values, place as u64, count);
            for (gammas, chi) in gammas.chunks_exact_mut(claim.width.max(1)).zip(&chis) {
                for (gamma, half) in gammas.iter_mut().zip(&halves) {
                    *gamma += *chi * *half;
                }
                constant += -(*chi * total);
            }
            targets.push(chis);
        }
        for (gamma, index) in gammas.iter_mut().zip(start..) {
            if masked_bit(batch, index) == 1 {
                *gamma = -*gamma;
            }
        }
        Factors { chis, gammas, targets, constant }
    }

    /// Those of the claims that the last outputs of seed `number` of a check are the next seed.
    pub(crate) fn reseed(&self, generator: Generator, number: usize, over_both: bool) -> Reseed {
        let (len, usable) = generator.usable();
        let first = number * len;
        let chis = if over_both { self.words(first, len) } else { Vec::new() };
        let targets: Vec<Fp> = coefficients(&self.values, first as u64, len);
        let half = Fp::from(2).inverse();
        // r = 1/2 - w/2.
        let gammas = targets.iter().map(|chi| -(*chi * half)).collect();
        let constant = targets.iter().copied().sum::<Fp>() * half;
        Reseed { chis, gammas, targets, constant, first: usable as u64 }
    }

    /// Words of 64 bits, from an even one on.
    fn words(&self, first: usize, count: usize) -> Vec<u64> {
        let mut blocks = vec![0; count.div_ceil(2)];
        self.bits.fill(first as u64 / 2, &mut blocks);
        let words = blocks.iter().flat_map(|block| [*block as u64, (*block >> 64) as u64]);
        words.take(count).collect()
    }
}

impl<S: Session> Work<S> {
    /// The outputs that mask the numbers of a batch from `first` on, with their factors: run by run,
    /// each with the number of its seed.
    pub(crate) fn terms<'a>(
        &'a self,
        batch: &Batch<S>,
        first: usize,
        factors: &'a Factors,
    ) -> impl Iterator<Item = (usize, Terms<'a>)> {
        let start = batch.first + first * batch.claim.width;
        let mut done = 0;
        let runs = self.chain.runs(self.generator, start, factors.gammas.len());
        runs.map(move |(number, seed, within, len)| {
            let run = done..done + len;
            done += len;
            let terms = Terms {
                generator: self.generator,
                graph: &seed.graph,
                first: within as u64,
                // The runs cut all factors up: claims over F_p only have no χ.
                chis: factors.chis.get(run.clone()).unwrap_or_default(),
                gammas: factors.gammas.get(run).unwrap_or_default(),
            };
            (number, terms)
        })
    }

    /// Adds up what `part` makes of some numbers of a batch and their factors, over all batches.
    pub(crate) fn sum<T: Default + Send>(
        &self,
        challenge: &Challenge,
        part: impl Fn(&Batch<S>, usize, &Factors) -> T + Sync,
        merge: impl Fn(T, T) -> T + Send + Sync,
    ) -> T {
        let coefficients = Coefficients::new(challenge, self.kind());
        let mut offsets = Offsets::default();
        let mut total = T::default();
        for batch in &self.batches {
            let step = chunk(batch.claim.width);
            let parts = (0..batch.claim.count).into_par_iter().step_by(step).map(|first| {
                let count = step.min(batch.claim.count - first);
                part(batch, first, &coefficients.factors(batch, offsets, first, count))
            });
            total = merge(total, parts.reduce(T::default, &merge));
            offsets = offsets.after(batch);
        }
        total
    }
}

/// A masked bit, as it was shown.
pub(crate) fn masked_bit<S: Session>(batch: &Batch<S>, index: usize) -> u8 {
    batch.masked.get(index / 8).map_or(0, |byte| byte >> (index % 8) & 1)
}
