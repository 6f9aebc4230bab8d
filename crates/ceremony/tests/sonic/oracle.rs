//! A coordinator who has a contributor multiply points of their choice.

use std::io::Cursor;

use algebra::{
    Affine, AffineGroup, Bls12381, Bn254, CurveGroup, Dialect, Engine, Group, PointForm,
};
use ceremony::{Error, Snapshot, Trust, sonic};
use circuit::native::{SonicG1, SonicG2, SonicSrs};

use super::{new, rng, try_contribute};

const DEGREE: u64 = 2;

fn put<E: Engine>(file: &mut [u8], power: i64, point: Affine<E::G1>) {
    let (srs, _) = SonicSrs::<E>::open_ceremony(&mut Cursor::new(&*file)).unwrap();
    let (list, mut bytes) = (srs.g1(SonicG1::AlphaPowers), Vec::new());
    let position = srs.g1_position(SonicG1::AlphaPowers, power).unwrap();
    E::G1::write_form(&[point], PointForm::Uncompressed(Dialect::Bellman), &mut bytes);
    file[list.offset_of(position) as usize..][..bytes.len()].copy_from_slice(&bytes);
}

fn read<E: Engine>(file: &[u8], list: SonicG1, power: i64) -> Affine<E::G1> {
    let reader = &mut Cursor::new(file);
    let (srs, _) = SonicSrs::<E>::open_ceremony(reader).unwrap();
    let position = srs.g1_position(list, power).unwrap();
    srs.g1(list).read_one(reader, position).unwrap()
}

/// The same secrets, for a file that is believed.
fn believing<E: Engine>(old: &[u8]) -> Vec<u8> {
    let (mut old, mut new) = (Snapshot::take(Cursor::new(old), &()).unwrap(), Vec::new());
    let (name, trust) = (Some("Ana".to_owned()), Trust::Skip);
    sonic::contribute::<E>(&mut old, &mut new, name, trust, &mut rng(1), &()).unwrap();
    new
}

/// `[x^{−1}]₁` of the first answer in the place of `[αx]₁`, and the same secrets once more: `[α]₁`, with
/// which everybody commits to polynomials that have a constant term.
fn alpha<E: Engine>() {
    let start = new::<E>(DEGREE);
    let honest = believing::<E>(&start);
    let mut evil = start;
    put::<E>(&mut evil, 1, read::<E>(&honest, SonicG1::Powers, -1));
    let answer = believing::<E>(&evil);
    let alpha: E::G1 = read::<E>(&answer, SonicG1::AlphaPowers, 1).into();
    let reader = &mut Cursor::new(&honest);
    let (srs, _) = SonicSrs::<E>::open_ceremony(reader).unwrap();
    let position = srs.g2_position(0).unwrap();
    let alpha_g2 = srs.g2(SonicG2::AlphaPowers).read_one(reader, position).unwrap();
    assert!(E::is_neutral(&[(alpha, E::G2::generator()), (-E::G1::generator(), alpha_g2.into())]));

    let refused = try_contribute::<E>(&evil, &mut Vec::new(), "Ana", 1);
    let place = SonicG1::AlphaPowers.place();
    assert!(
        matches!(refused, Err(Error::Unrelated { place: at, .. }) if at == place),
        "{refused:?}"
    );
    // Any place of it, in a first file and in one that somebody has contributed to.
    for file in [new::<E>(DEGREE), honest] {
        try_contribute::<E>(&file, &mut Vec::new(), "Bob", 2).unwrap();
        for power in [-2, -1, 1, 2] {
            let (mut evil, point) = (file.clone(), E::G1::generator().double());
            put::<E>(&mut evil, power, E::G1::to_affine_all(&[point])[0]);
            assert!(try_contribute::<E>(&evil, &mut Vec::new(), "Bob", 2).is_err(), "{power}");
        }
    }
}

#[test]
fn alpha_alone_is_not_computed() {
    alpha::<Bn254>();
    alpha::<Bls12381>();
}

/// Lists of several chunks of the file's reader and writer: `scripts/test --long` runs it.
#[test]
#[ignore = "takes minutes"]
fn long_sonic() {
    type E = Bls12381;
    let mut file = new::<E>(1 << 14);
    for seed in 1..3 {
        let mut next = Vec::new();
        try_contribute::<E>(&file, &mut next, "Ana", seed).unwrap();
        file = next;
    }
    assert_eq!(super::verify::<E>(&file).unwrap().contributions.len(), 2);
    super::verify_srs::<E>(&super::finish::<E>(&file)).unwrap();
}
