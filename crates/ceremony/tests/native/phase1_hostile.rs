//! Every byte and every point of a small file altered, and contributions that are not where they
//! were made.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Group, Pairing};
use ceremony::{
    Error, Relation, Snapshot, Trust,
    phase1::{Beacon, Settings, native},
};
use circuit::{
    Error as FileError,
    native::TRANSCRIPT_ID,
    ptau::{G1Section, G2Section, Ptau, PtauHeader, PtauWriter},
};

use super::{
    alter, annul, offsets,
    phase1::{beacon, contribute, new, prepare, truncate, verify, whole},
    rng, some_beacon, wrong_points,
};

/// Every byte that is not of a point: container, header, the empty list of contributions, transcript.
#[test]
fn every_byte_beside_the_points() {
    let bytes =
        beacon::<Bn254>(&contribute::<Bn254>(&new::<Bn254>(1), "Ana", 1).0, &some_beacon()).0;
    verify::<Bn254>(&bytes).unwrap();
    let ptau = Ptau::<Bn254>::open(&mut Cursor::new(&bytes)).unwrap();
    let points = ptau.table().sections().iter().filter(|section| (2..=6).contains(&section.id));
    let ranges: Vec<_> =
        points.map(|section| section.offset..section.offset + section.len).collect();
    let is_point = |at: usize| ranges.iter().any(|range| range.contains(&(at as u64)));
    let mut altered = 0;
    for at in (0..bytes.len()).filter(|at| !is_point(*at)) {
        for bit in [0, 3, 7] {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let error = verify::<Bn254>(&changed).unwrap_err();
            let is_expected = matches!(
                error,
                Error::File(_)
                    | Error::Contribution { .. }
                    | Error::BeaconKey { .. }
                    | Error::NotNative
            );
            assert!(is_expected, "byte {at}, bit {bit}: {error}");
            altered += 1;
        }
    }
    assert!(altered > 2500);
}

fn named(error: &Error) -> Option<(&'static str, u64)> {
    match *error {
        Error::Generator { place } => Some((place, 0)),
        Error::Singular { place, index }
        | Error::Progression { place, index }
        | Error::Lagrange { place, index, .. }
        | Error::File(
            FileError::Point { place, index, .. } | FileError::Infinity { place, index },
        ) => Some((place, index)),
        _ => None,
    }
}

