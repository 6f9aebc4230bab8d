//! The kernels of every group beside the plain calls of the libraries below.
//!
//! `cargo bench -p subrosa-algebra -- 'BLS12-381 G1/msm'` runs a part.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a bench may panic")]
#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use std::hint::black_box;

use algebra::{
    Bls12381, Bls12381G1, Bls12381G2, Bn254, Bn254G1, Bn254G2, FixedBaseTable, Group, Pairing,
    Ristretto255, Scalar,
};
use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use curve25519_dalek::{ristretto::CompressedRistretto, traits::VartimeMultiscalarMul};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

const SIZES: [usize; 4] = [4, 64, 1_000, 10_000];
const LARGEST: usize = 10_000;

/// The same operations by the library that implements the group.
trait Plain: Group {
    const LIBRARY: &'static str;

    fn plain_mul(&self, scalar: &Self::Scalar) -> Self;
    fn plain_mul_generator(scalar: &Self::Scalar) -> Self;
    fn plain_msm(scalars: &[Self::Scalar], points: &[Self]) -> Self;
    fn plain_encode(&self) -> Vec<u8>;
    fn plain_decode(bytes: &[u8]) -> Self;
}

impl Plain for Ristretto255 {
    const LIBRARY: &'static str = "dalek";

    fn plain_mul(&self, scalar: &Self::Scalar) -> Self {
        self * scalar
    }

    fn plain_mul_generator(scalar: &Self::Scalar) -> Self {
        Self::mul_base(scalar)
    }

    fn plain_msm(scalars: &[Self::Scalar], points: &[Self]) -> Self {
        Self::vartime_multiscalar_mul(scalars, points)
    }

    fn plain_encode(&self) -> Vec<u8> {
        self.compress().to_bytes().to_vec()
    }

    fn plain_decode(bytes: &[u8]) -> Self {
        CompressedRistretto::from_slice(bytes).unwrap().decompress().unwrap()
    }
}

macro_rules! plain_arkworks {
    ($($group:ty),+) => {$(
        impl Plain for $group {
            const LIBRARY: &'static str = "arkworks";

            fn plain_mul(&self, scalar: &Self::Scalar) -> Self {
                *self * scalar
            }

            fn plain_mul_generator(scalar: &Self::Scalar) -> Self {
                <Self as PrimeGroup>::generator() * scalar
            }

            fn plain_msm(scalars: &[Self::Scalar], points: &[Self]) -> Self {
                <Self as VariableBaseMSM>::msm(&Self::normalize_batch(points), scalars).unwrap()
            }

            fn plain_encode(&self) -> Vec<u8> {
                let mut bytes = Vec::new();
                self.serialize_compressed(&mut bytes).unwrap();
                bytes
            }

            fn plain_decode(bytes: &[u8]) -> Self {
                Self::deserialize_compressed(bytes).unwrap()
            }
        }
    )+};
}

plain_arkworks!(Bls12381G1, Bls12381G2, Bn254G1, Bn254G2);

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

fn single<G: Plain>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(G::NAME);
    let scalar = G::Scalar::random(&mut rng());
    // Doubled, lest the point be in affine form.
    let point = G::hash_to_group(b"bench").double();
    let table = FixedBaseTable::new(&point);
    let bytes = point.encode();
    let library = |name: &str| format!("{name}/{}", G::LIBRARY);

    group.bench_function("mul/ours", |b| b.iter(|| black_box(&point).mul(&scalar)));
    group.bench_function(library("mul"), |b| b.iter(|| black_box(&point).plain_mul(&scalar)));
    group.bench_function("mul_table/ours", |b| b.iter(|| table.mul(black_box(&scalar))));
    group.bench_function("mul_generator/ours", |b| {
        b.iter(|| G::mul_generator(black_box(&scalar)));
    });
    group.bench_function(library("mul_generator"), |b| {
        b.iter(|| G::plain_mul_generator(black_box(&scalar)));
    });
    group.bench_function("encode/ours", |b| b.iter(|| black_box(&point).encode()));
    group.bench_function(library("encode"), |b| b.iter(|| black_box(&point).plain_encode()));
    group.bench_function("decode/ours", |b| b.iter(|| G::decode(black_box(&bytes))));
    group.bench_function(library("decode"), |b| b.iter(|| G::plain_decode(black_box(&bytes))));
    group.bench_function("hash/ours", |b| b.iter(|| G::hash_to_group(black_box(b"label"))));
    group.finish();
}

fn many<G: Plain>(criterion: &mut Criterion) {
    let scalars = G::Scalar::random_many(LARGEST, &mut rng());
    let short: Vec<u128> = scalars.iter().map(low_half).collect();
    let points: Vec<G> = scalars.iter().rev().map(G::mul_generator).collect();
    let mut group = criterion.benchmark_group(G::NAME);
    group.sample_size(10);
    for size in SIZES {
        let (scalars, short, points) = (&scalars[..size], &short[..size], &points[..size]);
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(format!("msm/{size}/ours"), |b| b.iter(|| G::msm(scalars, points)));
        group.bench_function(format!("msm/{size}/{}", G::LIBRARY), |b| {
            b.iter(|| G::plain_msm(scalars, points));
        });
        group.bench_function(format!("msm_short/{size}/ours"), |b| {
            b.iter(|| G::msm_short(short, points));
        });
    }
    group.bench_function(format!("encode_all/{LARGEST}/ours"), |b| {
        b.iter(|| G::encode_all(&points));
    });
    group.finish();
}

fn low_half<S: Scalar>(scalar: &S) -> u128 {
    let bytes = scalar.encode();
    u128::from_le_bytes(*bytes.first_chunk().expect("32 bytes"))
}

fn pairing<E: Pairing>(criterion: &mut Criterion) {
    let pair = (E::G1::hash_to_group(b"bench"), E::G2::hash_to_group(b"bench"));
    let mut group = criterion.benchmark_group(E::NAME);
    for count in [1, 4, 16] {
        let pairs = vec![pair; count];
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(format!("multi_pairing/{count}/ours"), |b| {
            b.iter(|| E::multi_pairing(black_box(&pairs)));
        });
    }
    group.finish();
}

criterion_group! {
    name = groups;
    config = Criterion::default().without_plots();
    targets = single::<Ristretto255>, many::<Ristretto255>, single::<Bls12381G1>,
        many::<Bls12381G1>, single::<Bls12381G2>, many::<Bls12381G2>, single::<Bn254G1>,
        many::<Bn254G1>, single::<Bn254G2>, many::<Bn254G2>, pairing::<Bls12381>,
        pairing::<Bn254>
}
criterion_main!(groups);
