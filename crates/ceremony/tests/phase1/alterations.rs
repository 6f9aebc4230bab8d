//! Every point of a small file, every field of its headers and of its contributions, altered one
//! at a time: refused, and named.

use std::io::Cursor;

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Engine};
use ceremony::Error;
use circuit::{
    Error as FileError, PointList,
    ptau::{Contribution, G1Section, G2Section, Ptau},
};

use super::{
    beacon,
    contents::Contents,
    contents::{encode, other, outside},
    contribute, new, prepare, verify,
};

fn file<E: Engine>() -> Vec<u8> {
    prepare::<E>(&beacon::<E>(&contribute::<E>(&new::<E>(2), "Ana", 1), None))
}

/// The section and the position in it that an error names.
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

fn altered(bytes: &[u8], offset: u64, with: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[offset as usize..][..with.len()].copy_from_slice(with);
    bytes
}

/// Alters every point of a list in every way. `log_size` is that of a domain.
fn alter_list<E: Engine, G: CurveGroup>(bytes: &[u8], list: &PointList<G>, log_size: Option<u32>) {
    for index in 0..list.len() {
        let point = list.read(&mut Cursor::new(bytes), index, 1).unwrap()[0];
        let infinity = G::affine_identity();
        let mut wrong = vec![other::<G>(&point), infinity];
        wrong.extend(outside::<G>());
        for wrong in wrong.into_iter().filter(|wrong| *wrong != point) {
            let bytes = altered(bytes, list.offset_of(index), &encode::<G>(wrong));
            let error = verify::<E>(&bytes).unwrap_err();
            assert_eq!(named(&error), Some((list.place(), index)), "{wrong:?}: {error}");
            match (log_size, &error) {
                (Some(expected), Error::Lagrange { log_size, .. }) => {
                    assert_eq!(*log_size, expected);
                }
                (Some(_), Error::File(_)) | (None, _) => {}
                (Some(_), error) => panic!("{error}"),
            }
        }
        // The lowest bit of x: not on the curve.
        let mut garbage = encode::<G>(point);
        garbage[0] ^= 1;
        let bytes = altered(bytes, list.offset_of(index), &garbage);
        let error = verify::<E>(&bytes).unwrap_err();
        assert!(matches!(error, Error::File(FileError::Point { .. })), "{error}");
        assert_eq!(named(&error), Some((list.place(), index)), "{error}");
    }
}

fn points<E: Engine>() {
    let bytes = &file::<E>();
    assert!(verify::<E>(bytes).unwrap().is_prepared);
    let ptau = Ptau::<E>::open(&mut Cursor::new(bytes)).unwrap();
    for section in [G1Section::Tau, G1Section::AlphaTau, G1Section::BetaTau] {
        alter_list::<E, E::G1>(bytes, &ptau.g1(section).unwrap(), None);
    }
    for section in [G2Section::Tau, G2Section::Beta] {
        alter_list::<E, E::G2>(bytes, &ptau.g2(section).unwrap(), None);
    }
    for log_size in 0..=3 {
        let domain = ptau.lagrange_g1(G1Section::LagrangeTau, log_size).unwrap();
        alter_list::<E, E::G1>(bytes, &domain, Some(log_size));
        if log_size == 3 {
            continue;
        }
        for section in [G1Section::LagrangeAlphaTau, G1Section::LagrangeBetaTau] {
            let domain = ptau.lagrange_g1(section, log_size).unwrap();
            alter_list::<E, E::G1>(bytes, &domain, Some(log_size));
        }
        alter_list::<E, E::G2>(bytes, &ptau.lagrange_g2(log_size).unwrap(), Some(log_size));
    }
}

#[test]
fn every_point_bn254() {
    points::<Bn254>();
}

/// The largest domain of a file that was cut has the highest power, which the file has not.
#[test]
fn every_point_of_the_largest_domain_of_a_cut_file() {
    let mut cut = Vec::new();
    let whole = &mut Cursor::new(file::<Bn254>());
    ceremony::phase1::truncate::<Bn254>(whole, &mut cut, 1).unwrap();
    assert!(verify::<Bn254>(&cut).unwrap().is_prepared);
    let ptau = Ptau::<Bn254>::open(&mut Cursor::new(&cut)).unwrap();
    let domain = ptau.lagrange_g1(G1Section::LagrangeTau, 2).unwrap();
    for index in 0..domain.len() {
        let point = domain.read(&mut Cursor::new(&cut), index, 1).unwrap()[0];
        type G1 = <Bn254 as algebra::Pairing>::G1;
        let wrong = encode::<G1>(other::<G1>(&point));
        let error = verify::<Bn254>(&altered(&cut, domain.offset_of(index), &wrong)).unwrap_err();
        assert!(matches!(error, Error::LargestDomain { log_size: 2, .. }), "{error}");
    }
    // Prepared after it was cut, a file has the neutral element there.
    let cut = Contents::<Bn254>::read(&cut).write();
    assert!(verify::<Bn254>(&prepare::<Bn254>(&cut)).unwrap().is_prepared);
}

#[test]
fn every_point_bls12_381() {
    points::<Bls12381>();
}

