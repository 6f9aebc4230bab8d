//! Every point and every field of a small key, altered one at a time.

use std::{io::Cursor, mem::discriminant};

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Engine, PointForm};
use ceremony::Error;
use circuit::{
    Curve, Error as FileError,
    zkey::{G1Query, Zkey},
};
use wire::Section;

use super::{
    fixtures,
    support::{Files, beacon, contribute},
};

const FORM: PointForm = PointForm::Montgomery;

fn put<G: CurveGroup>(bytes: &mut [u8], offset: u64, point: Affine<G>) {
    let mut encoded = Vec::new();
    G::write_form(&[point], FORM, &mut encoded);
    bytes[offset as usize..offset as usize + encoded.len()].copy_from_slice(&encoded);
}

/// The point plus the generator: still in the group, and another.
fn other<G: CurveGroup>(point: Affine<G>) -> Affine<G> {
    let sum = G::from_affine(&point) + G::generator();
    let sum = if sum.is_identity() { sum + G::generator() } else { sum };
    G::to_affine_all(&[sum])[0]
}

/// A key with one contribution, and what it is of.
fn ceremony<E: Engine>(curve: Curve) -> (Files, Vec<u8>) {
    let files = Files::of(curve);
    let (key, _) = contribute::<E>(&fixtures::read(curve, "named.zkey"), None, 1);
    files.verify::<E>(&key).unwrap();
    (files, key)
}

fn section<E: Engine>(key: &[u8], id: u32) -> Section {
    Zkey::<E>::open(&mut Cursor::new(key)).unwrap().table().unique(id).unwrap()
}

/// Another point of the group, infinity, and bytes of no point, at every position of a section.
fn alter_points<G: CurveGroup>(
    key: &[u8],
    section: Section,
    step: usize,
    mut refusal: impl FnMut(&[u8], u64) -> Error,
) -> usize {
    let width = G::form_len(FORM) as u64;
    let mut altered = 0;
    for index in (0..section.len / width).step_by(step) {
        let offset = section.offset + index * width;
        let bytes = &key[offset as usize..(offset + width) as usize];
        let point = G::read_form(bytes, FORM).unwrap()[0];
        let mut copy = key.to_vec();
        put::<G>(&mut copy, offset, other::<G>(point));
        assert_place(&refusal(&copy, index), index);
        if !G::is_affine_identity(&point) {
            put::<G>(&mut copy, offset, G::affine_identity());
            assert_place(&refusal(&copy, index), index);
        }
        let mut copy = key.to_vec();
        copy[offset as usize] ^= 1;
        assert_place(&refusal(&copy, index), index);
        altered += 1;
    }
    altered
}

fn assert_place(error: &Error, expected: u64) {
    let index = match error {
        Error::NotInitial { index, .. } | Error::NotDivided { index, .. } => index,
        Error::File(FileError::Point { index, .. } | FileError::Infinity { index, .. }) => index,
        other => panic!("{other}"),
    };
    assert_eq!(*index, expected, "{error}");
}

fn points<E: Engine>(curve: Curve, step: usize) {
    let (files, key) = ceremony::<E>(curve);
    for query in G1Query::ALL {
        let section = section::<E>(&key, query.id());
        let refusal = |key: &[u8], _| {
            let error = files.verify::<E>(key).unwrap_err();
            assert!(error.to_string().starts_with(query.place()), "{error}");
            error
        };
        assert!(alter_points::<E::G1>(&key, section, step, refusal) > 0);
    }
    let refusal = |key: &[u8], _| files.verify::<E>(key).unwrap_err();
    alter_points::<E::G2>(&key, section::<E>(&key, 7), step, refusal);
}

#[test]
fn points_bn254() {
    points::<Bn254>(Curve::Bn254, 1);
}

#[test]
fn points_bls12_381() {
    points::<Bls12381>(Curve::Bls12381, 11);
}

