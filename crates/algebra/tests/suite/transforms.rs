//! Fourier transforms against their definition and against arkworks'.

use algebra::{
    AffineGroup, Bls12381G1, Bn254G1, Domain, DomainError, FftScalar, Group, Scalar,
    scale_by_powers,
};
use ark_ff::PrimeField;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use proptest::prelude::*;

use crate::common::{random_points, rng};

macro_rules! for_all_curves {
    ($($test:ident),+ $(,)?) => {
        for_all_groups!(@ bls12_381_g1, algebra::Bls12381G1, $($test),+);
        for_all_groups!(@ bls12_381_g2, algebra::Bls12381G2, $($test),+);
        for_all_groups!(@ bn254_g1, algebra::Bn254G1, $($test),+);
        for_all_groups!(@ bn254_g2, algebra::Bn254G2, $($test),+);
    };
}

for_all_curves!(points_transform_like_their_logarithms, special_points);

type Bn254Scalar = <Bn254G1 as Group>::Scalar;
type Bls12381Scalar = <Bls12381G1 as Group>::Scalar;

/// Σ_j values_j ω^{ij} for every i.
fn transform<S: FftScalar>(domain: &Domain<S>, values: &[S]) -> Vec<S> {
    let mut point = S::one();
    let mut outputs = Vec::new();
    for _ in values {
        outputs.push(values.iter().rev().fold(S::zero(), |sum, &value| sum * point + value));
        point *= domain.root();
    }
    assert!(point == S::one());
    outputs
}

fn transforms_of<S: FftScalar>(domain: &Domain<S>, seed: u8) {
    let values = S::random_many(domain.len(), &mut rng(seed));
    let expected = transform(domain, &values);
    let mut outputs = values.clone();
    domain.fft(&mut outputs);
    assert!(outputs == expected);
    domain.ifft(&mut outputs);
    assert!(outputs == values);
    domain.fft_to_reversed(&mut outputs);
    domain.ifft_from_reversed(&mut outputs);
    assert!(outputs == values);
}

#[test]
fn scalars_transform_by_definition() {
    for log in 0..8 {
        transforms_of(&Domain::<Bn254Scalar>::new(1 << log).unwrap(), 1);
        transforms_of(&Domain::<Bls12381Scalar>::new(1 << log).unwrap(), 2);
    }
}

/// Of random elements and of the largest, in both orders.
fn long_transforms_of<S: FftScalar + PrimeField>() {
    for log in [9, 13, 14, 15] {
        let domain = Domain::<S>::new(1 << log).unwrap();
        let plain = Radix2EvaluationDomain::<S>::new(1 << log).unwrap();
        assert_eq!(domain.root(), plain.group_gen());
        assert_eq!(domain.size_inverse(), plain.size_inv());
        let random = S::random_many(1 << log, &mut rng(3));
        for values in [random, vec![-<S as Scalar>::one(); 1 << log]] {
            let (mut ours, mut theirs) = (values.clone(), values.clone());
            domain.fft(&mut ours);
            plain.fft_in_place(&mut theirs);
            assert_eq!(ours, theirs);
            domain.ifft(&mut ours);
            assert_eq!(ours, values);
            domain.fft_to_reversed(&mut ours);
            let reversed = |index: usize| index.reverse_bits() >> (usize::BITS - log);
            assert!((0..1 << log).all(|index| ours[reversed(index)] == theirs[index]));
            domain.ifft_from_reversed(&mut ours);
            assert_eq!(ours, values);
        }
    }
}

#[test]
fn long_transforms_agree_with_arkworks() {
    long_transforms_of::<Bn254Scalar>();
    long_transforms_of::<Bls12381Scalar>();
}

