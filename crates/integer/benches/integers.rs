//! Integers modulo RSA-2048 and its square, on one thread, by whichever library is compiled in:
//!
//! `RAYON_NUM_THREADS=1 cargo bench -p subrosa-integer --bench integers`, and with `--features gmp`
#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use integer::{FixedBase, Integer, Modulus, random_below, random_bits};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Bits of long exponents, and of those that weigh equations.
const LONG: u32 = 2048;
const SHORT: u32 = 128;
/// Factors of a product of powers.
const FACTORS: usize = 500;
/// Bits of an integer that stands for an element of a set.
const PRIME: u32 = 252;

fn library() -> &'static str {
    if cfg!(feature = "gmp") { "gmp" } else { "rust" }
}

fn modular(criterion: &mut Criterion, modulus: &Modulus, rng: &mut ChaCha20Rng) {
    let mut group = criterion.benchmark_group(format!("{}/{}", library(), modulus.bits()));
    group.sample_size(10);
    let mut element = || random_below(modulus.value(), rng).expose().clone();
    let (base, other) = (element(), element());
    let bases: Vec<Integer> = (0..FACTORS).map(|_| element()).collect();
    group.bench_function("multiply", |b| b.iter(|| modulus.mul(black_box(&base), &other)));
    group.bench_function("invert", |b| b.iter(|| modulus.invert(black_box(&base))));
    let table = FixedBase::new(modulus, &base, LONG);
    for bits in [SHORT, LONG] {
        let exponent = random_bits(bits, rng);
        let id = |name: &str| BenchmarkId::new(name, bits);
        group.bench_function(id("power"), |b| {
            b.iter(|| modulus.pow(black_box(&base), exponent.expose()));
        });
        group.bench_function(id("power of a secret"), |b| {
            b.iter(|| modulus.secure_pow(black_box(&base), &exponent));
        });
        group.bench_function(id("power by table"), |b| {
            b.iter(|| table.pow(black_box(exponent.expose())));
        });
    }
    let weights: Vec<Integer> =
        (0..FACTORS).map(|_| random_bits(SHORT, rng).expose().clone()).collect();
    group.bench_function(BenchmarkId::new("product of powers", FACTORS), |b| {
        b.iter(|| modulus.multi_exp(black_box(&bases), &weights));
    });
}

fn primes(criterion: &mut Criterion, rng: &mut ChaCha20Rng) {
    let mut group = criterion.benchmark_group(format!("{}/primes", library()));
    group.sample_size(10);
    let start = (Integer::from(1) << (PRIME - 1)) + random_bits(PRIME - 2, rng).expose();
    group.bench_function("next", |b| b.iter(|| black_box(&start).clone().next_prime()));
    let prime = start.clone().next_prime();
    group.bench_function("test", |b| b.iter(|| black_box(&prime).is_probably_prime(40)));
}

fn integers(criterion: &mut Criterion) {
    let rng = &mut ChaCha20Rng::seed_from_u64(1);
    let modulus = Modulus::rsa_2048();
    modular(criterion, &modulus, rng);
    modular(criterion, &modulus.squared(), rng);
    primes(criterion, rng);
}

criterion_group!(benches, integers);
criterion_main!(benches);
