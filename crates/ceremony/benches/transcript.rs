//! A ceremony of a thousand contributions, verified in one go: `verify` of a short file, in which the
//! contributions are all the work.
//!
//! `cargo bench -p subrosa-ceremony --bench transcript -- BN254` runs a part.

#![allow(clippy::unwrap_used, reason = "a bench may panic")]
#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use std::io::{Cursor, Read, Seek};

use algebra::{Bls12381, Bn254, Engine, Pairing};
use ceremony::{
    Snapshot, Trust,
    phase1::{self, Settings},
};
use circuit::ptau::{Contribution, Ptau, PtauWriter};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

const CONTRIBUTIONS: usize = 1000;
const POWER: u32 = 2;

/// The points of a file with other contributions.
fn with<E: Engine>(file: &mut (impl Read + Seek), all: &[Contribution<E>]) -> Cursor<Vec<u8>> {
    let ptau = Ptau::<E>::open(file).unwrap();
    let mut out = PtauWriter::<_, E>::new(Vec::new(), ptau.header(), false).unwrap();
    for id in 2..=6 {
        let section = ptau.table().unique(id).unwrap();
        out.copy(file, section, section.len).unwrap();
    }
    out.contributions(all).unwrap();
    Cursor::new(out.finish().unwrap())
}

/// The last file of a ceremony. Each contribution is made to a file with the one before alone, which
/// is all that it depends on; with all of them, time would grow with the square of their number.
fn transcript<E: Engine>() -> Cursor<Vec<u8>> {
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    let mut file = Cursor::new(Vec::new());
    phase1::new::<E>(&mut file, POWER, &()).unwrap();
    let mut all = Vec::with_capacity(CONTRIBUTIONS);
    for _ in 0..CONTRIBUTIONS {
        let mut next = Cursor::new(Vec::new());
        let mut old = Snapshot::take(&mut file, &()).unwrap();
        phase1::contribute::<E>(&mut old, &mut next, None, Trust::Skip, &mut rng, &()).unwrap();
        let ptau = Ptau::<E>::open(&mut next).unwrap();
        all.push(ptau.contributions(&mut next).unwrap().last().unwrap().unwrap());
        file = with(&mut next, all.last_chunk::<1>().unwrap());
    }
    with(&mut file, &all)
}

fn verify<E: Engine>(criterion: &mut Criterion) {
    let mut file = transcript::<E>();
    let mut rng = ChaCha20Rng::from_seed([8; 32]);
    let mut bench = criterion.benchmark_group(<E as Pairing>::NAME);
    bench.sample_size(10).throughput(Throughput::Elements(CONTRIBUTIONS as u64));
    bench.bench_function(format!("verify/{CONTRIBUTIONS} contributions"), |b| {
        b.iter(|| {
            phase1::verify::<E>(&mut file, &Settings::default(), &mut rng, &()).unwrap();
        });
    });
    bench.finish();
}

fn transcripts(criterion: &mut Criterion) {
    verify::<Bn254>(criterion);
    verify::<Bls12381>(criterion);
}

criterion_group! {
    name = transcript_benches;
    config = Criterion::default().without_plots();
    targets = transcripts
}
criterion_main!(transcript_benches);