/// The altered point is the one that is named.
fn every_point<E: Engine>() {
    let bytes = whole::<E>(2);
    let ptau = Ptau::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    let check = |file: &[u8], place, index| {
        let error = verify::<E>(file).unwrap_err();
        assert_eq!(named(&error), Some((place, index)), "{error}");
    };
    for section in [G1Section::Tau, G1Section::AlphaTau, G1Section::BetaTau] {
        let list = ptau.g1(section).unwrap();
        for index in 0..list.len() {
            let wrong = wrong_points(&list, &bytes, index);
            wrong.iter().for_each(|file| check(file, list.place(), index));
        }
    }
    for section in [G2Section::Tau, G2Section::Beta] {
        let list = ptau.g2(section).unwrap();
        for index in 0..list.len() {
            let wrong = wrong_points(&list, &bytes, index);
            wrong.iter().for_each(|file| check(file, list.place(), index));
        }
    }
    // Lagrange sections are checked too; each of their points is the business of the tests of phase 1.
    let bytes = prepare::<E>(&bytes);
    let ptau = Ptau::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    let list = ptau.lagrange_g1(G1Section::LagrangeTau, 2).unwrap();
    let error = verify::<E>(&wrong_points(&list, &bytes, 1)[0]).unwrap_err();
    assert!(matches!(error, Error::Lagrange { log_size: 2, index: 1, .. }), "{error}");
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
fn fields<E: Engine>() -> Vec<usize> {
    let (g1, g2) = (E::G1::ENCODED_LEN, E::G2::ENCODED_LEN);
    [[4, 3].as_slice(), &[g1; 3], &[g2; 2], &[1, 32], &[g1, g2, g1, g2, g1, g2]].concat()
}

/// Puts another transcript into a file.
fn with_transcript<E: Engine>(bytes: &[u8], header: PtauHeader, transcript: &[u8]) -> Vec<u8> {
    let file = &mut Cursor::new(bytes);
    let ptau = Ptau::<E>::open(file).unwrap();
    let mut out = PtauWriter::<_, E>::native(Vec::new(), header, false).unwrap();
    for id in 2..=7 {
        let section = ptau.table().unique(id).unwrap();
        out.copy(file, section, section.len).unwrap();
    }
    out.transcript(transcript).unwrap();
    out.finish().unwrap()
}

/// The turns of people with names of three letters.
fn turns<E: Engine>(bytes: &[u8]) -> Vec<Vec<u8>> {
    let file = &mut Cursor::new(bytes);
    let transcript = Ptau::<E>::open(file).unwrap().transcript(file).unwrap();
    let len = fields::<E>().iter().sum();
    transcript[4..].chunks(len).map(<[u8]>::to_vec).collect()
}

/// What a verifier says when the turns were altered.
fn with_turns<E: Engine>(bytes: &[u8], change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Option<Error> {
    let mut turns = turns::<E>(bytes);
    change(&mut turns);
    let transcript = [(turns.len() as u32).to_le_bytes().to_vec(), turns.concat()].concat();
    let header = Ptau::<E>::open(&mut Cursor::new(bytes)).unwrap().header();
    verify::<E>(&with_transcript::<E>(bytes, header, &transcript)).err()
}

fn three<E: Engine>(power: u32) -> Vec<u8> {
    let first = contribute::<E>(&new::<E>(power), "Ana", 1).0;
    contribute::<E>(&contribute::<E>(&first, "Ben", 2).0, "Cyd", 3).0
}

fn turns_stay<E: Engine>() {
    let bytes = three::<E>(2);
    assert!(with_turns::<E>(&bytes, |_| {}).is_none());
    let culprit =
        |change: &dyn Fn(&mut Vec<Vec<u8>>)| match with_turns::<E>(&bytes, |turns| change(turns))
            .unwrap()
        {
            Error::Contribution { index, relation } => Some((index, relation)),
            Error::Singular { place: "ptau section 2 (tauG1)", index: 1 } => None,
            error => panic!("{error}"),
        };
    let tau = Relation::KnowsTau;
    // Dropped, reordered, doubled, taken out at the end, renamed.
    assert_eq!(culprit(&|turns| drop(turns.remove(0))), Some((0, tau)));
    assert_eq!(culprit(&|turns| drop(turns.remove(1))), Some((1, tau)));
    assert_eq!(culprit(&|turns| turns.swap(1, 2)), Some((1, tau)));
    assert_eq!(culprit(&|turns| turns.push(turns[2].clone())), Some((3, tau)));
    assert_eq!(culprit(&|turns| drop(turns.pop())), None);
    assert_eq!(culprit(&|turns| turns[2][4..7].copy_from_slice(b"Eve")), Some((2, tau)));
    assert_eq!(culprit(&|turns| turns[0][4..7].copy_from_slice(b"Eve")), Some((0, tau)));
    let nobody = with_turns::<E>(&bytes, Vec::clear);
    assert!(matches!(nobody, Some(Error::NoContributions)), "{nobody:?}");
    // From a ceremony of another power, or another ceremony's second place.
    let foreign = turns::<E>(&three::<E>(1));
    assert_eq!(culprit(&|turns| turns[0] = foreign[0].clone()), Some((0, tau)));
    let first = contribute::<E>(&new::<E>(2), "Dee", 4).0;
    let foreign = self::turns::<E>(&contribute::<E>(&first, "Cyd", 3).0);
    assert_eq!(culprit(&|turns| turns[1] = foreign[1].clone()), Some((1, tau)));
}

#[test]
fn turns_stay_where_they_were_made() {
    turns_stay::<Bn254>();
    turns_stay::<Bls12381>();
}

/// Each point of a turn in the place of another: the relation that it breaks is named.
fn every_field<E: Engine>() {
    let bytes = three::<E>(1);
    let at = offsets(0, &fields::<E>());
    let relations = [
        (2, false, Relation::TauG1),
        (3, false, Relation::AlphaG1),
        (4, false, Relation::BetaG1),
        (5, true, Relation::TauG2),
        (6, true, Relation::BetaG2),
        (9, false, Relation::KnowsTau),
        (10, true, Relation::KnowsTau),
        (11, false, Relation::KnowsAlpha),
        (12, true, Relation::KnowsAlpha),
        (13, false, Relation::KnowsBeta),
        (14, true, Relation::KnowsBeta),
    ];
    for (field, in_g2, expected) in relations {
        let error = with_turns::<E>(&bytes, |turns| match in_g2 {
            true => alter::<E::G2>(&mut turns[2], at[field]),
            false => alter::<E::G1>(&mut turns[2], at[field]),
        });
        let Some(Error::Contribution { index: 2, relation }) = error else {
            panic!("field {field}: {error:?}")
        };
        assert_eq!(relation, expected, "field {field}");
        // A secret of zero, whose points are all neutral, is refused before anything is computed.
        let error = with_turns::<E>(&bytes, |turns| match in_g2 {
            true => annul::<E::G2>(&mut turns[2], at[field]),
            false => annul::<E::G1>(&mut turns[2], at[field]),
        });
        let error = error.unwrap();
        assert!(matches!(error, Error::File(FileError::Record { .. })), "{error}");
        assert!(error.to_string().contains("infinity"), "{error}");
    }
}

#[test]
fn every_field_of_a_turn() {
    every_field::<Bn254>();
    every_field::<Bls12381>();
}

/// All of somebody's secrets are zero: all their points are neutral, and so is the file.
#[test]
fn zero_secrets() {
    type E = Bls12381;
    let at = offsets(0, &fields::<E>());
    let error = with_turns::<E>(&three::<E>(1), |turns| {
        [2, 3, 4, 9, 11, 13].iter().for_each(|field| {
            annul::<<E as Pairing>::G1>(&mut turns[2], at[*field]);
        });
        [5, 6, 10, 12, 14].iter().for_each(|field| {
            annul::<<E as Pairing>::G2>(&mut turns[2], at[*field]);
        });
    });
    assert!(error.unwrap().to_string().contains("infinity"));
}

#[test]
fn beacons() {
    type E = Bn254;
    let bytes = three::<E>(1);
    let at = offsets(0, &fields::<E>());
    // Somebody's own secrets pose as a beacon's.
    let posing = with_turns::<E>(&bytes, |turns| {
        turns[2].truncate(at[7]);
        turns[2].extend([1, 10, 2, 0, 0, 0, 7, 7]);
    });
    assert!(matches!(posing, Some(Error::BeaconKey { index: 2 })), "{posing:?}");

    // The same beacon in another place makes other secrets.
    let noise = some_beacon();
    let places = [beacon::<E>(&bytes, &noise), beacon::<E>(&beacon::<E>(&bytes, &noise).0, &noise)];
    places.iter().for_each(|(file, _)| drop(verify::<E>(file).unwrap()));
    let tau = |file: &[u8]| {
        let file = &mut Cursor::new(file);
        Ptau::<E>::open(file).unwrap().g1(G1Section::Tau).unwrap().read_one(file, 1).unwrap()
    };
    assert_ne!(tau(&places[0].0), tau(&places[1].0));

    let long = Beacon::new(vec![1], 14).unwrap();
    let (file, _) = beacon::<E>(&bytes, &long);
    let mut settings = Settings::default();
    settings.max_iterations_exp = 13;
    let error = native::verify::<E>(&mut Cursor::new(&file), &settings, &mut rng(9), &());
    let error = error.unwrap_err();
    assert!(matches!(error, Error::BeaconTooLong { index: 3, exponent: 14, limit: 13 }), "{error}");
}

/// The chain begins with the power of the whole ceremony, which a cut file's header only claims.
#[test]
fn another_power_of_the_ceremony() {
    type E = Bn254;
    let bytes = truncate::<E>(&three::<E>(3), 2);
    let file = &mut Cursor::new(&bytes);
    let transcript = Ptau::<E>::open(file).unwrap().transcript(file).unwrap();
    for ceremony_power in [2, 4] {
        let header = PtauHeader { power: 2, ceremony_power };
        let error = verify::<E>(&with_transcript::<E>(&bytes, header, &transcript)).unwrap_err();
        let relation = Relation::KnowsTau;
        assert!(matches!(error, Error::Contribution { index: 0, relation: r } if r == relation));
    }
}

/// Contributions of snarkjs beside the transcript, and two transcripts.
#[test]
fn one_ceremony_in_a_file() {
    type E = Bn254;
    let mut theirs = Cursor::new(Vec::new());
    let mut start = Vec::new();
    ceremony::phase1::new::<E>(&mut start, 1, &()).unwrap();
    let (mut rng, mut start) = (rng(5), Snapshot::take(Cursor::new(start), &()).unwrap());
    let (old, trust) = (&mut start, Trust::Skip);
    ceremony::phase1::contribute::<E>(old, &mut theirs, None, trust, &mut rng, &()).unwrap();
    let header = PtauHeader::new(1);
    let both = with_transcript::<E>(&theirs.into_inner(), header, &[0; 4]);
    assert!(matches!(verify::<E>(&both), Err(Error::TwoCeremonies)));

    let bytes = three::<E>(1);
    let ptau = Ptau::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    let section = ptau.table().unique(TRANSCRIPT_ID).unwrap();
    // The section once more, and counted in the container's header.
    let mut twice = bytes.clone();
    twice[8] += 1;
    twice.extend(&bytes[section.offset as usize - 12..(section.offset + section.len) as usize]);
    assert!(matches!(verify::<E>(&twice), Err(Error::File(FileError::Section(_)))));
}
