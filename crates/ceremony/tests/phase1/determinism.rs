//! The same secrets make the same file, and no state of the reader matters.

use std::io::{Cursor, Read as _, Seek as _, SeekFrom};

use algebra::{Bls12381, Bn254, Engine, Group as _, Pairing};
use ceremony::{
    Error,
    phase1::{self, Beacon},
};
use circuit::{
    Error as FileError,
    ptau::{G1Section, Ptau},
};

use super::{beacon, contribute, new, prepare, try_contribute, verify};

#[test]
fn the_same_generator_makes_the_same_file() {
    fn check<E: Engine>() {
        let start = new::<E>(3);
        let made = contribute::<E>(&start, "Ana", 1);
        assert!(made == contribute::<E>(&start, "Ana", 1));
        assert!(made != contribute::<E>(&start, "Ana", 2));
    }
    check::<Bn254>();
    check::<Bls12381>();
}

#[test]
fn what_is_announced_is_what_the_file_says() {
    let start = &mut Cursor::new(new::<Bn254>(3));
    let challenge = phase1::info::<Bn254>(start).unwrap().challenge;
    assert_eq!(challenge, phase1::first_challenge::<Bn254>(3).unwrap());
    let mut made = Cursor::new(Vec::new());
    let start = start.get_ref();
    let receipt = try_contribute::<Bn254>(start, &mut made, None, 1).unwrap();
    let info = phase1::info::<Bn254>(&mut made).unwrap();
    assert_eq!(info.challenge, receipt.next_challenge);
    assert_eq!(info.contributions[receipt.index].response_hash, receipt.response_hash);
    assert!(!info.is_prepared);
    let mut rest = Vec::new();
    made.seek(SeekFrom::Start(0)).unwrap();
    made.read_to_end(&mut rest).unwrap();
    assert!(verify::<Bn254>(&rest).is_ok());
}

/// Small and large powers, around the number of points that are read at a time.
#[test]
fn powers_around_a_chunk_verify() {
    for power in [1, 2, 13] {
        let file = contribute::<Bn254>(&new::<Bn254>(power), "Ana", 1);
        assert_eq!(verify::<Bn254>(&file).unwrap().header.power, power);
    }
}

#[test]
fn a_file_that_was_cut_takes_no_contributions() {
    let whole = contribute::<Bn254>(&new::<Bn254>(3), "Ana", 1);
    let mut cut = Vec::new();
    phase1::truncate::<Bn254>(&mut Cursor::new(&whole), &mut cut, 2).unwrap();
    let verified = verify::<Bn254>(&cut).unwrap();
    assert!(!verified.is_hash_checked && verified.header.is_truncated());
    let new = &mut Cursor::new(Vec::new());
    let refused = try_contribute::<Bn254>(&cut, new, None, 1);
    assert!(matches!(refused, Err(Error::Reduced { ceremony_power: 3 })));
    assert!(new.get_ref().is_empty());
    for asked in [0, 3, 4, u32::MAX] {
        let refused = phase1::truncate::<Bn254>(&mut Cursor::new(&whole), &mut Vec::new(), asked);
        assert!(matches!(refused, Err(Error::Power { power: 3, .. })), "{asked}");
    }
}

#[test]
fn a_contribution_to_a_prepared_file_leaves_the_lagrange_form_out() {
    let prepared = prepare::<Bn254>(&contribute::<Bn254>(&new::<Bn254>(2), "Ana", 1));
    let verified = verify::<Bn254>(&contribute::<Bn254>(&prepared, "Bob", 2)).unwrap();
    assert!(!verified.is_prepared && verified.contributions.len() == 2);
}

#[test]
fn names_that_do_not_fit_are_refused_before_the_work() {
    for name in [String::new(), "n".repeat(65)] {
        let (old, new) = (new::<Bn254>(2), &mut Cursor::new(Vec::new()));
        let refused = try_contribute::<Bn254>(&old, new, Some(name), 1);
        assert!(matches!(refused, Err(Error::File(FileError::Unwritable { .. }))));
        assert!(new.get_ref().is_empty());
    }
}

#[test]
fn beacons_out_of_range_are_none() {
    for (len, exponent) in [(0, 10), (256, 10), (1, 9), (1, 64)] {
        assert!(matches!(Beacon::new(vec![1; len], exponent), Err(Error::Beacon)));
    }
}

/// One domain alone is that of the prepared file, and its points sum to the generator.
#[test]
fn single_domains() {
    type G1 = <Bn254 as Pairing>::G1;
    let prepared = prepare::<Bn254>(&beacon::<Bn254>(&new::<Bn254>(3), None));
    let file = &mut Cursor::new(&prepared);
    let ptau = Ptau::<Bn254>::open(file).unwrap();
    for log_size in 0..=4 {
        let section = ptau.lagrange_g1(G1Section::LagrangeTau, log_size).unwrap();
        let expected = section.read(file, 0, 1 << log_size).unwrap();
        let found = phase1::lagrange_g1::<Bn254>(file, G1Section::Tau, log_size).unwrap();
        assert_eq!(found, expected);
        // The largest lacks its highest power, which the sum of all does not have.
        let sum: G1 = found.into_iter().map(G1::from).sum();
        assert_eq!(sum, G1::generator());
    }
    let found = phase1::lagrange_g2::<Bn254>(file, 3).unwrap();
    let section = ptau.lagrange_g2(3).unwrap();
    assert_eq!(found, section.read(file, 0, 8).unwrap());
    assert!(phase1::lagrange_g2::<Bn254>(file, 4).is_err());
    let none = phase1::lagrange_g1::<Bn254>(file, G1Section::Tau, 64);
    assert!(matches!(none, Err(Error::Domain { log_size: 64 })));
}
