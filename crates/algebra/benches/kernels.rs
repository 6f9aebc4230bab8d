//! The kernels on affine slices, on one thread, beside arkworks and (BLS12-381) blst.
//!
//! `taskset -c 1 cargo bench -p subrosa-algebra --bench kernels -- 'BN254 G1/msm'` runs a part; without
//! `taskset`, arkworks' sums take further threads.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a bench may panic")]
#![allow(missing_docs, reason = "criterion_group! makes a public function")]

#[path = "../src/operations/blst.rs"]
mod rival;

use std::hint::black_box;

use algebra::{
    AffineGroup, Bls12381, Bls12381G1, Bls12381G2, Bn254, Bn254G1, Bn254G2, Domain, FixedBaseTable,
    Group, Pairing, Scalar,
};
use ark_ec::{
    CurveGroup, VariableBaseMSM,
    pairing::Pairing as Engine,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_ff::PrimeField;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use rival::{G1, G2, Pairs, Rival};

const SCALED: usize = 4096;
const SUMMED: [usize; 3] = [1 << 10, 1 << 13, 1 << 16];
const CHECKED: [usize; 3] = [1_000, 10_000, 100_000];
const DECODED: usize = 1_000;
const PAIRS: [usize; 5] = [1, 2, 4, 16, 64];
const TRANSFORMED: usize = 1 << 10;
const FIELD_TRANSFORMED: usize = 1 << 18;

/// arkworks' own operations.
trait Plain: AffineGroup {
    fn plain_scale(points: &[Self::Affine], scalars: &[Self::Scalar]) -> Vec<Self::Affine>;
    fn plain_msm(points: &[Self::Affine], scalars: &[Self::Scalar]) -> Self;
    fn plain_fft(points: &mut Vec<Self>);
}

impl<P: SWCurveConfig> Plain for Projective<P>
where
    Self: AffineGroup<Affine = Affine<P>, Scalar = P::ScalarField>,
{
    fn plain_scale(points: &[Affine<P>], scalars: &[P::ScalarField]) -> Vec<Affine<P>> {
        let scaled = points.iter().zip(scalars).map(|(&point, scalar)| point * scalar);
        <Self as CurveGroup>::normalize_batch(&scaled.collect::<Vec<_>>())
    }

    fn plain_msm(points: &[Affine<P>], scalars: &[P::ScalarField]) -> Self {
        VariableBaseMSM::msm(points, scalars).unwrap()
    }

    fn plain_fft(points: &mut Vec<Self>) {
        let domain = Radix2EvaluationDomain::<P::ScalarField>::new(points.len()).unwrap();
        domain.fft_in_place(points);
    }
}

/// Not a bench: makes the thread pool that the others use.
fn one_thread(_: &mut Criterion) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
}

fn scalars<S: Scalar>(count: usize) -> Vec<S> {
    S::random_many(count, &mut ChaCha20Rng::from_seed([7; 32]))
}

fn points<G: AffineGroup>(count: usize) -> Vec<G::Affine> {
    let table = FixedBaseTable::new(&G::hash_to_group(b"bench"));
    G::to_affine_all(&table.mul_all(&scalars(count)))
}

fn bench_group<G: Plain>(criterion: &mut Criterion, rival: Option<impl Rival>) {
    let mut bench = criterion.benchmark_group(G::NAME);
    bench.sample_size(10);
    let count = SUMMED[SUMMED.len() - 1];
    let (points, scalars) = (points::<G>(count), scalars::<G::Scalar>(count + 1));
    let rival = rival.map(|rival| {
        let projective: Vec<_> = points.iter().map(G::from_affine).collect();
        rival.load(&G::encode_all(&projective), &G::Scalar::encode_all(&scalars[1..]))
    });
    scaling::<G>(&mut bench, &points[..SCALED], &scalars[1..], rival.as_ref());
    sums::<G>(&mut bench, &points, &scalars[1..], rival.as_ref());
    transforms::<G>(&mut bench, &points[..TRANSFORMED]);
    bench.finish();
}

