//! First challenges, and the file that makes a verifier compute a large one.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::{io::Cursor, time::Instant};

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Engine};
use circuit::{
    Attribution,
    ptau::{Contribution, Ptau, PtauHeader, PtauWriter},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use wire::Blake2b;

use super::{
    Settings,
    accumulator::{self, CHALLENGE, RESPONSE, SECTIONS, Section},
    first_challenge,
    first_challenges::LARGEST,
    initial::write_generators,
    key::Key,
    transfer::{Multiply, transfer},
    verify,
};
use crate::{Error, hex::bytes};

/// Hashes a point so many times, with few calls.
fn repeat<G: CurveGroup>(hash: &mut Blake2b, point: Affine<G>, count: u64) {
    const CHUNK: u64 = 1 << 13;
    let mut chunk = Vec::new();
    G::write_form(&[point; CHUNK as usize], CHALLENGE, &mut chunk);
    for _ in 0..count / CHUNK {
        hash.update(&chunk);
    }
    let rest = (count % CHUNK) as usize * G::form_len(CHALLENGE);
    hash.update(chunk.get(..rest).unwrap());
}

fn computed<E: Engine>(power: u32) -> [u8; 64] {
    let mut challenge = Blake2b::new();
    challenge.update(&Blake2b::digest(b""));
    for section in SECTIONS {
        match section {
            Section::G1(section) => {
                let generator = E::G1::affine_generator();
                repeat::<E::G1>(&mut challenge, generator, section.len(power));
            }
            Section::G2(section) => {
                let generator = E::G2::affine_generator();
                repeat::<E::G2>(&mut challenge, generator, section.len(power));
            }
        }
    }
    challenge.finish()
}

fn compare<E: Engine>(powers: std::ops::RangeInclusive<u32>) {
    for power in powers {
        assert!(first_challenge::<E>(power).unwrap() == computed::<E>(power), "power {power}");
    }
}

#[test]
fn first_challenges_are_what_they_are_computed_from() {
    compare::<Bn254>(1..=14);
    compare::<Bls12381>(1..=14);
    for power in [0, LARGEST + 1, u32::MAX] {
        let refused = first_challenge::<Bls12381>(power);
        assert!(matches!(refused, Err(Error::CeremonyTooLarge { power: p, .. }) if p == power));
    }
}

#[test]
#[ignore = "hashes 500 GB"]
fn every_first_challenge_is_what_it_is_computed_from() {
    compare::<Bn254>(1..=LARGEST);
    compare::<Bls12381>(1..=LARGEST);
}

/// Of the attestations to the first responses: 0001_weijie_response of the Perpetual Powers of Tau,
/// and round 1 of Zcash's Powers of Tau.
#[test]
fn first_challenges_are_those_of_public_ceremonies() {
    let perpetual = bytes(
        "93da91920d5a54a8a0fde55cd9dc3a10c4f3eef768b62c0948741370864254b4c1920f3f29d4ebc0ef3acecf2e2db63a755713d77e1ed77347a56fbc317c7a93",
    );
    let zcash = bytes(
        "ce00f2100dd876fdff8dd824f55307bcb72d724f29ff20b9e0760f3a65e5588a65eaed57cbc61697111ae1f4cc7da2e62a85311c2ae683a041fb872b891c68dc",
    );
    assert!(first_challenge::<Bn254>(28).unwrap() == perpetual);
    assert!(first_challenge::<Bls12381>(21).unwrap() == zcash);
}

/// A state of BLAKE2b that says how much was hashed, and has hashed nothing.
fn claimed_state(count: u64) -> [u8; Blake2b::STATE_LEN] {
    let filled = (count - 1) % 128 + 1;
    let mut state = Blake2b::new().state();
    for (at, number) in [(192, count - filled), (200, filled)] {
        state.get_mut(at..at + 8).unwrap().copy_from_slice(&number.to_le_bytes());
    }
    state
}

/// A file of `power` that says it was cut from one of `ceremony_power`, with a right contribution.
fn cut_from<E: Engine>(ceremony_power: u32, power: u32) -> Vec<u8> {
    let mut start = PtauWriter::<_, E>::new(Vec::new(), PtauHeader::new(power), false).unwrap();
    write_generators(&mut start, power, &()).unwrap();
    start.contributions(&[]).unwrap();
    let mut start = Cursor::new(start.finish().unwrap());

    // Nobody computed those beyond the table.
    let challenge = first_challenge::<E>(ceremony_power).unwrap_or([0; 64]);
    let key = Key::<E>::random(&challenge, &mut ChaCha20Rng::from_seed([1; 32]));
    let header = PtauHeader { power, ceremony_power };
    let mut out = PtauWriter::<_, E>::new(Vec::new(), header, false).unwrap();
    let source = Ptau::<E>::open(&mut start).unwrap();
    let mut step = Multiply::new(&key.secrets, None);
    let after = transfer(&source, &mut start, &mut out, &mut step, &()).unwrap();
    let hashed = 64 + accumulator::len::<E>(ceremony_power, RESPONSE);
    let contribution = Contribution {
        after,
        public_key: key.public.clone(),
        partial_hash: claimed_state(hashed),
        next_challenge: [7; 64],
        attribution: Attribution::default(),
    };
    out.contributions(&[contribution]).unwrap();
    out.finish().unwrap()
}

/// Every verifier of such a file hashed 2^28 generators of each list, 100 GB and minutes, before it
/// looked at anything else. The limit is far above what the check takes and far below that.
#[test]
fn a_cut_of_the_largest_ceremony_is_verified_at_once() {
    fn verified<E: Engine>() {
        let file = cut_from::<E>(28, 10);
        let (mut rng, begin) = (ChaCha20Rng::from_seed([2; 32]), Instant::now());
        let verified = verify::<E>(&mut Cursor::new(file), &Settings::default(), &mut rng, &());
        let elapsed = begin.elapsed();
        assert_eq!(verified.unwrap().contributions.len(), 1);
        println!("{}: {elapsed:?}", E::SNARKJS_NAME);
        assert!(elapsed.as_secs() < 60, "{elapsed:?}");
    }
    verified::<Bn254>();
    verified::<Bls12381>();
}

/// The field of BLS12-381 has roots of unity for ceremonies that nobody holds.
#[test]
fn a_ceremony_beyond_the_largest_is_refused() {
    let (mut file, mut rng) =
        (Cursor::new(cut_from::<Bls12381>(32, 3)), ChaCha20Rng::from_seed([2; 32]));
    let refused = verify::<Bls12381>(&mut file, &Settings::default(), &mut rng, &());
    assert!(matches!(refused, Err(Error::CeremonyTooLarge { power: 32, largest: 28 })));
    let refused = super::new::<Bls12381>(Vec::new(), 29, &());
    assert!(matches!(refused, Err(Error::CeremonyTooLarge { power: 29, largest: 28 })));
}
