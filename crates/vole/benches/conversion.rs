//! Whole sessions over memory, both parties: from the meeting to the verdict.
#![allow(clippy::unwrap_used, reason = "a bench may panic")]

use std::thread;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use vole::{
    Converter, Decomposition, Fp, Gf64, Prover, Session, Verifier, VoleError, conversion_demand,
};
use wire::Channel;

/// Numbers of a width, and their bits.
fn session<S: Session>(session: &mut S, num: usize, width: usize) -> Result<(), VoleError> {
    let (bits, values) = conversion_demand(session.setup().converter, num, width);
    session.reserve(bits + num * width, values + num)?;
    let bits = session.random::<Gf64>(num * width)?;
    let values = session.commit::<Fp>(num, || {
        let number = |bits: &[S::Linear<Gf64>]| {
            let bits = bits.iter().rev().map(|bit| u64::from(S::peek::<Gf64>(bit)));
            Fp::from(bits.fold(0, |number, bit| number << 1 | bit))
        };
        bits.chunks_exact(width).map(number).collect()
    })?;
    session.decompose(Decomposition::conversion(width, values, bits))?;
    session.check().map(|_| ())
}

fn both(converter: Converter, num: usize, width: usize) {
    let (mut left, mut right) = Channel::pair();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = ChaCha20Rng::seed_from_u64(1);
            Prover::run(&mut left, converter, b"", &mut rng, |prover| session(prover, num, width))
                .unwrap();
        });
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        Verifier::run(&mut right, converter, b"", &mut rng, |verifier| {
            session(verifier, num, width)
        })
        .unwrap();
    });
}

fn conversions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("conv");
    group.sample_size(10);
    for (name, converter) in Converter::NAMED {
        for (num, width) in [(4_096, 16), (4_096, 32)] {
            let size = format!("{num}x{width}");
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| both(converter, num, width));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, conversions);
criterion_main!(benches);
