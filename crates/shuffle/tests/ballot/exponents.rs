//! Proofs that several points have one logarithm, each to a base of its own.

use algebra::{Group, Ristretto255};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::sigma::{ExponentProof, ExponentStatement};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Encode};

type G = Ristretto255;
type S = <G as Group>::Scalar;
type Proof = ExponentProof<G, 3>;
type Statement = ExponentStatement<G, 3>;

fn transcript(context: u64) -> Transcript {
    let mut transcript = Transcript::new(b"test");
    transcript.absorb_u64(b"context", context);
    transcript
}

fn prove(context: u64, seed: u64) -> (Statement, Proof) {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let secret = S::random(&mut rng);
    let bases = [(); 3].map(|()| G::random(&mut rng));
    let statement = ExponentStatement { bases, images: bases.map(|base| base.mul(&secret)) };
    let proof = Proof::prove(&mut transcript(context), &statement, &secret, &mut rng);
    (statement, proof)
}

/// Alone, and in a batch with honest proofs on both sides.
fn holds(context: u64, statement: &Statement, proof: &Proof) -> bool {
    let [first, last] = [(7, 70), (8, 80)].map(|(context, seed)| {
        let (statement, proof) = prove(context, seed);
        (transcript(context), statement, proof)
    });
    let batch = [first, (transcript(context), *statement, *proof), last];
    let alone = proof.verify(&mut transcript(context), statement);
    assert_eq!(alone, Proof::verify_all(batch));
    alone
}

#[test]
fn an_honest_proof_holds_for_its_context_only() {
    let (statement, proof) = prove(1, 10);
    assert!(holds(1, &statement, &proof));
    assert!(!holds(2, &statement, &proof));
    assert!(Proof::verify_all([]));
    assert_eq!(Proof::from_bytes(&proof.to_bytes()), Ok(proof));
    assert_eq!(proof.to_bytes().len(), Proof::ENCODED_LEN);
}

#[test]
fn every_point_and_the_response_count() {
    let (statement, proof) = prove(1, 10);
    for index in 0..3 {
        let mut other = statement;
        other.images[index] += G::generator();
        assert!(!holds(1, &other, &proof));
        let mut other = statement;
        other.bases[index] += G::generator();
        assert!(!holds(1, &other, &proof));
    }
    let bytes = proof.to_bytes();
    for position in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[position] ^= 1;
        let Ok(changed) = Proof::from_bytes(&changed) else { continue };
        assert!(!holds(1, &statement, &changed), "byte {position}");
    }
    for length in 0..bytes.len() {
        assert!(Proof::from_bytes(&bytes[..length]).is_err());
    }
}

#[test]
fn errors_of_two_proofs_that_cancel_are_found() {
    // The same announcements, moved by G and by −G: their plain sum is as before.
    let [(first, proof), (second, other)] = [prove(1, 10), prove(2, 11)];
    let shift = |proof: &Proof, error: G| {
        let mut bytes = proof.to_bytes();
        let announcement = <G as Group>::decode(&bytes[..32]).unwrap() + error;
        bytes[..32].copy_from_slice(&Group::encode(&announcement));
        Proof::from_bytes(&bytes).unwrap()
    };
    let error = G::generator();
    let batch = [
        (transcript(1), first, shift(&proof, error)),
        (transcript(2), second, shift(&other, -error)),
    ];
    assert!(!Proof::verify_all(batch));
}
