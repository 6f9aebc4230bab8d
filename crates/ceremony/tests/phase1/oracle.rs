//! A coordinator who has the same secrets answer twice, the second time on points of their choice.

use std::io::Cursor;

use algebra::{
    Affine, AffineGroup, Bls12381, Bn254, CurveGroup, Dialect, Engine, Group, Pairing, PointForm,
    Scalar,
};
use ceremony::{Snapshot, Trust, phase1};
use circuit::{
    bellman::{PowersFile, PowersKind},
    ptau::{G1Section, G2Section, Ptau},
};

use super::{contribute, exchange::try_answer, new, rng, try_contribute};
use crate::alpha_beta::{put, the_same_secrets_twice};

/// The same secrets, for a file that is believed.
fn believing<E: Engine>(old: &[u8]) -> Vec<u8> {
    let (mut old, mut new) = (Snapshot::take(old_file(old), &()).unwrap(), old_file(&[]));
    phase1::contribute::<E>(&mut old, &mut new, None, Trust::Skip, &mut rng(1), &()).unwrap();
    new.into_inner()
}

fn old_file(bytes: &[u8]) -> Cursor<Vec<u8>> {
    Cursor::new(bytes.to_vec())
}

fn twice<E: Engine>() {
    the_same_secrets_twice::<E>(
        &new::<E>(2),
        |file| phase1::info::<E>(&mut Cursor::new(file)).unwrap().challenge,
        believing::<E>,
        |file| try_contribute::<E>(file, &mut old_file(&[]), None, 1).err(),
    );
}

#[test]
fn no_second_answer_on_other_points() {
    twice::<Bn254>();
    twice::<Bls12381>();
}

/// Any point of any list, in a first file and in one that somebody has contributed to.
#[test]
fn no_point_but_the_right_one_is_multiplied() {
    type E = Bn254;
    let start = new::<E>(2);
    for file in [contribute::<E>(&start, "Ana", 1), start] {
        for section in [G1Section::Tau, G1Section::AlphaTau, G1Section::BetaTau] {
            for index in 0..section.len(2) {
                let mut evil = file.clone();
                put::<E>(&mut evil, section, index, some_point::<E>());
                let refused = try_contribute::<E>(&evil, &mut old_file(&[]), None, 2);
                assert!(refused.is_err(), "{section:?} {index}");
            }
        }
        for section in [G2Section::Tau, G2Section::Beta] {
            for index in 0..section.len(2) {
                let mut evil = file.clone();
                let ptau = Ptau::<E>::open(&mut Cursor::new(&evil)).unwrap();
                let (list, mut bytes) = (ptau.g2(section).unwrap(), Vec::new());
                let point = <E as Pairing>::G2::mul_generator(&Scalar::from_u64(77));
                let point = <E as Pairing>::G2::to_affine_all(&[point]);
                <E as Pairing>::G2::write_form(&point, PointForm::Montgomery, &mut bytes);
                evil[list.offset_of(index) as usize..][..bytes.len()].copy_from_slice(&bytes);
                let refused = try_contribute::<E>(&evil, &mut old_file(&[]), None, 2);
                assert!(refused.is_err(), "{section:?} {index}");
            }
        }
    }
}

fn some_point<E: Engine>() -> Affine<E::G1> {
    E::G1::to_affine_all(&[E::G1::mul_generator(&Scalar::from_u64(77))])[0]
}

/// A challenge is multiplied by secrets of its own, so there is one question only: any points, such as
/// those of another ceremony.
fn a_challenge_of_any_points<E: Engine>() {
    let mut challenge = Vec::new();
    let start = &mut Cursor::new(new::<E>(2));
    phase1::export_challenge::<E>(start, &mut challenge, &()).unwrap();
    let len = E::G1::form_len(PointForm::Uncompressed(Dialect::Snarkjs));
    let mut evil = challenge.clone();
    let mut bytes = Vec::new();
    let form = PointForm::Uncompressed(Dialect::Snarkjs);
    E::G1::write_form(&[some_point::<E>()], form, &mut bytes);
    evil[64 + len..][..len].copy_from_slice(&bytes);
    let mut response = Vec::new();
    let (mut old, rng) = (Snapshot::take(old_file(&evil), &()).unwrap(), &mut rng(5));
    let dialect = Dialect::Snarkjs;
    phase1::answer::<E>(&mut old, &mut response, dialect, Trust::Skip, rng, &()).unwrap();
    // τ·X, for the X of nobody's choice but theirs.
    let reader = &mut Cursor::new(&response);
    let kind = PowersKind::Response;
    let answered = PowersFile::<E>::open(reader, kind, 2, dialect).unwrap();
    let product = answered.g1(G1Section::Tau).unwrap().read_one(reader, 1).unwrap();
    let tau = answered.g2(G2Section::Tau).unwrap().read_one(reader, 1).unwrap();
    let point = -E::G1::from_affine(&some_point::<E>());
    assert!(E::is_neutral(&[(point, tau.into()), (product.into(), E::G2::generator())]));

    for at in (64..evil.len()).step_by(len) {
        let mut evil = challenge.clone();
        if at + len <= evil.len() {
            evil[at..][..len].copy_from_slice(&bytes);
            assert!(try_answer::<E>(&evil, &mut Vec::new(), dialect).is_err(), "{at}");
        }
    }
    try_answer::<E>(&challenge, &mut Vec::new(), dialect).unwrap();
}

#[test]
fn challenges_of_other_points_are_not_answered() {
    a_challenge_of_any_points::<Bn254>();
    a_challenge_of_any_points::<Bls12381>();
}