fn scaling<G: Plain>(
    bench: &mut BenchmarkGroup<'_, WallTime>,
    points: &[G::Affine],
    scalars: &[G::Scalar],
    rival: Option<&impl Rival>,
) {
    bench.throughput(Throughput::Elements(SCALED as u64));
    let mut scaled = points.to_vec();
    bench.bench_function("scale_each/ours", |b| b.iter(|| G::scale_each(&mut scaled, scalars)));
    bench.bench_function("scale_all/ours", |b| b.iter(|| G::scale_all(&mut scaled, &scalars[0])));
    bench.bench_function("scale_each/arkworks", |b| b.iter(|| G::plain_scale(points, scalars)));
    if let Some(rival) = rival {
        bench.bench_function("scale_each/blst", |b| b.iter(|| rival.scale(SCALED)));
    }
}

fn sums<G: Plain>(
    bench: &mut BenchmarkGroup<'_, WallTime>,
    points: &[G::Affine],
    scalars: &[G::Scalar],
    rival: Option<&impl Rival>,
) {
    let low =
        |scalar: &G::Scalar| u128::from_le_bytes(*scalar.encode().first_chunk().expect("32 bytes"));
    let short: Vec<_> = scalars.iter().map(low).collect();
    for count in SUMMED {
        let (points, scalars, short) = (&points[..count], &scalars[..count], &short[..count]);
        bench.throughput(Throughput::Elements(count as u64));
        bench.bench_function(format!("msm/{count}/ours"), |b| {
            b.iter(|| G::msm_affine(scalars, points));
        });
        bench.bench_function(format!("msm_short/{count}/ours"), |b| {
            b.iter(|| G::msm_short_affine(short, points));
        });
        bench.bench_function(format!("msm/{count}/arkworks"), |b| {
            b.iter(|| G::plain_msm(points, scalars));
        });
        if let Some(rival) = rival {
            for (name, bits) in [("msm", 255), ("msm_short", 128)] {
                bench.bench_function(format!("{name}/{count}/blst"), |b| {
                    b.iter(|| rival.msm(count, bits));
                });
            }
        }
    }
}

fn transforms<G: Plain>(bench: &mut BenchmarkGroup<'_, WallTime>, points: &[G::Affine]) {
    let domain = Domain::new(points.len()).unwrap();
    bench.throughput(Throughput::Elements(points.len() as u64));
    let mut values = points.to_vec();
    bench.bench_function("fft/ours", |b| b.iter(|| G::fft(&domain, &mut values)));
    let mut values: Vec<_> = points.iter().map(G::from_affine).collect();
    bench.bench_function("fft/arkworks", |b| b.iter(|| G::plain_fft(&mut values)));
}

fn groups(criterion: &mut Criterion) {
    bench_group::<Bn254G1>(criterion, None::<G1>);
    bench_group::<Bn254G2>(criterion, None::<G2>);
    bench_group::<Bls12381G1>(criterion, Some(G1::default()));
    bench_group::<Bls12381G2>(criterion, Some(G2::default()));
}

/// Subgroup checks, one by one and by random sums; and what decoding costs with each.
fn subgroup<G: AffineGroup>(criterion: &mut Criterion) {
    let mut rng = ChaCha20Rng::from_seed([8; 32]);
    let points = points::<G>(CHECKED[CHECKED.len() - 1]);
    let mut bench = criterion.benchmark_group(G::NAME);
    bench.sample_size(10);
    for count in [100, 200, 400].into_iter().chain(CHECKED) {
        let points = &points[..count];
        bench.throughput(Throughput::Elements(count as u64));
        bench.bench_function(format!("subgroup/{count}/one by one"), |b| {
            b.iter(|| G::check_subgroup_all(points).unwrap());
        });
        bench.bench_function(format!("subgroup/{count}/sums"), |b| {
            b.iter(|| G::check_subgroup_batch(points, &mut rng).unwrap());
        });
    }
    let projective: Vec<_> = points[..DECODED].iter().map(G::from_affine).collect();
    let bytes = G::encode_all(&projective);
    bench.throughput(Throughput::Elements(DECODED as u64));
    bench.bench_function(format!("decode/{DECODED}/one by one"), |b| {
        b.iter(|| G::decode_all(&bytes).unwrap());
    });
    bench.bench_function(format!("decode/{DECODED}/sums"), |b| {
        b.iter(|| G::decode_batch(&bytes, &mut rng).unwrap());
    });
}