/// snarkjs' roots: 5^((r − 1)/2^s) on both curves.
#[test]
fn other_roots() {
    let root = |hex: &str| {
        let digits = hex.chars().map(|c| u64::from(c.to_digit(16).unwrap()));
        let sixteen = Bls12381Scalar::from_u64(16);
        digits.fold(Bls12381Scalar::zero(), |sum, d| sum * sixteen + Bls12381Scalar::from_u64(d))
    };
    let snarkjs = root("212d79e5b416b6f0fd56dc8d168d6c0c4024ff270b3e0941b788f500b912f1f");
    let arkworks = root("16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2b");
    assert_eq!(Bls12381Scalar::two_adic_root(), arkworks);
    let domain = Domain::with_root(16, snarkjs, 32).unwrap();
    assert_ne!(domain.root(), Domain::<Bls12381Scalar>::new(16).unwrap().root());
    transforms_of(&domain, 4);
    transforms_of(&Domain::with_root(1, snarkjs, 32).unwrap(), 4);

    let error = |size, root, log_order| Domain::with_root(size, root, log_order).unwrap_err();
    for size in [0, 3, 6, 1 << 33] {
        assert_eq!(error(size, snarkjs, 32), DomainError::Size { size });
    }
    let square = snarkjs * snarkjs;
    assert_eq!(error(1 << 32, square, 31), DomainError::Size { size: 1 << 32 });
    for (root, log_order) in [(square, 32), (snarkjs, 31), (snarkjs, 33), (snarkjs, 0)] {
        assert_eq!(error(2, root, log_order), DomainError::Root { log_order });
    }
    assert_eq!(error(2, Scalar::zero(), 5), DomainError::Root { log_order: 5 });
    let one = Domain::<Bls12381Scalar>::with_root(1, Scalar::one(), 0).unwrap();
    assert_eq!((one.len(), one.root()), (1, Scalar::one()));
}

#[test]
fn powers_scale_in_parallel_as_one_by_one() {
    let (start, base) = (Bn254Scalar::from_u64(3), Bn254Scalar::from_u64(7));
    for len in [0, 1, 5, 4095, 4096, 4097, 8191, 8192, 8193, 10_000] {
        let mut values = vec![Bn254Scalar::from_u64(2); len];
        scale_by_powers(&mut values, start, base);
        let powers = std::iter::successors(Some(start + start), |&power| Some(power * base));
        assert!(values.into_iter().eq(powers.take(len)));
    }
}

fn points_transform_like_their_logarithms<G: AffineGroup>() {
    // In the last, halves of one batch and of two.
    for log in [0, 1, 2, 5, 12] {
        let domain = Domain::new(1 << log).unwrap();
        let mut logarithms = G::Scalar::random_many(1 << log, &mut rng(5));
        let of_logarithms = |logarithms: &[G::Scalar]| {
            G::to_affine_all(&logarithms.iter().map(G::mul_generator).collect::<Vec<_>>())
        };
        let before = of_logarithms(&logarithms);
        let mut points = before.clone();
        G::fft(&domain, &mut points);
        domain.fft(&mut logarithms);
        assert!(points == of_logarithms(&logarithms));
        G::ifft(&domain, &mut points);
        assert!(points == before);
    }
}

/// Neutral, equal and opposite points meet in butterflies.
fn special_points<G: AffineGroup>() {
    let domain = Domain::new(64).unwrap();
    let (point, zero) = (random_points::<G>(1, 6)[0], G::identity());
    for cycle in [vec![zero], vec![point], vec![point, -point], vec![point, zero, zero, -point]] {
        let mut before = cycle.repeat(64 / cycle.len());
        before[0] = point;
        let before = G::to_affine_all(&before);
        let mut points = before.clone();
        G::fft(&domain, &mut points);
        for (index, output) in points.iter().enumerate().step_by(21) {
            let step = (0..index).fold(G::Scalar::one(), |power, _| power * domain.root());
            let mut powers = vec![G::Scalar::one(); 64];
            scale_by_powers(&mut powers, G::Scalar::one(), step);
            assert_eq!(G::from_affine(output), G::msm_affine(&powers, &before));
        }
        G::ifft(&domain, &mut points);
        assert!(points == before);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn transforms_by_definition(log in 0_u32..9, seed: u8) {
        transforms_of(&Domain::<Bn254Scalar>::new(1 << log).unwrap(), seed);
        transforms_of(&Domain::<Bls12381Scalar>::new(1 << log).unwrap(), seed);
    }
}
