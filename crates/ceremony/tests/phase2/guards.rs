//! What is refused before any work is done.

use std::io::Cursor;

use algebra::{Bls12381, Bn254};
use ceremony::{
    Error, Snapshot, Trust, phase1,
    phase2::{self, Beacon, Settings},
};
use circuit::{
    Curve, Error as FileError,
    ptau::{G2Section, Ptau},
};

use super::{
    fixtures,
    histories::without_history,
    support::{Files, contribute, rng},
};

#[test]
fn no_contributions() {
    let files = Files::of(Curve::Bn254);
    let key = fixtures::read(Curve::Bn254, "new.zkey");
    assert!(matches!(files.verify::<Bn254>(&key), Err(Error::NoContributions)));
    let exported = phase2::export::<Bn254>(&mut Cursor::new(&key));
    assert!(matches!(exported, Err(Error::NoContributions)));
    let info = phase2::info::<Bn254>(&mut Cursor::new(&key)).unwrap();
    assert!(info.contributions.is_empty());
}

#[test]
fn unfit_phase_1() {
    let files = Files::of(Curve::Bn254);
    let with = |name: &str| Files { ptau: fixtures::read(Curve::Bn254, name), ..files.clone() };
    assert!(matches!(with("beacon.ptau").try_new::<Bn254>(), Err(Error::NotPrepared)));
    let small = with("prepared_02.ptau").try_new::<Bn254>();
    assert!(matches!(small, Err(Error::CircuitTooLarge { power: 2, .. })));
    let other = Files { ptau: Files::of(Curve::Bls12381).ptau, ..files.clone() };
    assert!(matches!(other.try_new::<Bn254>(), Err(Error::File(_))));
    let other = files.try_new::<Bls12381>();
    assert!(matches!(other, Err(Error::File(FileError::Curve { .. }))));
}

fn is_of_nobody<T>(result: Result<T, Error>) -> bool {
    let Err(Error::Phase1 { reason }) = result else { return false };
    matches!(*reason, Error::NoContributions)
}

/// Everybody knows the secrets of a phase 1 that nobody contributed to, and forges under every key
/// made from it, whoever contributes to that.
#[test]
fn no_key_over_a_phase_1_of_nobody() {
    let files = Files::of(Curve::Bn254);
    let (mut start, mut prepared) = (Cursor::new(Vec::new()), Vec::new());
    phase1::new::<Bn254>(&mut start, 4, &()).unwrap();
    phase1::prepare::<Bn254>(&mut start, &mut prepared, &()).unwrap();
    let fresh = Files { ptau: prepared, ..files.clone() };
    assert!(is_of_nobody(fresh.try_new::<Bn254>()));
    let unknown = |files: &Files| {
        let (mut r1cs, mut ptau) = (Cursor::new(&files.r1cs), Cursor::new(&files.ptau));
        let (mut key, mut settings) = (Vec::new(), Settings::default());
        settings.may_lack_phase1_history = true;
        phase2::new::<Bn254>(&mut r1cs, &mut ptau, &mut key, &settings, &()).map(|_| key)
    };
    let Err(Error::Phase1 { reason }) = unknown(&fresh) else { panic!("the secrets are 1") };
    assert!(matches!(*reason, Error::NoSecret { .. }), "{reason}");

    // One whose history is not there is taken if that is said, and in its verification again.
    let imported = Files { ptau: without_history(&files.ptau), ..files.clone() };
    assert!(is_of_nobody(imported.try_new::<Bn254>()));
    let (key, _) = contribute::<Bn254>(&unknown(&imported).unwrap(), None, 1);
    assert!(is_of_nobody(imported.verify::<Bn254>(&key)));
    let mut settings = Settings::default();
    settings.may_lack_phase1_history = true;
    let verify = |files: &Files| {
        let (mut r1cs, mut ptau) = (Cursor::new(&files.r1cs), Cursor::new(&files.ptau));
        let (mut key, rng) = (Cursor::new(&key), &mut rng(99));
        phase2::verify::<Bn254>(&mut r1cs, &mut ptau, &mut key, &settings, rng, &())
    };
    verify(&imported).unwrap();
    verify(&files).unwrap();

    // Its points can be checked all the same.
    let points =
        |ptau: &[u8]| phase1::verify_points::<Bn254>(&mut Cursor::new(ptau), &mut rng(98), &());
    points(&imported.ptau).unwrap();
    assert!(matches!(points(&fresh.ptau), Err(Error::NoSecret { index: 1, .. })));
    let ptau = Ptau::<Bn254>::open(&mut Cursor::new(&imported.ptau)).unwrap();
    let mut other = imported.ptau.clone();
    let beta = ptau.table().unique(6).unwrap();
    let tau = ptau.g2(G2Section::Tau).unwrap();
    let (from, to, len) = (tau.offset_of(2) as usize, beta.offset as usize, beta.len as usize);
    other.copy_within(from..from + len, to);
    assert!(matches!(points(&other), Err(Error::Unrelated { index: 0, .. })));
}

#[test]
fn unfit_names_and_beacons() {
    for (hash, exponent) in [(&[][..], 10), (&[1; 256], 10), (&[1], 9), (&[1], 64)] {
        assert!(matches!(Beacon::new(hash.to_vec(), exponent), Err(Error::Beacon)));
    }
    let key = fixtures::read(Curve::Bn254, "new.zkey");
    for name in [String::new(), "x".repeat(65)] {
        let (mut old, mut new) = (Snapshot::take(Cursor::new(&key), &()).unwrap(), Vec::new());
        let (name, rng) = (Some(name), &mut rng(1));
        let refused = phase2::contribute::<Bn254>(&mut old, &mut new, name, Trust::Skip, rng, &());
        assert!(matches!(refused, Err(Error::File(FileError::Unwritable { .. }))));
    }
}

#[test]
fn the_same_generator_makes_the_same_file() {
    let key = fixtures::read(Curve::Bn254, "new.zkey");
    assert!(contribute::<Bn254>(&key, None, 1) == contribute::<Bn254>(&key, None, 1));
    assert!(contribute::<Bn254>(&key, None, 1) != contribute::<Bn254>(&key, None, 2));
}
