//! Coordinators who ask for more than a turn.

use std::io::Cursor;

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Engine, PointForm};
use ceremony::{
    Error, Relation, Snapshot, Trust,
    phase1::{Beacon, native},
};
use circuit::ptau::{G1Section, G2Section, Ptau};

use crate::{
    phase1::{contribute, new, try_contribute, verify},
    rng, some_beacon,
};

fn read<E: Engine>(file: &[u8], index: u64) -> Affine<E::G1> {
    let ptau = Ptau::<E>::open(&mut Cursor::new(file)).unwrap();
    ptau.g1(G1Section::AlphaTau).unwrap().read_one(&mut Cursor::new(file), index).unwrap()
}

/// `[β]₁` of the first answer in the place of `[α]₁`, and the same secrets once more: `[αβ]₁`.
fn the_same_secrets_twice<E: Engine>() {
    let believing = |old: &[u8]| {
        let (mut old, mut new) = (Snapshot::take(Cursor::new(old), &()).unwrap(), Vec::new());
        native::contribute::<E>(&mut old, &mut new, None, Trust::Skip, &mut rng(1), &()).unwrap();
        new
    };
    let start = new::<E>(2);
    let honest = believing(&start);
    let ptau = Ptau::<E>::open(&mut Cursor::new(&honest)).unwrap();
    let beta = ptau.g1(G1Section::BetaTau).unwrap().read_one(&mut Cursor::new(&honest), 0).unwrap();
    let mut evil = start.clone();
    let (list, mut bytes) = (
        Ptau::<E>::open(&mut Cursor::new(&start)).unwrap().g1(G1Section::AlphaTau).unwrap(),
        Vec::new(),
    );
    E::G1::write_form(&[beta], PointForm::Montgomery, &mut bytes);
    evil[list.offset_of(0) as usize..][..bytes.len()].copy_from_slice(&bytes);
    let alpha_beta = read::<E>(&believing(&evil), 0);
    let beta = ptau.g2(G2Section::Beta).unwrap().read_one(&mut Cursor::new(&honest), 0).unwrap();
    let alpha: E::G1 = read::<E>(&honest, 0).into();
    let h = E::G2::affine_generator();
    assert!(E::is_neutral(&[(-alpha, beta.into()), (alpha_beta.into(), h.into())]));

    let refused = try_contribute::<E>(&evil, &mut Vec::new(), None, 1);
    assert!(matches!(refused, Err(Error::Singular { index: 0, .. })), "{refused:?}");
}

#[test]
fn no_second_answer_on_other_points() {
    the_same_secrets_twice::<Bn254>();
    the_same_secrets_twice::<Bls12381>();
}

/// Contributors say what file they contributed to, and their proofs bind it.
#[test]
fn the_digest_of_the_input_is_bound() {
    type E = Bn254;
    let start = new::<E>(2);
    let digest = Snapshot::take(Cursor::new(&start), &()).unwrap().digest();
    let (file, _) = contribute::<E>(&start, "Ana", 1);
    assert_eq!(verify::<E>(&file).unwrap().contributions[0].input, Some(digest));
    let at = file.windows(32).position(|bytes| bytes == digest.as_bytes()).unwrap();
    for byte in 0..32 {
        let mut altered = file.clone();
        altered[at + byte] ^= 1;
        let refused = verify::<E>(&altered);
        assert!(
            matches!(refused, Err(Error::Contribution { index: 0, relation: Relation::KnowsTau })),
            "{refused:?}"
        );
    }
}

/// Whoever adds a beacon when it is known chooses its name, and no secret by it.
#[test]
fn a_beacons_name_chooses_nothing() {
    type E = Bn254;
    let (file, _) = contribute::<E>(&new::<E>(2), "Ana", 1);
    let with = |name: Option<&str>, beacon: &Beacon| {
        let (mut new, name) = (Vec::new(), name.map(str::to_owned));
        let old = &mut Cursor::new(&file);
        native::contribute_beacon::<E>(old, &mut new, name, beacon, &()).unwrap();
        verify::<E>(&new).unwrap();
        read::<E>(&new, 0)
    };
    let expected = with(None, &some_beacon());
    assert_eq!(with(Some("lucky"), &some_beacon()), expected);
    assert_ne!(with(None, &Beacon::new(vec![9], 10).unwrap()), expected);
}
