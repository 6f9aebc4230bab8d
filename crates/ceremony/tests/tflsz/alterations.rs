//! Every point and every byte altered, one at a time.

use std::{io::Cursor, ops::Range};

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Dialect, Engine, PointForm};
use ceremony::{Error, tflsz};
use circuit::{
    Error as FileError, PointList,
    native::{TflszCrs, TflszG1, TflszG2, TflszPoints},
};

use super::{finish, phase1, rng, verify, whole};

const FORM: PointForm = PointForm::Uncompressed(Dialect::Bellman);

fn encode<G: CurveGroup>(point: Affine<G>) -> Vec<u8> {
    let mut bytes = Vec::new();
    G::write_form(&[point], FORM, &mut bytes);
    bytes
}

/// Another point of the group.
fn other<G: CurveGroup>(point: &Affine<G>) -> Affine<G> {
    G::precompute(&[Into::<G>::into(*point) + G::generator()])[0]
}

/// A point of the curve outside the prime-order subgroup; none on BN254's G1.
fn outside<G: CurveGroup>() -> Option<Affine<G>> {
    let candidate = |x: u8| {
        let mut bytes = vec![0; G::COORDINATE_LEN];
        *bytes.last_mut().unwrap() = x;
        let points = G::read_form(&bytes, PointForm::Compressed(Dialect::Snarkjs)).ok()?;
        G::check_subgroup(&points).err().map(|_| points[0])
    };
    (1..=40).find_map(candidate)
}

/// The list and the position in it that an error names.
fn named(error: &Error) -> Option<(&'static str, u64)> {
    match *error {
        Error::Unrelated { place, index }
        | Error::Singular { place, index }
        | Error::NotPhase1 { place, index }
        | Error::NoSecret { place, index }
        | Error::File(
            FileError::Point { place, index, .. } | FileError::Infinity { place, index },
        ) => Some((place, index)),
        _ => None,
    }
}

/// All ways in which a point of a file can be wrong.
fn wrong_points<G: CurveGroup>(list: &PointList<G>, bytes: &[u8], index: u64) -> Vec<Vec<u8>> {
    let point = list.read(&mut Cursor::new(bytes), index, 1).unwrap()[0];
    let mut wrong = vec![other::<G>(&point), G::affine_identity()];
    wrong.extend(outside::<G>());
    let at = list.offset_of(index) as usize;
    let put = |with: Vec<u8>| {
        let mut bytes = bytes.to_vec();
        bytes[at..][..with.len()].copy_from_slice(&with);
        bytes
    };
    let mut files: Vec<_> = wrong.into_iter().map(|wrong| put(encode::<G>(wrong))).collect();
    // The lowest bit of y: not on the curve.
    let mut garbage = encode::<G>(point);
    *garbage.last_mut().unwrap() ^= 1;
    files.push(put(garbage));
    files
}

