//! Both parties over memory: the meeting, and correlations of each field.
#![allow(clippy::unwrap_used, reason = "a bench may panic")]

use std::thread;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use vole::{ParameterSet, ProverVole, VerifierVole};
use wire::Channel;

const SET: ParameterSet = ParameterSet::Dual21x24T512;

/// Two parties that have met.
struct Pair {
    prover: (ProverVole, Channel),
    verifier: (VerifierVole, Channel),
    rng: ChaCha20Rng,
}

impl Pair {
    fn connect() -> Self {
        let (mut left, mut right) = Channel::pair();
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let (prover, verifier) = thread::scope(|scope| {
            let prover = scope.spawn(|| {
                let mut rng = ChaCha20Rng::seed_from_u64(2);
                ProverVole::connect(&mut left, SET, b"", &mut rng).unwrap()
            });
            let verifier = VerifierVole::connect(&mut right, SET, b"", &mut rng).unwrap();
            (prover.join().unwrap(), verifier)
        });
        Self { prover: (prover, left), verifier: (verifier, right), rng }
    }

    fn extend(self, bits: usize, values: usize) -> Self {
        let Self { prover: (prover, mut left), verifier: (verifier, mut right), mut rng } = self;
        let (prover, verifier) = thread::scope(|scope| {
            let prover = scope.spawn(|| {
                let mut rng = ChaCha20Rng::seed_from_u64(3);
                prover.extend(bits, values, &mut left, &mut rng).unwrap().0
            });
            let verifier = verifier.extend(bits, values, &mut right, &mut rng).unwrap().0;
            (prover.join().unwrap(), verifier)
        });
        Self { prover: (prover, left), verifier: (verifier, right), rng }
    }
}

fn correlations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("vole");
    group.sample_size(10);
    group.bench_function("connect", |bencher| bencher.iter(Pair::connect));
    let mut pair = Some(Pair::connect());
    for (name, bits, values) in [
        ("bits", 1 << 16, 0),
        ("bits", 1 << 20, 0),
        ("bits", 1 << 22, 0),
        ("values", 0, 1 << 13),
        ("values", 0, 1 << 20),
    ] {
        group.throughput(Throughput::Elements((bits + values) as u64));
        group.bench_function(BenchmarkId::new(name, bits + values), |bencher| {
            bencher.iter(|| pair = pair.take().map(|pair| pair.extend(bits, values)));
        });
    }
    group.finish();
}

criterion_group!(benches, correlations);
criterion_main!(benches);
