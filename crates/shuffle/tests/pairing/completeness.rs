//! Honest shuffles by pairing equations are accepted and permute the messages.

use algebra::{Bls12381, Bn254, Engine};
use shuffle::{
    ShuffleError,
    pairing::{PairingMix, Scheme, ShuffleProof},
};
use wire::{Decode, Encode};

use super::support::{Election, crs, rng};

const SCHEMES: [Scheme; 2] = [Scheme::Flsz17, Scheme::Tflsz];

fn completes<E: Engine>(scheme: Scheme, n: usize, columns: usize, mixers: u32) {
    let election = Election::<E>::new(crs(scheme, n), n, columns);
    let mixes = election.chain(mixers);
    assert_eq!(election.verify(&mixes), Ok(()), "{scheme}, n = {n}");
    let last = mixes.last().unwrap();
    assert_eq!(election.messages(&last.outputs), election.messages(&election.inputs));

    let bytes = last.to_bytes();
    assert_eq!(PairingMix::from_bytes(&bytes).unwrap(), *last);
    let proof = last.proof.as_ref().unwrap();
    let expected = ShuffleProof::<E>::encoded_len(scheme, n, columns);
    assert_eq!(proof.to_bytes().len(), expected);
    if n > 3 {
        assert_ne!(last.outputs, election.inputs);
    }
}

#[test]
fn small_shuffles_on_both_curves() {
    for scheme in SCHEMES {
        for n in [1, 2, 3, 4, 5] {
            completes::<Bls12381>(scheme, n, 1, 1);
            completes::<Bn254>(scheme, n, 1, 1);
        }
    }
}

#[test]
fn larger_shuffles() {
    for scheme in SCHEMES {
        completes::<Bls12381>(scheme, 63, 1, 1);
        completes::<Bls12381>(scheme, 64, 1, 1);
        completes::<Bn254>(scheme, 1000, 1, 1);
    }
}

#[test]
fn wide_ballots_through_several_mixers() {
    for scheme in SCHEMES {
        completes::<Bls12381>(scheme, 7, 3, 2);
        completes::<Bn254>(scheme, 20, 2, 4);
    }
}

#[test]
fn a_longer_reference_string_serves() {
    for scheme in SCHEMES {
        let election = Election::<Bn254>::new(crs(scheme, 31), 13, 2);
        assert_eq!(election.verify(&election.chain(2)), Ok(()));
        let election = Election::<Bn254>::new(crs(scheme, 7), 8, 1);
        let short = ShuffleError::ReferenceString { available: 7, needed: 8 };
        assert_eq!(election.prover().prepare(8, 1, &mut rng(0)).err(), Some(short));
    }
}

#[test]
fn nothing_to_shuffle() {
    for scheme in SCHEMES {
        let election = Election::<Bn254>::new(crs(scheme, 3), 0, 2);
        let mixes = election.chain(2);
        assert!(mixes.iter().all(|mix| mix.proof.is_none()));
        assert_eq!(election.verify(&mixes), Ok(()));
        assert_eq!(PairingMix::from_bytes(&mixes[0].to_bytes()).unwrap(), mixes[0]);
        let prover = election.prover();
        let mut rng = rng(0);
        assert_eq!(prover.prepare(0, 1, &mut rng).err(), Some(ShuffleError::Empty));
        assert_eq!(prover.prepare(3, 0, &mut rng).err(), Some(ShuffleError::Empty));
    }
}