fn subgroups(criterion: &mut Criterion) {
    subgroup::<Bls12381G1>(criterion);
    subgroup::<Bls12381G2>(criterion);
    subgroup::<Bn254G2>(criterion);
}

fn pairing<E>(criterion: &mut Criterion, blst: bool)
where
    E: Engine
        + Pairing<
            G1: AffineGroup<Affine = <E as Engine>::G1Affine>,
            G2: AffineGroup<Affine = <E as Engine>::G2Affine>,
        >,
{
    let count = PAIRS[PAIRS.len() - 1];
    let left: Vec<_> = scalars(count).iter().map(<E as Pairing>::G1::mul_generator).collect();
    let right: Vec<_> = scalars(count).iter().map(<E as Pairing>::G2::mul_generator).collect();
    let pairs: Vec<_> = left.iter().copied().zip(right.iter().copied()).collect();
    let prepared = E::prepare(&right);
    let fixed: Vec<_> = left.iter().copied().zip(&prepared).collect();
    let (left_affine, right_affine) =
        (AffineGroup::to_affine_all(&left), AffineGroup::to_affine_all(&right));
    let blst = blst.then(|| Pairs::load(&Group::encode_all(&left), &Group::encode_all(&right)));

    let mut bench = criterion.benchmark_group(E::NAME);
    bench.sample_size(20);
    for count in PAIRS {
        bench.throughput(Throughput::Elements(count as u64));
        bench.bench_function(format!("multi_pairing/{count}/ours"), |b| {
            b.iter(|| <E as Pairing>::multi_pairing(black_box(&pairs[..count])));
        });
        bench.bench_function(format!("multi_pairing/{count}/ours, prepared"), |b| {
            b.iter(|| E::multi_pairing_with(&[], black_box(&fixed[..count])));
        });
        bench.bench_function(format!("multi_pairing/{count}/arkworks"), |b| {
            let (left, right) = (&left_affine[..count], &right_affine[..count]);
            b.iter(|| <E as Engine>::multi_pairing(left.iter().copied(), right.iter().copied()));
        });
        if let Some(blst) = &blst {
            bench.bench_function(format!("multi_pairing/{count}/blst"), |b| {
                b.iter(|| blst.multi_pairing(count));
            });
        }
    }
}

fn pairings(criterion: &mut Criterion) {
    pairing::<Bn254>(criterion, false);
    pairing::<Bls12381>(criterion, true);
}

fn field<S: algebra::FftScalar + PrimeField>(criterion: &mut Criterion, name: &str) {
    let domain = Domain::<S>::new(FIELD_TRANSFORMED).unwrap();
    let plain = Radix2EvaluationDomain::<S>::new(FIELD_TRANSFORMED).unwrap();
    let mut values = scalars::<S>(FIELD_TRANSFORMED);
    let mut bench = criterion.benchmark_group(format!("{name} scalars"));
    bench.sample_size(20).throughput(Throughput::Elements(FIELD_TRANSFORMED as u64));
    bench.bench_function("fft/ours", |b| b.iter(|| domain.fft(&mut values)));
    bench.bench_function("fft_to_reversed/ours", |b| {
        b.iter(|| domain.fft_to_reversed(&mut values));
    });
    bench.bench_function("ifft/ours", |b| b.iter(|| domain.ifft(&mut values)));
    bench.bench_function("fft/arkworks", |b| b.iter(|| plain.fft_in_place(&mut values)));
}

fn fields(criterion: &mut Criterion) {
    field::<<Bn254G1 as Group>::Scalar>(criterion, "BN254");
    field::<<Bls12381G1 as Group>::Scalar>(criterion, "BLS12-381");
}

criterion_group! {
    name = kernels;
    config = Criterion::default().without_plots();
    targets = one_thread, groups, subgroups, pairings, fields
}
criterion_main!(kernels);
