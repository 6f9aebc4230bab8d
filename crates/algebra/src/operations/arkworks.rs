//! arkworks' own operations.

use std::hint::black_box;

use ark_ec::{
    CurveGroup, PrimeGroup, VariableBaseMSM, pairing::Pairing as ArkPairing,
    scalar_mul::BatchMulPreprocessing,
};
use ark_ff::AdditiveGroup;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};

use super::library::{Library, Operation, Transforms};

pub(super) struct Arkworks<E: ArkPairing> {
    g1: Vec<E::G1Affine>,
    g2: Vec<E::G2Affine>,
    scalars: Vec<E::ScalarField>,
    table1: BatchMulPreprocessing<E::G1>,
    table2: BatchMulPreprocessing<E::G2>,
    transforms: Transforms<E::ScalarField, Option<Radix2EvaluationDomain<E::ScalarField>>>,
    name: &'static str,
}

impl<E: ArkPairing> Arkworks<E> {
    pub(super) fn load(
        name: &'static str,
        g1: &[E::G1Affine],
        g2: &[E::G2Affine],
        scalars: &[E::ScalarField],
    ) -> Self {
        // What its tables are laid out for.
        let count = scalars.len().min(10_000);
        Self {
            g1: g1.to_vec(),
            g2: g2.to_vec(),
            scalars: scalars.to_vec(),
            table1: BatchMulPreprocessing::new(E::G1::generator(), count),
            table2: BatchMulPreprocessing::new(E::G2::generator(), count),
            transforms: Transforms::load(scalars, EvaluationDomain::new),
            name,
        }
    }
}

impl<E: ArkPairing> Library for Arkworks<E> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, operation: Operation, count: usize) -> bool {
        if operation == Operation::Transform {
            return self.transforms.run(count, |domain, values| {
                domain.iter().for_each(|domain| domain.fft_in_place(values));
            });
        }
        let (g1, g2, scalars) = (&self.g1[..count], &self.g2[..count], &self.scalars[..count]);
        match operation {
            Operation::ScaleG1 => scale::<E::G1>(g1, scalars),
            Operation::ScaleG2 => scale::<E::G2>(g2, scalars),
            Operation::AddG1 => add::<E::G1>(g1),
            Operation::AddG2 => add::<E::G2>(g2),
            Operation::FixedBaseG1 => drop(black_box(self.table1.batch_mul(scalars))),
            Operation::FixedBaseG2 => drop(black_box(self.table2.batch_mul(scalars))),
            Operation::MsmG1 => drop(black_box(E::G1::msm(g1, scalars))),
            Operation::MsmG2 => drop(black_box(E::G2::msm(g2, scalars))),
            Operation::Pairing => {
                // Only the time counts.
                let _ = black_box(E::multi_pairing(g1.iter().copied(), g2.iter().copied()));
            }
            Operation::Transform => return false,
        }
        true
    }
}

fn scale<G: CurveGroup>(points: &[G::Affine], scalars: &[G::ScalarField]) {
    let scaled = points.iter().zip(scalars).map(|(&point, scalar)| point * scalar);
    black_box(G::normalize_batch(&scaled.collect::<Vec<_>>()));
}

fn add<G: CurveGroup>(points: &[G::Affine]) {
    black_box(points.iter().fold(<G as AdditiveGroup>::ZERO, |sum, point| sum + point));
}
