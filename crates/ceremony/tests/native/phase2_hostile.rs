//! Every byte and every point of a small key altered; other circuits; other phases 1; contributions
//! that are not where they were made.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, CurveGroup, Engine, Group, Pairing};
use ceremony::{
    Error, Relation,
    phase2::{Settings, native},
};
use circuit::{
    Error as FileError,
    zkey::{G1Query, Zkey, ZkeyHeader, ZkeyWriter},
};

use super::{
    alter, annul, offsets,
    phase1::{self, prepare},
    phase2::{Files, beacon, circuit, contribute, export, three},
    wrong_points,
};

/// Every byte that is not of a point of a list: container, headers, coefficients, circuit hash,
/// transcript.
#[test]
fn every_byte_beside_the_points() {
    type E = Bn254;
    let files = Files::small::<E>();
    let bytes = beacon::<E>(&contribute::<E>(&files.new_key::<E>(), "Ana", 1).0).0;
    files.verify::<E>(&bytes).unwrap();
    let zkey = Zkey::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    let is_list = |id| [3, 5, 6, 7, 8, 9].contains(&id);
    let lists = zkey.table().sections().iter().filter(|section| is_list(section.id));
    let ranges: Vec<_> =
        lists.map(|section| section.offset..section.offset + section.len).collect();
    let is_point = |at: usize| ranges.iter().any(|range| range.contains(&(at as u64)));
    let mut altered = 0;
    for (turn, at) in (0..bytes.len()).filter(|at| !is_point(*at)).enumerate() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << [0, 3, 7][turn % 3];
        let error = files.verify::<E>(&changed).unwrap_err();
        let is_expected = matches!(
            error,
            Error::File(_)
                | Error::Contribution { .. }
                | Error::BeaconKey { .. }
                | Error::CircuitHash
                | Error::CoefficientCount { .. }
                | Error::Header { .. }
                | Error::KeyPoint { .. }
                | Error::NotInitial { .. }
                | Error::NotNative
        );
        assert!(is_expected, "byte {at}: {error}");
        altered += 1;
    }
    assert!(altered > 1000);
}

fn named(error: &Error) -> Option<(&'static str, u64)> {
    match *error {
        Error::NotInitial { place, index }
        | Error::NotDivided { place, index }
        | Error::File(
            FileError::Point { place, index, .. } | FileError::Infinity { place, index },
        ) => Some((place, index)),
        _ => None,
    }
}

fn every_point<E: Engine>() {
    let files = Files::small::<E>();
    let bytes = contribute::<E>(&files.new_key::<E>(), "Ana", 1).0;
    let zkey = Zkey::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    let check = |file: &[u8], place, index| {
        let error = files.verify::<E>(file).unwrap_err();
        assert_eq!(named(&error), Some((place, index)), "{error}");
    };
    for query in G1Query::ALL {
        let list = zkey.g1(query).unwrap();
        for index in 0..list.len() {
            let wrong = wrong_points(&list, &bytes, index);
            wrong.iter().for_each(|file| check(file, list.place(), index));
        }
    }
    let list = zkey.b_g2().unwrap();
    for index in 0..list.len() {
        let wrong = wrong_points(&list, &bytes, index);
        wrong.iter().for_each(|file| check(file, list.place(), index));
    }
}

#[test]
fn every_point_bn254() {
    every_point::<Bn254>();
}

#[test]
fn every_point_bls12_381() {
    every_point::<Bls12381>();
}

/// Bytes of a turn of somebody with a name of three letters, field by field.
fn fields<E: Engine>() -> [usize; 7] {
    let (g1, g2) = (E::G1::ENCODED_LEN, E::G2::ENCODED_LEN);
    [4, 3, g1, 1, 32, g1, g2]
}

/// Puts another header and other turns into a key.
fn rewrite<E: Engine>(
    bytes: &[u8],
    change: impl FnOnce(&mut ZkeyHeader<E>, &mut Vec<Vec<u8>>),
) -> Vec<u8> {
    let file = &mut Cursor::new(bytes);
    let zkey = Zkey::<E>::open(file).unwrap();
    let transcript = zkey.transcript(file).unwrap();
    let len = fields::<E>().iter().sum();
    let mut turns: Vec<_> = transcript[4..].chunks(len).map(<[u8]>::to_vec).collect();
    let mut header = zkey.header().clone();
    change(&mut header, &mut turns);
    let mut out = ZkeyWriter::<_, E>::native(Vec::new(), header).unwrap();
    for id in 3..=10 {
        out.copy(file, zkey.table().unique(id).unwrap()).unwrap();
    }
    let count = (turns.len() as u32).to_le_bytes().to_vec();
    out.transcript(&[count, turns.concat()].concat()).unwrap();
    out.finish().unwrap()
}

