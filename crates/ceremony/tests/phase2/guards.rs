//! What is refused before any work is done.

use std::io::Cursor;

use algebra::{Bls12381, Bn254};
use ceremony::{
    Error, Snapshot, Trust,
    phase2::{self, Beacon},
};
use circuit::{Curve, Error as FileError};

use crate::{
    fixtures,
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
