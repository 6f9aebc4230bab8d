//! The core operations: appending, proofs from tiles, their verification, checkpoints.
//!
//! `cargo bench --bench log`. The log has 100,000 leaves, in memory.
#![allow(clippy::unwrap_used, reason = "a fault here is a failed run")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use log::{
    AddCheckpoint, Checkpoint, Header, Identity, Leaf, MemoryTiles, MemoryWitness, Tree, Witness,
    merkle::{self, Hash, leaf_hash},
};

const SIZE: u64 = 100_000;

fn log(size: u64) -> Tree<MemoryTiles> {
    let mut tree = Tree::new(MemoryTiles::default());
    let leaves: Vec<Hash> = (0..size).map(|at| leaf_hash(&at.to_le_bytes())).collect();
    tree.append(&leaves).unwrap();
    tree
}

fn trees(c: &mut Criterion) {
    let tree = log(SIZE);
    let root = tree.root().unwrap();
    let leaf = leaf_hash(b"one more");
    let mut group = c.benchmark_group("log");
    // A log of its own each time: the tiles of 100,000 leaves are not what is copied.
    let small = log(1_000);
    group.bench_function("append one leaf", |b| {
        b.iter_batched_ref(
            || small.clone(),
            |tree| tree.append(&[leaf]).unwrap(),
            BatchSize::SmallInput,
        );
    });
    let many = vec![leaf; 1_000];
    group.bench_function("append 1,000 leaves at once", |b| {
        b.iter_batched_ref(
            || small.clone(),
            |tree| tree.append(&many).unwrap(),
            BatchSize::SmallInput,
        );
    });
    group.bench_function("inclusion, prove", |b| {
        b.iter(|| merkle::inclusion_proof(&tree, black_box(77_777), SIZE).unwrap());
    });
    let proof = merkle::inclusion_proof(&tree, 77_777, SIZE).unwrap();
    let shown = leaf_hash(&77_777_u64.to_le_bytes());
    group.bench_function("inclusion, verify", |b| {
        b.iter(|| merkle::verify_inclusion((77_777, &shown), (SIZE, &root), &proof).unwrap());
    });
    let old_root = merkle::root_of(&tree, 33_333).unwrap();
    group.bench_function("consistency, prove", |b| {
        b.iter(|| merkle::consistency_proof(&tree, black_box(33_333), SIZE).unwrap());
    });
    let proof = merkle::consistency_proof(&tree, 33_333, SIZE).unwrap();
    group.bench_function("consistency, verify", |b| {
        let (old, new) = ((33_333, &old_root), (SIZE, &root));
        b.iter(|| merkle::verify_consistency(old, new, &proof).unwrap());
    });
    group.finish();
}

fn signatures(c: &mut Criterion) {
    let [keeper, author, own] = [1, 2, 3].map(|seed| Identity::from_seed(&[seed; 32]));
    let origin: log::Origin = "example.org/bench".parse().unwrap();
    let tree = log(SIZE);
    let checkpoint = Checkpoint::new(origin.clone(), SIZE, tree.root().unwrap());
    let mut witness = Witness::new("witness.example/w".parse().unwrap(), own);
    witness.follow(origin.clone(), keeper.id()).unwrap();
    let signed = checkpoint.clone().sign(&keeper).unwrap();
    let body = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint: signed }.to_text();
    let mut group = c.benchmark_group("log");
    group.bench_function("checkpoint, sign", |b| {
        b.iter_batched(
            || checkpoint.clone(),
            |checkpoint| checkpoint.sign(&keeper).unwrap(),
            BatchSize::SmallInput,
        );
    });
    group.bench_function("add-checkpoint, a witness", |b| {
        b.iter_batched_ref(
            MemoryWitness::default,
            |memory| witness.add_checkpoint(memory, body.as_bytes(), 1).unwrap(),
            BatchSize::SmallInput,
        );
    });
    let header = Header::sign(&author, &origin, ("bench", b"1"), 1, b"payload").unwrap();
    group.bench_function("entry, verify and hash", |b| {
        b.iter(|| {
            header.verify(&origin).unwrap();
            Leaf { time: 1, header: header.clone() }.hash()
        });
    });
    group.finish();
}

criterion_group!(benches, trees, signatures);
criterion_main!(benches);
