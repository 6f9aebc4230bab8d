//! halo2curves' BN254.

use std::hint::black_box;

use halo2curves::{
    bn256::{Bn256, Fr, G1, G1Affine, G2, G2Affine},
    ff::PrimeField,
    fft::best_fft,
    group::{Curve, Group as _},
    msm::msm_best,
    pairing::{MillerLoopResult, MultiMillerLoop},
};

use super::library::{Library, Operation, Transforms};

pub(super) struct Halo2 {
    g1: Vec<G1Affine>,
    g2: Vec<G2Affine>,
    scalars: Vec<Fr>,
    // With the root of unity of each size.
    transforms: Transforms<Fr, Fr>,
}

impl Halo2 {
    /// Takes little-endian scalars, and for points the generators' multiples by them.
    pub(super) fn load(scalars: &[u8]) -> Self {
        let decode = |bytes: &[u8; 32]| Option::<Fr>::from(Fr::from_repr((*bytes).into()));
        let scalars: Vec<Fr> = scalars.as_chunks().0.iter().filter_map(decode).collect();
        let g1: Vec<G1> = scalars.iter().map(|scalar| G1::generator() * scalar).collect();
        let g2: Vec<G2> = scalars.iter().map(|scalar| G2::generator() * scalar).collect();
        let mut affine1 = vec![G1Affine::default(); g1.len()];
        G1::batch_normalize(&g1, &mut affine1);
        let mut affine2 = vec![G2Affine::default(); g2.len()];
        G2::batch_normalize(&g2, &mut affine2);
        let root = |size: usize| {
            let further = Fr::S - size.trailing_zeros();
            (0..further).fold(Fr::ROOT_OF_UNITY, |root, _| root.square())
        };
        let transforms = Transforms::load(&scalars, root);
        Self { g1: affine1, g2: affine2, scalars, transforms }
    }
}

impl Library for Halo2 {
    fn name(&self) -> &'static str {
        "halo2curves BN254"
    }

    fn run(&self, operation: Operation, count: usize) -> bool {
        if operation == Operation::Transform {
            return self.transforms.run(count, |root, values| {
                best_fft(values, *root, count.trailing_zeros());
            });
        }
        let (g1, g2, scalars) = (&self.g1[..count], &self.g2[..count], &self.scalars[..count]);
        match operation {
            Operation::ScaleG1 => {
                let scaled: Vec<G1> = g1.iter().zip(scalars).map(|(p, s)| p * s).collect();
                let mut affine = vec![G1Affine::default(); count];
                G1::batch_normalize(&scaled, &mut affine);
                black_box(affine);
            }
            Operation::ScaleG2 => {
                let scaled: Vec<G2> = g2.iter().zip(scalars).map(|(p, s)| p * s).collect();
                let mut affine = vec![G2Affine::default(); count];
                G2::batch_normalize(&scaled, &mut affine);
                black_box(affine);
            }
            Operation::AddG1 => {
                black_box(g1.iter().fold(G1::identity(), |sum, point| sum + point));
            }
            Operation::AddG2 => {
                black_box(g2.iter().fold(G2::identity(), |sum, point| sum + point));
            }
            Operation::MsmG1 => {
                black_box(msm_best(scalars, g1));
            }
            Operation::MsmG2 => {
                black_box(msm_best(scalars, g2));
            }
            Operation::Pairing => {
                let pairs: Vec<_> = g1.iter().zip(g2).collect();
                black_box(Bn256::multi_miller_loop(&pairs).final_exponentiation());
            }
            Operation::FixedBaseG1 | Operation::FixedBaseG2 | Operation::Transform => return false,
        }
        true
    }
}
