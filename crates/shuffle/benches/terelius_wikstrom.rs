//! The Terelius-Wikström shuffle of one column over ristretto255: what a mixer prepares, what it
//! does when the ballots are there, and what a verifier does.

use std::time::Duration;

use algebra::{Group, Ristretto255 as G, Scalar};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{
    Column, Mix, MixClaim, MixContext, PreparedMix, SecretKey, tw::Generators, verify_mixes,
};

const ROWS: usize = 1_000;
const MIXERS: u32 = 3;

fn context(mixer: u32) -> MixContext<'static> {
    MixContext { study: b"bench", mix: b"1", mixer, position: mixer }
}

fn terelius_wikstrom(criterion: &mut Criterion) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let generators = Generators::<G>::derive(ROWS);
    let key = SecretKey::generate(&mut rng).public_key();
    let ballots: Vec<_> = (0..ROWS)
        .map(|_| {
            let message = G::mul_generator(&Scalar::random(&mut rng));
            key.encrypt(&message, &Scalar::random(&mut rng))
        })
        .collect();
    let inputs = vec![Column::new(&ballots)];
    let prepare = |rng: &mut ChaCha20Rng| {
        PreparedMix::prepare(ROWS, &generators, &context(1), rng).expect("there are generators")
    };

    let mut chain = Vec::<Mix<G>>::new();
    for mixer in 1..=MIXERS {
        let before = chain.last().map_or(&inputs, |mix| &mix.outputs);
        let mix = Mix::new(&key, before, &generators, &context(mixer), &mut rng);
        chain.push(mix.expect("the columns match"));
    }
    let claims: Vec<_> =
        (1..).zip(&chain).map(|(mixer, mix)| MixClaim { context: context(mixer), mix }).collect();
    let verify = |claims: &[MixClaim<'_, G>]| {
        verify_mixes(&key, &inputs, claims, &generators).expect("the mixers are honest");
    };

    let (first, _) = claims.split_at(1);
    let mut group = criterion.benchmark_group(format!("terelius_wikstrom/{ROWS}"));
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("prepare", |bencher| bencher.iter(|| prepare(&mut rng.clone())));
    group.bench_function("mix", |bencher| {
        bencher.iter_batched(
            || (prepare(&mut rng.clone()), rng.clone()),
            |(prepared, mut rng)| prepared.mix(&key, &inputs, &context(1), &mut rng),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("verify", |bencher| bencher.iter(|| verify(first)));
    group.bench_function("verify a chain of 3", |bencher| bencher.iter(|| verify(&claims)));
    group.finish();
}

criterion_group!(benches, terelius_wikstrom);
criterion_main!(benches);