/// Magic, version, number of sections, header, and the identifier and the length of every section.
#[test]
fn every_bit_of_the_headers() {
    let bytes = &file::<Bn254>();
    let ptau = Ptau::<Bn254>::open(&mut Cursor::new(bytes)).unwrap();
    let sections = ptau.table().sections().iter();
    let headers = sections.flat_map(|section| section.offset - 12..section.offset);
    let header = ptau.table().unique(1).unwrap();
    let fields = header.offset..header.offset + header.len;
    for at in (0..12).chain(headers).chain(fields) {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at as usize] ^= 1 << bit;
            let error = verify::<Bn254>(&bytes).unwrap_err();
            let is_typed = matches!(error, Error::File(_) | Error::ResponseLen { index: 0 });
            assert!(is_typed, "byte {at}, bit {bit}: {error}");
        }
    }
    for len in 0..bytes.len() {
        assert!(matches!(verify::<Bn254>(&bytes[..len]), Err(Error::File(_))), "{len}");
    }
}

/// The contribution that an error names.
fn culprit(error: &Error) -> Option<usize> {
    match *error {
        Error::Contribution { index, .. }
        | Error::BeaconKey { index }
        | Error::BeaconTooLong { index, .. }
        | Error::ResponseLen { index }
        | Error::ResponseHash { index }
        | Error::NextChallenge { index } => Some(index),
        Error::File(FileError::Entry { index, .. }) => Some(index as usize),
        _ => None,
    }
}

fn contribution_points<E: Engine>() {
    fn g1<E: Engine>(one: &mut Contribution<E>) -> Vec<&mut Affine<E::G1>> {
        let (after, key) = (&mut one.after, &mut one.public_key);
        let points = [&mut after.tau_g1, &mut after.alpha_g1, &mut after.beta_g1];
        points.into_iter().chain(&mut key.s).chain(&mut key.sx).collect()
    }
    fn g2<E: Engine>(one: &mut Contribution<E>) -> Vec<&mut Affine<E::G2>> {
        let (after, key) = (&mut one.after, &mut one.public_key);
        let points = [&mut after.tau_g2, &mut after.beta_g2];
        points.into_iter().chain(&mut key.rx).collect()
    }
    let start = contribute::<E>(&contribute::<E>(&new::<E>(1), "Ana", 1), "Bob", 2);
    let honest = Contents::<E>::read(&beacon::<E>(&start, None));
    for index in 0..3 {
        for position in 0..9 {
            let mut contents = honest.clone();
            let point = g1(&mut contents.contributions[index]).swap_remove(position);
            *point = other::<E::G1>(point);
            let error = verify::<E>(&contents.write()).unwrap_err();
            assert_eq!(culprit(&error), Some(index), "G1, {position}: {error}");
        }
        for position in 0..5 {
            for wrong in [None, outside::<E::G2>(), Some(E::G2::affine_identity())] {
                let mut contents = honest.clone();
                let point = g2(&mut contents.contributions[index]).swap_remove(position);
                *point = wrong.unwrap_or_else(|| other::<E::G2>(point));
                let error = verify::<E>(&contents.write()).unwrap_err();
                assert_eq!(culprit(&error), Some(index), "G2, {position}: {error}");
            }
        }
        // The challenge is bound by the next contribution's proof, or is that of the points.
        let mut contents = honest.clone();
        contents.contributions[index].next_challenge[63] ^= 1;
        let error = verify::<E>(&contents.write()).unwrap_err();
        assert_eq!(culprit(&error), Some((index + 1).min(2)), "{error}");
    }
}

#[test]
fn every_point_of_contributions() {
    contribution_points::<Bn254>();
    contribution_points::<Bls12381>();
}

/// All of the last contribution's stored hash counts, but for the bytes that its block has left;
/// of those before it the length.
#[test]
fn every_byte_of_a_partial_hash() {
    let bytes = contribute::<Bn254>(&contribute::<Bn254>(&new::<Bn254>(1), "Ana", 1), "Bob", 2);
    let honest = Contents::<Bn254>::read(&bytes);
    let filled = honest.contributions[1].partial_hash[200] as usize;
    for at in 0..216 {
        let alter = |index: usize| {
            let mut contents = honest.clone();
            contents.contributions[index].partial_hash[at] ^= 1;
            verify::<Bn254>(&contents.write())
        };
        match (alter(1), (filled..128).contains(&at)) {
            (Ok(_), true) => {}
            (Err(error), false) => assert_eq!(culprit(&error), Some(1), "{error}"),
            (other, _) => panic!("{at}: {other:?}"),
        }
        assert_eq!(alter(0).is_err(), at >= 192, "{at}");
    }
}

#[test]
fn every_parameter_of_a_beacon() {
    let bytes = beacon::<Bn254>(&contribute::<Bn254>(&new::<Bn254>(1), "Ana", 1), None);
    let parameters = [2, 10, 3, 16, 1, 2, 3, 4];
    let at = bytes.windows(8).position(|window| window == parameters).unwrap();
    // The type, the length of the parameters, the parameters.
    for at in at - 8..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        let error = verify::<Bn254>(&bytes).unwrap_err();
        let is_trailing = matches!(error, Error::File(FileError::Record { .. }));
        assert!(culprit(&error) == Some(1) || is_trailing, "{at}: {error}");
    }
}