fn each_list<E: Engine>(crs: &TflszCrs<E>, bytes: &[u8], check: impl Fn(&[u8], &'static str, u64)) {
    for list in TflszG1::ALL {
        for index in 0..crs.g1(list).len() {
            for file in wrong_points(&crs.g1(list), bytes, index) {
                check(&file, list.place(), index);
            }
        }
    }
    for list in TflszG2::ALL {
        for index in 0..crs.g2(list).len() {
            for file in wrong_points(&crs.g2(list), bytes, index) {
                check(&file, list.place(), index);
            }
        }
    }
}

/// In a file of the ceremony the altered point is the one that is named.
fn points_of_a_ceremony<E: Engine>() {
    let ptau = phase1::<E>(2, 1);
    let bytes = whole::<E>(&ptau, 2);
    verify::<E>(&bytes, &ptau).unwrap();
    let (crs, _) = TflszCrs::<E>::open_ceremony(&mut Cursor::new(&bytes)).unwrap();
    each_list(&crs, &bytes, |file, place, index| {
        let error = verify::<E>(file, &ptau).unwrap_err();
        assert_eq!(named(&error), Some((place, index)), "{error}");
    });
}

#[test]
fn every_point_of_a_ceremony_bn254() {
    points_of_a_ceremony::<Bn254>();
}

#[test]
fn every_point_of_a_ceremony_bls12_381() {
    points_of_a_ceremony::<Bls12381>();
}

/// Of a reference string alone it is refused. Which one is wrong of two that ought to agree, such as
/// `[θ]₁` and `[θ]₂`, the string does not tell.
fn points_of_a_crs<E: Engine>() {
    let bytes = finish::<E>(&whole::<E>(&phase1::<E>(2, 1), 2)).unwrap();
    let verify = |bytes: &[u8]| {
        let points = TflszPoints::<E>::read(&mut Cursor::new(bytes))?;
        tflsz::verify_key(&points, &mut rng(98), &())
    };
    verify(&bytes).unwrap();
    let crs = TflszCrs::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    let defining = [
        (TflszG1::Chi.place(), 0),
        (TflszG1::Theta.place(), 0),
        (TflszG1::BetaChi.place(), 0),
        (TflszG1::Single.place(), 1),
        (TflszG1::Single.place(), 3),
        (TflszG2::Single.place(), 5),
    ];
    each_list(&crs, &bytes, |file, place, index| {
        let error = verify(file).unwrap_err();
        let is_named = named(&error) == Some((place, index));
        assert!(is_named || defining.contains(&(place, index)), "{place}, {index}: {error}");
    });
}

#[test]
fn every_point_of_a_crs() {
    points_of_a_crs::<Bn254>();
    points_of_a_crs::<Bls12381>();
}

/// The bytes of the transcript, after magic, kind, version, pairing and size.
fn transcript<E: Engine>(bytes: &[u8]) -> Range<usize> {
    let (crs, transcript) = TflszCrs::<E>::open_ceremony(&mut Cursor::new(bytes)).unwrap();
    let end = crs.g1(TflszG1::Single).offset_of(0) as usize;
    end - transcript.len()..end
}

/// Every byte of every contribution, of the challenge of phase 1, and of the header.
#[test]
fn every_byte_before_the_points() {
    let ptau = phase1::<Bn254>(2, 1);
    let bytes = whole::<Bn254>(&ptau, 2);
    for at in 0..transcript::<Bn254>(&bytes).end {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << [0, 3, 7][at % 3];
        let error = verify::<Bn254>(&changed, &ptau).unwrap_err();
        let is_typed = matches!(
            error,
            Error::File(_) | Error::Contribution { .. } | Error::OtherPhase1 | Error::Size { .. }
        );
        assert!(is_typed, "byte {at}: {error}");
    }
    for len in (0..bytes.len()).step_by(7) {
        assert!(matches!(verify::<Bn254>(&bytes[..len], &ptau), Err(Error::File(_))), "{len}");
    }
}

/// A string in memory whose lists do not fit together.
#[test]
fn lists_of_other_lengths() {
    let points = finish::<Bn254>(&whole::<Bn254>(&phase1::<Bn254>(2, 1), 2)).unwrap();
    let points = TflszPoints::<Bn254>::read(&mut Cursor::new(points)).unwrap();
    let alterations: [fn(&mut TflszPoints<Bn254>); 9] = [
        |points| points.chi.truncate(2),
        |points| points.theta.truncate(2),
        |points| points.beta_chi.truncate(2),
        |points| points.beta_hat_theta.truncate(2),
        |points| points.q_over_rho.truncate(2),
        |points| points.mixed.truncate(2),
        |points| points.chi_g2.truncate(2),
        |points| points.p_g2.truncate(2),
        |points| points.p.truncate(2),
    ];
    for alter in alterations {
        let mut points = points.clone();
        alter(&mut points);
        let error = tflsz::verify_key(&points, &mut rng(97), &()).unwrap_err();
        assert!(matches!(error, Error::ListLen { .. } | Error::Size { size: 2 }), "{error}");
        assert!(points.write(Vec::new()).is_err());
    }
    let mut neutral = points.clone();
    neutral.single.beta_rho = <Bn254 as algebra::Pairing>::G1::affine_identity();
    let error = tflsz::verify_key(&neutral, &mut rng(97), &()).unwrap_err();
    assert!(matches!(error, Error::File(FileError::Infinity { index: 4, .. })), "{error}");
}