/// A turn of the last of three people, and what a verifier says when it or others were altered.
fn turns_stay<E: Engine>() {
    let files = Files::small::<E>();
    let bytes = three::<E>(&files);
    let refusal = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        files.verify::<E>(&rewrite::<E>(&bytes, |_, turns| change(turns))).err()
    };
    assert!(refusal(&|_| {}).is_none());
    let culprit = |change: &dyn Fn(&mut Vec<Vec<u8>>)| match refusal(change).unwrap() {
        Error::Contribution { index, relation } => Some((index, relation)),
        Error::KeyPoint { field: "delta1" } => None,
        error => panic!("{error}"),
    };
    let delta = Relation::KnowsDelta;
    assert_eq!(culprit(&|turns| drop(turns.remove(0))), Some((0, delta)));
    assert_eq!(culprit(&|turns| drop(turns.remove(1))), Some((1, delta)));
    assert_eq!(culprit(&|turns| turns.swap(0, 1)), Some((0, delta)));
    assert_eq!(culprit(&|turns| turns.swap(1, 2)), None);
    assert_eq!(culprit(&|turns| turns.push(turns[2].clone())), Some((3, delta)));
    assert_eq!(culprit(&|turns| drop(turns.pop())), None);
    assert_eq!(culprit(&|turns| turns[2][4..7].copy_from_slice(b"Eve")), Some((2, delta)));
    assert_eq!(culprit(&|turns| turns[0][4..7].copy_from_slice(b"Eve")), Some((0, delta)));
    assert!(matches!(refusal(&Vec::clear), Some(Error::NoContributions)));

    let at = offsets(0, &fields::<E>());
    assert_eq!(culprit(&|turns| alter::<E::G1>(&mut turns[2], at[2])), None);
    assert_eq!(culprit(&|turns| alter::<E::G1>(&mut turns[1], at[2])), Some((1, Relation::Delta)));
    assert_eq!(culprit(&|turns| alter::<E::G1>(&mut turns[2], at[5])), Some((2, delta)));
    assert_eq!(culprit(&|turns| alter::<E::G2>(&mut turns[2], at[6])), Some((2, delta)));
    // Zero secrets.
    for field in [2, 5] {
        let error = refusal(&|turns| annul::<E::G1>(&mut turns[2], at[field])).unwrap();
        assert!(error.to_string().contains("infinity"), "{error}");
    }
    let error = refusal(&|turns| annul::<E::G2>(&mut turns[2], at[6])).unwrap();
    assert!(error.to_string().contains("infinity"), "{error}");
    // Somebody's own secret poses as a beacon's.
    let posing = refusal(&|turns| {
        turns[2].truncate(at[3]);
        turns[2].extend([1, 10, 2, 0, 0, 0, 7, 7]);
    });
    assert!(matches!(posing, Some(Error::BeaconKey { index: 2 })), "{posing:?}");
}

#[test]
fn turns_stay_where_they_were_made() {
    turns_stay::<Bn254>();
    turns_stay::<Bls12381>();
}

#[test]
fn another_circuit_or_phase_1() {
    type E = Bn254;
    let files = Files::small::<E>();
    let bytes = three::<E>(&files);
    // One coefficient differs.
    let other = Files { r1cs: circuit::<E>(6), ..files.clone() };
    let error = other.verify::<E>(&bytes).unwrap_err();
    assert!(matches!(error, Error::NotInitial { .. } | Error::NotDivided { .. }), "{error}");
    // The same contributors and another beacon, or a smaller power.
    let phase1 = phase1::contribute::<E>(&phase1::new::<E>(4), "Ana", 1).0;
    let other = Files { ptau: prepare::<E>(&phase1), ..files.clone() };
    // A beacon that nobody hashed, and that nobody hashes to see that the key is another.
    let beacon = rewrite::<E>(&bytes, |_, turns| {
        turns[2].truncate(offsets(0, &fields::<E>())[3]);
        turns[2].extend([1, 32, 2, 0, 0, 0, 7, 7]);
    });
    for key in [&bytes, &beacon] {
        let error = other.verify::<E>(key).unwrap_err();
        assert!(matches!(error, Error::Header { field: "alpha1" }), "{error}");
    }
    // The same phase 1, cut to what the circuit needs, makes the same key.
    let cut = Files { ptau: phase1::truncate::<E>(&files.ptau, 3), ..files.clone() };
    cut.verify::<E>(&bytes).unwrap();

    // A contributor's turn at another circuit.
    let foreign = three::<E>(&Files { r1cs: circuit::<E>(6), ..files.clone() });
    let mut turn = Vec::new();
    rewrite::<E>(&foreign, |_, turns| turn = turns[0].clone());
    let moved = rewrite::<E>(&bytes, |_, turns| turns[0] = turn);
    let error = files.verify::<E>(&moved).unwrap_err();
    let relation = Relation::KnowsDelta;
    assert!(matches!(error, Error::Contribution { index: 0, relation: r } if r == relation));
}

