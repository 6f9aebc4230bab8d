//! What one dishonest server and the querier could learn from products of blindings.

use algebra::{Group, Scalar};
use trace::{
    db::{rsm::*, *},
    *,
};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Encode};

use crate::support::*;

/// `c_i` of every row: everybody can compute them.
fn numbers(pass: &Pass, key: &G2) -> Vec<F> {
    let mut transcript = Transcript::new(b"subrosa/trace/db/bbs/numbers/v1");
    transcript.absorb(b"context", pass.id().as_bytes());
    transcript.absorb(b"y", &key.encode());
    let wides = transcript.challenge_wides(b"c, r", 2 * pass.outputs().rows());
    wides.as_chunks::<2>().0.iter().map(|[c, _]| F::from_wide(c)).collect()
}

/// `U3 = −b_c·Z_1 + δ_1·G + δ_2·E` of every row, from announcements, responses and challenge.
fn third(proof: &Proof<RsmStatement>) -> Vec<G1> {
    let e = G1::hash_to_group(b"subrosa/trace/db/E");
    let (statement, z, c) = (proof.statement(), proof.responses(), proof.announced().challenge());
    let z_1 = statement.commitments().points();
    let items = z_1.len();
    let announced = &proof.announced().sums().points()[2 * items..];
    (0..items)
        .map(|j| {
            let image = G1::generator().mul(&z[4][j]) + e.mul(&z[5][j]) - z_1[j].mul(&z[1][j]);
            (announced[j] - image).mul(&c.invert().unwrap())
        })
        .collect()
}

#[test]
fn an_error_in_a_masked_factor_finds_the_permutation() {
    let values = [4, 5, 6];
    let mut world = World::new(2, &values, Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 2], &[0, 1, 2]);
    let pass = world.pass(&query, Side::Asked);
    let (query, key) = world.rsm_query(pass.clone());
    let opened = world.rsm_open(query);
    let triples = deal(opened.query().pass(), &mut world.rng);
    let (mut commitments, mut factors) = world.rsm_factors(&opened, &triples);
    let mut bytes = factors[1].to_bytes();
    let epsilon = F::from_u64(7);
    for row in 0..3 {
        let at = 4 + 3 * 48 + 48 + 2 * 32 + 2 * 3 * 32 + 32 * row;
        let mut reader = wire::Reader::new(&bytes[at..at + 32]);
        let masked = shuffle::encode::scalar::<G1>(&mut reader, "d").unwrap() + epsilon;
        bytes[at..at + 32].copy_from_slice(&masked.encode());
    }
    factors[1] = RsmFactors::from_bytes(&bytes).unwrap();
    let parts: [&[u8]; 3] = [opened.digest().as_bytes(), &2_u16.to_le_bytes(), &bytes];
    commitments[1] = digest_of("trace/db/rsm/factors", &parts);
    let multiplied = RsmMultiplied::verify(opened, &commitments, &factors).unwrap();
    let (commitments, announcements) = world.rsm_announce(&multiplied);
    let announced = multiplied.challenge(&commitments, &announcements).unwrap();
    let responses = world.rsm_respond(&multiplied, &triples, &announced);
    let (statement, sums) = (multiplied.statement().clone(), announced.sums().clone());
    let proof = Proof::open(statement, sums, &world.key, &responses).unwrap();

    let e = G1::hash_to_group(b"subrosa/trace/db/E");
    let numbers = numbers(&pass, &key.public().0);
    let [blinded, _] = proof.statement().tuples().numbers();
    let found: Vec<Option<usize>> = third(&proof)
        .iter()
        .zip(blinded)
        .map(|(u, &blinded)| {
            numbers.iter().position(|&c| *u == e.mul(&(epsilon * (blinded - c))))
        })
        .collect();
    let truth: Vec<Option<usize>> = world
        .outputs
        .values()
        .iter()
        .map(|v| values.iter().position(|&own| value(own) == *v))
        .collect();
    assert_eq!(found, truth);
    assert_eq!(found.len(), 3);
}