/// Every byte of the container's header, the sections' headers, sections 1, 2 and 4.
#[test]
fn header_bytes() {
    let (files, key) = ceremony::<Bn254>(Curve::Bn254);
    let table = Zkey::<Bn254>::open(&mut Cursor::new(&key)).unwrap().table().clone();
    let mut offsets: Vec<u64> = (0..12).collect();
    for section in table.sections() {
        offsets.extend(section.offset - 12..section.offset);
        match section.id {
            1 | 2 => offsets.extend(section.offset..section.offset + section.len),
            // The count, and entries at some distance from each other.
            4 => {
                offsets.extend(section.offset..section.offset + 4 + 44);
                offsets.extend((section.offset + 48..section.offset + section.len).step_by(97));
            }
            _ => {}
        }
    }
    for offset in offsets {
        for flip in [1, 0x80] {
            let mut copy = key.clone();
            copy[offset as usize] ^= flip;
            let error = files.verify::<Bn254>(&copy).unwrap_err();
            let is_container = matches!(error, Error::File(FileError::Section(_)));
            let is_named = error.to_string().starts_with("zkey section ");
            assert!(is_container || is_named, "byte {offset}: {error}");
        }
    }
}

/// Every point of the header replaced by another of the group.
fn header_points<E: Engine>(curve: Curve) {
    let (files, key) = ceremony::<E>(curve);
    let Section { offset, len, .. } = section::<E>(&key, 2);
    let (g1, g2) = (E::G1::form_len(FORM) as u64, E::G2::form_len(FORM) as u64);
    let start = offset + len - 3 * (g1 + g2);
    let places = [
        (start, true, "alpha1"),
        (start + g1, true, "beta1"),
        (start + 2 * g1, false, "beta2"),
        (start + 2 * g1 + g2, false, "gamma2"),
        (start + 2 * g1 + 2 * g2, true, "delta1"),
        (start + 3 * g1 + 2 * g2, false, "delta2"),
    ];
    for (offset, in_g1, name) in places {
        let mut copy = key.clone();
        match in_g1 {
            true => replace::<E::G1>(&mut copy, offset),
            false => replace::<E::G2>(&mut copy, offset),
        }
        match files.verify::<E>(&copy).unwrap_err() {
            Error::Header { field } | Error::KeyPoint { field } => assert_eq!(field, name),
            other => panic!("{name}: {other}"),
        }
    }
}

fn replace<G: CurveGroup>(bytes: &mut [u8], offset: u64) {
    let width = G::form_len(FORM);
    let point = G::read_form(&bytes[offset as usize..offset as usize + width], FORM).unwrap()[0];
    put::<G>(bytes, offset, other::<G>(point));
}

#[test]
fn header_points_both() {
    header_points::<Bn254>(Curve::Bn254);
    header_points::<Bls12381>(Curve::Bls12381);
}

