//! The reference string of a tFLSZ ceremony: its file, and the check of its elements.

use std::io::Cursor;

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Dialect, Engine, PointForm};
use circuit::native::{TflszCrs, TflszG1, TflszG2};
use shuffle::pairing::{KeyError, TflszKey};

use crate::support::{outside, rng};

const N: usize = 3;

fn file<E: Engine>() -> Vec<u8> {
    TflszKey::<E>::insecure_dealer(N, &mut rng(1)).unwrap().write(Vec::new()).unwrap()
}

fn read<E: Engine>(bytes: &[u8]) -> Result<TflszKey<E>, KeyError> {
    TflszKey::read(&mut Cursor::new(bytes))
}

/// Where a point stands in a file, and its form.
type Place = (usize, PointForm);

/// Where every point of the file stands, with its form: G1, then G2.
fn places<E: Engine>(bytes: &[u8]) -> (Vec<Place>, Vec<Place>) {
    let record = TflszCrs::<E>::open(&mut Cursor::new(bytes)).unwrap();
    let first = TflszG1::ALL.into_iter().flat_map(|list| {
        let list = record.g1(list);
        (0..list.len()).map(move |index| (list.offset_of(index) as usize, list.form()))
    });
    let second = TflszG2::ALL.into_iter().flat_map(|list| {
        let list = record.g2(list);
        (0..list.len()).map(move |index| (list.offset_of(index) as usize, list.form()))
    });
    (first.collect(), second.collect())
}

fn put<G: CurveGroup>(bytes: &[u8], (at, form): Place, point: Affine<G>) -> Vec<u8> {
    let mut encoded = Vec::new();
    G::write_form(&[point], form, &mut encoded);
    let mut changed = bytes.to_vec();
    changed[at..at + encoded.len()].copy_from_slice(&encoded);
    assert_ne!(changed, bytes);
    changed
}

fn every_element_is_checked<E: Engine>() {
    let bytes = file::<E>();
    let crs = read::<E>(&bytes).unwrap().verify(&mut rng(2)).unwrap();
    assert_eq!(crs.size(), N);
    let (first, second) = places::<E>(&bytes);
    let refused = |changed: &[u8]| {
        let error = read::<E>(changed).unwrap().verify(&mut rng(3)).err();
        assert!(matches!(error, Some(KeyError::Relation { .. })), "{error:?}");
    };
    for &place in &first {
        let other = E::G1::hashed_affine(b"other");
        refused(&put::<E::G1>(&bytes, place, other));
    }
    for &place in &second {
        let other = E::G2::hashed_affine(b"other");
        refused(&put::<E::G2>(&bytes, place, other));
    }
    bad_points_are_refused::<E>(&bytes, &first, &second);
}

/// Neutral points, and points outside the subgroup, in every place.
fn bad_points_are_refused<E: Engine>(bytes: &[u8], first: &[Place], second: &[Place]) {
    let refused = |changed: &[u8]| {
        assert!(matches!(read::<E>(changed).err(), Some(KeyError::File(_))));
    };
    for &place in first {
        refused(&put::<E::G1>(bytes, place, E::G1::affine_identity()));
        if let Some(point) = outside_point::<E::G1>() {
            refused(&put::<E::G1>(bytes, place, point));
        }
    }
    for &place in second {
        refused(&put::<E::G2>(bytes, place, E::G2::affine_identity()));
        let point = outside_point::<E::G2>().unwrap();
        refused(&put::<E::G2>(bytes, place, point));
    }
}

/// A point of the curve outside the subgroup.
fn outside_point<G: CurveGroup>() -> Option<Affine<G>> {
    outside::<G>()?;
    let form = PointForm::Compressed(Dialect::Bellman);
    (0..u8::MAX).find_map(|seed| {
        let mut bytes = Vec::new();
        G::write_form(&[G::affine_generator()], form, &mut bytes);
        *bytes.last_mut().unwrap() = seed;
        let point = G::read_form(&bytes, form).ok()?.remove(0);
        G::check_subgroup(&[point]).is_err().then_some(point)
    })
}

trait OnePoint: CurveGroup {
    fn hashed_affine(label: &[u8]) -> Affine<Self>;
}

impl<G: CurveGroup> OnePoint for G {
    fn hashed_affine(label: &[u8]) -> Affine<G> {
        G::to_affine_all(&[G::hash_to_group(label)]).remove(0)
    }
}

#[test]
fn every_element_of_a_key_is_checked() {
    every_element_is_checked::<Bn254>();
    every_element_is_checked::<Bls12381>();
}

/// All secrets consistent, but other polynomials: hiding would hold, soundness not.
#[test]
fn elements_of_two_keys_do_not_mix() {
    let (one, other) = (file::<Bn254>(), {
        let key = TflszKey::<Bn254>::insecure_dealer(N, &mut rng(8)).unwrap();
        key.write(Vec::new()).unwrap()
    });
    let record = TflszCrs::<Bn254>::open(&mut Cursor::new(&one)).unwrap();
    for list in [TflszG1::Chi, TflszG1::Theta, TflszG1::P, TflszG1::QOverRho, TflszG1::Mixed] {
        let list = record.g1(list);
        let (from, to) = (list.offset_of(0) as usize, list.offset_of(list.len()) as usize);
        let mut changed = one.clone();
        changed[from..to].copy_from_slice(&other[from..to]);
        let error = read::<Bn254>(&changed).unwrap().verify(&mut rng(3)).err();
        assert!(matches!(error, Some(KeyError::Relation { .. })));
    }
}

#[test]
fn a_file_survives_and_wrong_sizes_do_not() {
    let bytes = file::<Bls12381>();
    assert_eq!(read::<Bls12381>(&bytes).unwrap().write(Vec::new()).unwrap(), bytes);
    assert!(read::<Bn254>(&bytes).is_err());
    assert!(read::<Bls12381>(&bytes[..bytes.len() - 1]).is_err());
    for size in [0, 1, 2, 4, 6, (1 << 24) - 2, 1 << 24] {
        let error = TflszKey::<Bn254>::insecure_dealer(size, &mut rng(1)).err();
        assert!(matches!(error, Some(KeyError::Size { size: s }) if s == size as u64));
    }
}
