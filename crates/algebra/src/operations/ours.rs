//! This crate's kernels: the vector ones where they run, and the portable ones.

use std::hint::black_box;

use super::library::{Data, Library, Operation, Transforms};
use crate::{
    AffineGroup, CurveGroup, Domain, Engine, FixedBaseTable, Group, ScalarOf, kernels::lanes,
};

pub(super) struct Ours<E: Engine> {
    data: Data<E>,
    pairs: Vec<(E::G1, E::G2)>,
    table1: FixedBaseTable<E::G1>,
    table2: FixedBaseTable<E::G2>,
    transforms: Transforms<ScalarOf<E>, Option<Domain<ScalarOf<E>>>>,
    name: &'static str,
    vector: bool,
}

/// The kernels that the program runs with, and the portable ones if these are others.
pub(super) fn load<E: Engine>(
    name: &'static str,
    portable: &'static str,
    data: Data<E>,
) -> Vec<Ours<E>> {
    let vector = lanes::available();
    let further = vector.then(|| Ours::load(portable, data.clone(), false));
    std::iter::once(Ours::load(name, data, vector)).chain(further).collect()
}

impl<E: Engine> Ours<E> {
    fn load(name: &'static str, data: Data<E>, vector: bool) -> Self {
        let points = data.g1.iter().map(E::G1::from_affine);
        let pairs = points.zip(data.g2.iter().map(E::G2::from_affine)).collect();
        // A domain has the constants of the kernels with which it was made.
        let before = lanes::available();
        lanes::choose(vector);
        let transforms = Transforms::load(&data.scalars, |size| Domain::new(size).ok());
        lanes::choose(before);
        Self {
            data,
            pairs,
            transforms,
            table1: FixedBaseTable::new(&E::G1::generator()),
            table2: FixedBaseTable::new(&E::G2::generator()),
            name,
            vector,
        }
    }
}

impl<E: Engine> Library for Ours<E> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, operation: Operation, count: usize) -> bool {
        let before = lanes::available();
        lanes::choose(self.vector);
        let known = self.compute(operation, count);
        lanes::choose(before);
        known
    }
}

impl<E: Engine> Ours<E> {
    fn compute(&self, operation: Operation, count: usize) -> bool {
        if operation == Operation::Transform {
            return self.transforms.run(count, |domain, values| {
                domain.iter().for_each(|domain| domain.fft(values));
            });
        }
        let Data { g1, g2, scalars } = &self.data;
        let (g1, g2, scalars) = (&g1[..count], &g2[..count], &scalars[..count]);
        match operation {
            Operation::ScaleG1 => scale::<E::G1>(g1, scalars),
            Operation::ScaleG2 => scale::<E::G2>(g2, scalars),
            Operation::AddG1 => add::<E::G1>(g1),
            Operation::AddG2 => add::<E::G2>(g2),
            Operation::FixedBaseG1 => drop(black_box(self.table1.mul_all(scalars))),
            Operation::FixedBaseG2 => drop(black_box(self.table2.mul_all(scalars))),
            Operation::MsmG1 => drop(black_box(E::G1::msm_affine(scalars, g1))),
            Operation::MsmG2 => drop(black_box(E::G2::msm_affine(scalars, g2))),
            Operation::Pairing => drop(black_box(E::multi_pairing(&self.pairs[..count]))),
            Operation::Transform => return false,
        }
        true
    }
}

fn scale<G: AffineGroup>(points: &[G::Affine], scalars: &[G::Scalar]) {
    let mut points = points.to_vec();
    G::scale_each(&mut points, scalars);
    black_box(points);
}

fn add<G: CurveGroup>(points: &[<G as AffineGroup>::Affine]) {
    black_box(points.iter().fold(G::identity(), |sum, point| sum.add_precomputed(point)));
}
