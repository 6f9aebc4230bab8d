//! Every loop over chunks at its ends: here a chunk has three points, so that the lists of the smallest
//! ceremonies have one less, as many, one more, and several chunks.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]

use std::io::Cursor;

use algebra::{Bn254, Dialect, Scalar, ScalarOf};
use circuit::{
    ptau::{G1Section, Ptau},
    r1cs::{Constraint, R1csHeader, R1csWriter},
    zkey::{G1Query, Zkey},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::{
    CHUNK, Error, Snapshot, Trust,
    phase1::{self, Beacon, Settings},
    phase2::{self, Against, FirstParameters, Reference},
};

type E = Bn254;
pub(crate) type File = Cursor<Vec<u8>>;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn file() -> File {
    Cursor::new(Vec::new())
}

fn snapshot(file: &File) -> Snapshot<File> {
    Snapshot::take(Cursor::new(file.get_ref().clone()), &()).unwrap()
}

/// The points of list after list that are not what they should be, by their places.
fn swapped(file: &File, offsets: [u64; 2]) -> File {
    let mut bytes = file.get_ref().clone();
    let [left, right] = offsets.map(|offset| offset as usize);
    let (before, after) = bytes.split_at_mut(right);
    before[left..left + 64].swap_with_slice(&mut after[..64]);
    Cursor::new(bytes)
}

pub(crate) fn phase1(power: u32, is_native: bool) -> File {
    let (mut start, mut first, mut last) = (file(), file(), file());
    let (settings, mut verifier) = (Settings::default(), rng(9));
    let (trust, rng) = (Trust::verify(&settings, &mut verifier), &mut rng(1));
    let beacon = Beacon::new(vec![1], 10).unwrap();
    match is_native {
        true => {
            use phase1::native;
            native::new::<E>(&mut start, power, &()).unwrap();
            let old = &mut snapshot(&start);
            native::contribute::<E>(old, &mut first, None, trust, rng, &()).unwrap();
            native::contribute_beacon::<E>(&mut first, &mut last, None, &beacon, &()).unwrap();
            native::verify::<E>(&mut last, &settings, rng, &()).unwrap();
        }
        false => {
            phase1::new::<E>(&mut start, power, &()).unwrap();
            let old = &mut snapshot(&start);
            phase1::contribute::<E>(old, &mut first, None, trust, rng, &()).unwrap();
            phase1::contribute_beacon::<E>(&mut first, &mut last, None, &beacon, &()).unwrap();
            assert!(verify(&mut last).unwrap().is_hash_checked);
        }
    }
    last
}

fn verify(file: &mut File) -> Result<phase1::Verified, Error> {
    phase1::verify::<E>(file, &Settings::default(), &mut rng(8), &())
}

/// Lists of 2, 3, 4, 7, 8, 15 and 16 points, and Lagrange sections of 1 to 32.
#[test]
fn phase_1() {
    for power in 1..=4 {
        let mut last = phase1(power, false);
        let mut prepared = file();
        phase1::prepare::<E>(&mut last, &mut prepared, &()).unwrap();
        assert!(verify(&mut prepared).unwrap().is_prepared);
        if power > 1 {
            let mut cut = file();
            phase1::truncate::<E>(&mut prepared, &mut cut, power - 1).unwrap();
            verify(&mut cut).unwrap();
        }
        let (mut native, mut prepared_native) = (phase1(power, true), file());
        phase1::prepare::<E>(&mut native, &mut prepared_native, &()).unwrap();
        let settings = Settings::default();
        phase1::native::verify::<E>(&mut prepared_native, &settings, &mut rng(8), &()).unwrap();

        // Two points that change places are found wherever they stand, the first of them.
        let ptau = Ptau::<E>::open(&mut last).unwrap();
        let list = ptau.g1(G1Section::AlphaTau).unwrap();
        for index in 1..list.len() - 1 {
            let offsets = [list.offset_of(index), list.offset_of(index + 1)];
            let error = verify(&mut swapped(&last, offsets)).unwrap_err();
            assert!(
                matches!(error, Error::Progression { index: at, .. } if at == index),
                "{error}"
            );
        }
        let ptau = Ptau::<E>::open(&mut prepared).unwrap();
        let list = ptau.lagrange_g1(G1Section::LagrangeTau, power + 1).unwrap();
        for index in 0..list.len() - 1 {
            let offsets = [list.offset_of(index), list.offset_of(index + 1)];
            let error = verify(&mut swapped(&prepared, offsets)).unwrap_err();
            assert!(matches!(error, Error::Lagrange { index: at, .. } if at == index), "{error}");
        }
    }
}

#[test]
fn challenges_and_responses() {
    for power in 1..=4 {
        let (mut last, dialect) = (phase1(power, false), Dialect::Snarkjs);
        let (mut challenge, mut response, mut imported) = (file(), file(), file());
        let hash = phase1::export_challenge::<E>(&mut last, &mut challenge, &()).unwrap();
        assert_eq!(hash, wire::Blake2b::digest(challenge.get_ref()));
        let (mut verifier, mut old) = (rng(9), snapshot(&challenge));
        let (trust, rng) = (Trust::verify((), &mut verifier), &mut rng(2));
        let answer =
            phase1::answer::<E>(&mut old, &mut response, dialect, trust, rng, &()).unwrap();
        assert_eq!(answer.response_hash, wire::Blake2b::digest(response.get_ref()));
        let (new, settings) = (&mut imported, Settings::default());
        phase1::import_response::<E>(&mut last, &mut response, new, None, &settings, rng, &())
            .unwrap();
        verify(&mut imported).unwrap();
    }
}

/// `x_i = x_{i−1}²`, so many times: as many private wires, and as many constraints.
pub(crate) fn circuit(count: u32) -> File {
    let header = R1csHeader {
        wires: count + 2,
        public_outputs: 1,
        constraints: count,
        ..Default::default()
    };
    let term = |wire| vec![(wire, ScalarOf::<E>::one())];
    let row = |index: u32| {
        let next = if index + 1 == count { 1 } else { index + 3 };
        Ok(Constraint { a: term(index + 2), b: term(index + 2), c: term(next) })
    };
    let mut out = R1csWriter::<_, E>::new(file(), header).unwrap();
    out.header().unwrap();
    out.constraints((0..count).map(row)).unwrap();
    out.labels((0..u64::from(count) + 2).map(Ok)).unwrap();
    out.finish().unwrap()
}

/// `K` of one less than a chunk to two chunks and more, and `H` of 4, 8 and 16 points.
#[test]
fn phase_2() {
    let mut ptau = file();
    phase1::prepare::<E>(&mut phase1(4, false), &mut ptau, &()).unwrap();
    for count in [2, 3, 4, 5, 6, 7, 12] {
        let (mut circuit, mut first, mut key) = (circuit(count), file(), file());
        phase2::new::<E>(&mut circuit, &mut ptau, &mut first, &Settings::default(), &()).unwrap();
        let zkey = Zkey::<E>::open(&mut first).unwrap();
        assert_eq!(zkey.g1(G1Query::K).unwrap().len(), u64::from(count));
        assert!(count as usize + 1 >= CHUNK);
        contribute(&first, &first, &mut key).unwrap();
        let mut settings = Settings::default();
        let verify = |circuit: &mut File, ptau: &mut File, key: &mut File, settings: &Settings| {
            phase2::verify::<E>(circuit, ptau, key, settings, &mut rng(8), &())
        };
        verify(&mut circuit, &mut ptau, &mut key, &settings).unwrap();
        for query in [G1Query::K, G1Query::H] {
            let list = Zkey::<E>::open(&mut key).unwrap().g1(query).unwrap();
            for index in 0..list.len() - 1 {
                let offsets = [list.offset_of(index), list.offset_of(index + 1)];
                let mut evil = swapped(&key, offsets);
                for refused in [
                    verify(&mut circuit, &mut ptau, &mut evil, &settings).err(),
                    contribute(&evil, &first, &mut file()).err(),
                ] {
                    assert!(
                        matches!(refused, Some(Error::NotDivided { index: at, .. }) if at == index),
                        "{query:?} {index}: {refused:?}"
                    );
                }
            }
        }
        // Out as parameters, and back.
        let (mut sent, mut back, mut imported) = (file(), file(), file());
        let dialect = Dialect::Snarkjs;
        phase2::export_bellman::<E>(&mut first, &mut sent, dialect, &()).unwrap();
        let (mut verifier, mut believed, mut old) = (rng(9), sent.clone(), snapshot(&sent));
        let against = FirstParameters { file: &mut believed, settings: &settings };
        let (trust, rng) = (Trust::verify(against, &mut verifier), &mut rng(3));
        phase2::answer_bellman::<E>(&mut old, &mut back, dialect, trust, rng, &()).unwrap();
        settings.may_lack_top_power = true;
        let (response, circuit) = (&mut back, &mut circuit);
        let files = phase2::Import { response, circuit, ptau: &mut ptau, old: &mut first };
        let new = &mut imported;
        phase2::import_bellman::<E>(files, new, dialect, None, &settings, rng, &()).unwrap();
    }
}

/// A turn that is verified against the first key.
fn contribute(old: &File, first: &File, new: &mut File) -> Result<phase2::Receipt, Error> {
    let (mut first, settings, mut verifier) = (first.clone(), Settings::default(), rng(9));
    let reference = Reference::First(&mut first);
    let trust = Trust::verify(Against { reference, settings: &settings }, &mut verifier);
    phase2::contribute::<E>(&mut snapshot(old), new, None, trust, &mut rng(1), &())
}