/// `δ = γ`, by a contribution that undoes the one before.
#[test]
fn delta_is_not_gamma() {
    type E = Bn254;
    let files = Files::small::<E>();
    let generator = <E as Pairing>::G1::affine_generator();
    let at = offsets(0, &fields::<E>());
    let undone =
        rewrite::<E>(&contribute::<E>(&files.new_key::<E>(), "Ana", 1).0, |header, turns| {
            header.points.delta_g1 = generator;
            header.points.delta_g2 = <E as Pairing>::G2::affine_generator();
            let bytes = <E as Pairing>::G1::generator().encode();
            turns[0][at[2]..][..bytes.len()].copy_from_slice(&bytes);
        });
    assert!(matches!(files.verify::<E>(&undone), Err(Error::Forgeable)));
    assert!(matches!(export::<E>(&undone), Err(Error::Forgeable)));

    // δ in G2 is of another secret.
    let bytes = three::<E>(&files);
    let split = rewrite::<E>(&bytes, |header, _| {
        header.points.delta_g2 = super::other::<<E as Pairing>::G2>(&header.points.delta_g2);
    });
    let error = files.verify::<E>(&split).unwrap_err();
    assert!(matches!(error, Error::KeyPoint { field: "delta2" }), "{error}");
    assert!(matches!(export::<E>(&split), Err(Error::KeyPoint { field: "delta2" })));
}

#[test]
fn beacons_that_take_too_long() {
    type E = Bn254;
    let files = Files::small::<E>();
    let (key, _) = beacon::<E>(&contribute::<E>(&files.new_key::<E>(), "Ana", 1).0);
    let mut settings = Settings::default();
    settings.max_iterations_exp = 9;
    let error = files.verify_with::<E>(&key, &settings).unwrap_err();
    assert!(matches!(error, Error::BeaconTooLong { index: 1, exponent: 10, limit: 9 }), "{error}");
    // Each within the limit, and not both.
    let (key, _) = beacon::<E>(&key);
    settings.max_iterations_exp = 10;
    let error = files.verify_with::<E>(&key, &settings).unwrap_err();
    assert!(matches!(error, Error::BeaconsTooLong { index: 2, limit: 10 }), "{error}");
}

/// Everybody can compute the secret of a key to which only beacons contributed.
#[test]
fn beacons_are_no_contributors() {
    type E = Bn254;
    let files = Files::small::<E>();
    let (key, _) = beacon::<E>(&files.new_key::<E>());
    assert!(matches!(files.verify::<E>(&key), Err(Error::OnlyBeacons)));
    assert!(matches!(export::<E>(&key), Err(Error::OnlyBeacons)));
}

/// A coordinator who goes on without Ben's contribution makes a right key; Ben's misses it.
#[test]
fn a_contributor_who_is_dropped_is_missed() {
    type E = Bn254;
    let files = Files::small::<E>();
    let ana = contribute::<E>(&files.new_key::<E>(), "Ana", 1).0;
    let (ben, eve) = (contribute::<E>(&ana, "Ben", 2).0, contribute::<E>(&ana, "Eve", 3).0);
    files.verify::<E>(&eve).unwrap();
    let records = |key: &[u8]| native::records::<E>(&mut Cursor::new(key)).unwrap();
    let continues = |new: &[u8], old: &[u8]| records(new).require_continues(&records(old), 1);
    continues(&eve, &ana).unwrap();
    assert!(matches!(continues(&eve, &ben), Err(Error::Replaced { index: 1 })));
    assert!(matches!(continues(&ana, &ben), Err(Error::Dropped { index: 1 })));
}
