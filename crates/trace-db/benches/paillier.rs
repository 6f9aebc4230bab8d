//! The Paillier side of the engine `db`: time for a list of [`ROWS`] items, on all cores;
//! decryption shares for [`DECRYPTED`] of them.
//!
//! `cargo bench -p subrosa-trace --bench paillier`, and with `--features gmp`
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::hint::black_box;

use algebra::Bls12381G1 as G;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use integer::random_bits;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::tw::*;
use trace_db::paillier::*;

const ROWS: usize = 500;
const DECRYPTED: usize = 50;
const SERVERS: u16 = 4;

fn context(server: u16, purpose: &[u8]) -> Context<'_> {
    Context { session: b"bench", purpose, server }
}

fn dealt(size: ModulusSize, rng: &mut ChaCha20Rng) -> (PublicKey, Vec<KeyShare>) {
    dealt::deal(size, Parties::all(SERVERS), rng).unwrap()
}

fn bcp(size: ModulusSize, rng: &mut ChaCha20Rng) -> (PublicKey, Vec<KeyShare>) {
    let parameters = bcp::Parameters::generate(size, rng).unwrap();
    let (shares, contributions): (Vec<_>, Vec<_>) =
        (1..=SERVERS).map(|server| parameters.contribute(&context(server, b"key"), rng)).unzip();
    (parameters.assemble(b"bench", &contributions).unwrap(), shares)
}

fn steps(c: &mut Criterion, key: &PublicKey, shares: &[KeyShare], rng: &mut ChaCha20Rng) {
    let mut group = c.benchmark_group("paillier");
    group.sample_size(10);
    let name = format!("{}-{}", key.scheme().name(), key.plain().bits());
    let id = |step: &str| BenchmarkId::new(step, &name);

    let key = &key.clone().with_tables();
    let plaintexts = (0..ROWS).map(|_| random_bits(PACKED_BITS, rng)).collect();
    let (list, openings) = key.encrypt(plaintexts, rng).unwrap();
    group.bench_function(id("re-randomise"), |b| b.iter(|| key.rerandomize(&list, rng)));

    let prover = context(1, b"bench");
    let prove =
        |rng: &mut _| PlaintextProofs::prove(key, &prover, &list, &openings, PACKED_BITS, rng);
    group.bench_function(id("prove plaintexts"), |b| b.iter(|| prove(rng)));
    let proofs = prove(rng).unwrap();
    let claim =
        PlaintextClaim { context: prover, ciphertexts: &list, bits: PACKED_BITS, proofs: &proofs };
    group.bench_function(id("verify plaintexts"), |b| {
        b.iter(|| verify_plaintexts(key, black_box(&[claim])).unwrap());
    });

    let generators = Generators::<G>::derive(ROWS);
    let permutation = Permutation::random(ROWS, rng);
    let committed = CommittedPermutation::commit(permutation, &generators, rng).unwrap();
    let mixer = PermutationContext { study: b"bench", mix: b"1", mixer: 1 };
    let proof = prove_permutation(&committed, &generators, &mixer, rng).unwrap();
    let commitment = committed.commitment().clone();
    let permutation = verify_permutation(commitment, &proof, &generators, &mixer).unwrap();
    let shuffled = shuffle_ciphertexts(key, &committed, &list, rng).unwrap();
    let prove = |rng: &mut _| {
        prove_shuffle(key, &prover, &generators, &committed, &list, &shuffled, rng).unwrap()
    };
    group.bench_function(id("prove shuffle"), |b| b.iter(|| prove(rng)));
    let proof = prove(rng);
    let claim = ShuffleClaim {
        context: prover,
        permutation: &permutation,
        before: &list,
        after: &shuffled.list,
        proof: &proof,
    };
    group.bench_function(id("verify shuffle"), |b| {
        b.iter(|| verify_shuffle(key, &generators, black_box(&claim)).unwrap());
    });

    let list = list.select(key, &(0..DECRYPTED).collect::<Vec<_>>());
    let decrypt = |rng: &mut _| {
        let decrypt = |share: &KeyShare| {
            share.decrypt(key, &context(share.server(), b"bench"), &list, rng).unwrap()
        };
        shares.iter().take(1).map(decrypt).collect::<Vec<_>>()
    };
    group.bench_function(id("decryption shares"), |b| b.iter(|| decrypt(rng)));
    let partials = decrypt(rng);
    group.bench_function(id("verify shares"), |b| {
        let verify = |partial: &PartialDecryption| partial.verify(key, &prover, &list).unwrap();
        b.iter(|| partials.iter().for_each(verify));
    });
}

fn paillier(c: &mut Criterion) {
    let rng = &mut ChaCha20Rng::seed_from_u64(1);
    for size in [ModulusSize::Bits2048, ModulusSize::Bits3072] {
        for make in [dealt, bcp] {
            let (key, shares) = make(size, rng);
            steps(c, &key, &shares, rng);
        }
    }
}

criterion_group!(benches, paillier);
criterion_main!(benches);