/// Every field of every contribution.
fn contributions<E: Engine>(curve: Curve) {
    let (files, key) = ceremony::<E>(curve);
    let mpc = section::<E>(&key, 10);
    // The circuit hash, and the number of contributions.
    for offset in mpc.offset..mpc.offset + 68 {
        let mut copy = key.clone();
        copy[offset as usize] ^= 1;
        let error = files.verify::<E>(&copy).unwrap_err();
        let expected = match offset - mpc.offset {
            0..64 => matches!(error, Error::Transcript { index: 0 }),
            _ => matches!(error, Error::File(_) | Error::KeyPoint { field: "delta1" }),
        };
        assert!(expected, "{error}");
    }

    let (g1, g2) = (E::G1::form_len(FORM) as u64, E::G2::form_len(FORM) as u64);
    let name = 2 + "Ana".len() as u64;
    let starts = [mpc.offset + 68, mpc.offset + 68 + 3 * g1 + g2 + 64 + 8 + name];
    for (index, start) in starts.into_iter().enumerate() {
        let refusal = |alter: &dyn Fn(&mut [u8])| {
            let mut copy = key.clone();
            alter(&mut copy);
            files.verify::<E>(&copy).unwrap_err()
        };
        let at = |error: &Error, wanted: &Error| {
            assert_eq!(discriminant(error), discriminant(wanted), "{error}");
            let text = error.to_string();
            assert!(text.contains(&format!("contribution {index}")), "{text}");
        };
        // A delta that does not continue the one before; that of the last is the header's too.
        match (refusal(&|key| replace::<E::G1>(key, start)), index) {
            (Error::KeyPoint { field: "delta1" }, 1) | (Error::Transcript { index: 1 }, 0) => {}
            (other, _) => panic!("{other}"),
        }
        let transcript = Error::Transcript { index };
        at(&refusal(&|key| replace::<E::G1>(key, start + g1)), &transcript);
        at(&refusal(&|key| replace::<E::G1>(key, start + 2 * g1)), &transcript);
        let error = refusal(&|key| replace::<E::G2>(key, start + 3 * g1));
        match (index, error) {
            (0, Error::Transcript { index: 1 }) => {}
            (1, error) => {
                let relation = ceremony::Relation::KnowsDelta;
                at(&error, &Error::Contribution { index, relation });
            }
            (_, other) => panic!("{other}"),
        }
        for byte in 0..64 {
            let offset = (start + 3 * g1 + g2 + byte) as usize;
            at(&refusal(&|key| key[offset] ^= 1), &transcript);
        }
        for byte in 64..72 {
            let offset = (start + 3 * g1 + g2 + byte) as usize;
            let error = refusal(&|key| key[offset] ^= 1);
            assert_eq!(refused_entry(&error), Some(index as u64), "{error}");
        }
    }
}

/// The contribution that does not decode.
fn refused_entry(error: &Error) -> Option<u64> {
    match error {
        Error::File(FileError::Entry { place, index, .. }) => {
            assert!(place.starts_with("zkey section 10"), "{place}");
            Some(*index)
        }
        _ => None,
    }
}

#[test]
fn contributions_bn254() {
    contributions::<Bn254>(Curve::Bn254);
}

#[test]
fn contributions_bls12_381() {
    contributions::<Bls12381>(Curve::Bls12381);
}

/// Where some bytes stand in a key.
fn position(key: &[u8], bytes: &[u8]) -> usize {
    key.windows(bytes.len()).position(|window| window == bytes).unwrap()
}

/// The type of a beacon's contribution, the length of its parameters, and each of these.
#[test]
fn every_parameter_of_a_beacon() {
    let files = Files::of(Curve::Bn254);
    let (key, _) = beacon::<Bn254>(&fixtures::read(Curve::Bn254, "named.zkey"), b"block");
    files.verify::<Bn254>(&key).unwrap();
    let parameters = position(&key, b"\x02\x0a\x03\x05block");
    for offset in parameters - 8..key.len() {
        let mut copy = key.clone();
        copy[offset] ^= 1;
        let error = files.verify::<Bn254>(&copy).unwrap_err();
        let is_beacon = matches!(error, Error::BeaconKey { index: 1 });
        assert!(is_beacon || refused_entry(&error) == Some(1), "byte {offset}: {error}");
    }
}

/// Nothing binds a name, in snarkjs' files either; but it must be one.
#[test]
fn names_are_what_the_file_says() {
    let (files, mut key) = ceremony::<Bn254>(Curve::Bn254);
    let name = position(&key, b"\x01\x03Ana");
    key[name + 2] = b'E';
    let verified = files.verify::<Bn254>(&key).unwrap();
    assert_eq!(verified.contributions[0].attribution.name.as_deref(), Some("Ena"));
    for (offset, byte) in [(0, 4), (1, 2), (1, 4), (2, 0xff)] {
        let mut copy = key.clone();
        copy[name + offset] = byte;
        let error = files.verify::<Bn254>(&copy).unwrap_err();
        assert_eq!(refused_entry(&error), Some(0), "{error}");
    }
}

/// A file cut short anywhere.
#[test]
fn cut_short() {
    let (files, key) = ceremony::<Bn254>(Curve::Bn254);
    for len in (0..key.len()).step_by(997) {
        assert!(matches!(files.verify::<Bn254>(&key[..len]).unwrap_err(), Error::File(_)));
    }
}
