//! The Sonic SRS: against direct evaluation, every alteration, and the pitfall.

mod oracle;

use std::io::Cursor;

use algebra::{
    Affine, Bls12381, Bn254, CurveGroup, Dialect, Engine, Group, Pairing, PointForm, Scalar,
    ScalarOf,
};
use ceremony::{
    Error, Relation, Snapshot, Trust,
    sonic::{self, Info},
};
use circuit::{
    Error as FileError, PointList,
    native::{SonicG1, SonicG2, SonicSrs, SonicWriter},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn new<E: Engine>(degree: u64) -> Vec<u8> {
    let mut file = Vec::new();
    sonic::new::<E>(degree, &mut file, &()).unwrap();
    file
}

fn contribute<E: Engine>(old: &[u8], name: &str, seed: u8) -> Vec<u8> {
    let mut file = Vec::new();
    try_contribute::<E>(old, &mut file, name, seed).unwrap();
    file
}

/// A contribution to a file that is verified first.
fn try_contribute<E: Engine>(
    old: &[u8],
    new: &mut Vec<u8>,
    name: &str,
    seed: u8,
) -> Result<sonic::Receipt, Error> {
    let (mut old, mut verifier) = (Snapshot::take(Cursor::new(old), &())?, rng(97));
    let (name, trust) = (Some(name.to_owned()), Trust::verify((), &mut verifier));
    sonic::contribute::<E>(&mut old, new, name, trust, &mut rng(seed), &())
}

fn whole<E: Engine>(degree: u64) -> Vec<u8> {
    contribute::<E>(&contribute::<E>(&new::<E>(degree), "Ana", 1), "Bob", 2)
}

fn verify<E: Engine>(file: &[u8]) -> Result<Info, Error> {
    sonic::verify::<E>(&mut Cursor::new(file), &mut rng(99), &())
}

fn finish<E: Engine>(file: &[u8]) -> Vec<u8> {
    let mut srs = Vec::new();
    sonic::finish::<E>(&mut Cursor::new(file), &mut srs).unwrap();
    srs
}

fn verify_srs<E: Engine>(srs: &[u8]) -> Result<(), Error> {
    sonic::verify_srs::<E>(&mut Cursor::new(srs), &mut rng(98), &())
}

/// The `x` and `α` that a contributor with this generator draws.
fn drawn<E: Engine>(seed: u8) -> [ScalarOf<E>; 2] {
    let mut rng = rng(seed);
    [(); 2].map(|()| ScalarOf::<E>::random(&mut rng))
}

/// Every point is what the trapdoors make it by definition.
fn direct<E: Engine>() {
    let one = ScalarOf::<E>::one();
    let ([x1, alpha1], [x2, alpha2]) = (drawn::<E>(1), drawn::<E>(2));
    let (x, alpha) = (x1 * x2, alpha1 * alpha2);
    for degree in [1, 2, 5] {
        let file = whole::<E>(degree);
        let info = verify::<E>(&file).unwrap();
        assert_eq!((info.degree, info.contributions.len()), (degree, 2));
        let bytes = finish::<E>(&file);
        verify_srs::<E>(&bytes).unwrap();
        let reader = &mut Cursor::new(&bytes);
        let srs = SonicSrs::<E>::open(reader).unwrap();
        let (up, down) = (x, x.invert().unwrap());
        for power in -(degree as i64)..=degree as i64 {
            let base = if power < 0 { down } else { up };
            let value = (0..power.unsigned_abs()).fold(one, |value, _| value * base);
            let g1 = |list, value| {
                let position = srs.g1_position(list, power)?;
                let point = srs.g1(list).read_one(reader, position).unwrap();
                Some(Into::<E::G1>::into(point) == E::G1::mul_generator(&value))
            };
            let mut g1 = g1;
            assert_eq!(g1(SonicG1::Powers, value), Some(true));
            let expected = (power != 0).then_some(true);
            assert_eq!(g1(SonicG1::AlphaPowers, alpha * value), expected);
            let position = srs.g2_position(power).unwrap();
            for (list, value) in [(SonicG2::Powers, value), (SonicG2::AlphaPowers, alpha * value)] {
                let point = srs.g2(list).read_one(reader, position).unwrap();
                assert_eq!(Into::<E::G2>::into(point), E::G2::mul_generator(&value));
            }
        }
    }
}

#[test]
fn ceremonies_are_direct_evaluation() {
    direct::<Bn254>();
    direct::<Bls12381>();
}

#[test]
fn degrees() {
    assert_eq!(sonic::degree(10, 12), 48);
    assert_eq!(sonic::degree(10, 100), 110);
    assert_eq!(sonic::degree(u64::MAX, 1), u64::MAX);
    assert!(sonic::new::<Bn254>(0, &mut Vec::new(), &()).is_err());
    assert!(sonic::new::<Bn254>(u64::MAX, &mut Vec::new(), &()).is_err());
}

const FORM: PointForm = PointForm::Uncompressed(Dialect::Bellman);

fn encode<G: CurveGroup>(point: Affine<G>, form: PointForm) -> Vec<u8> {
    let mut bytes = Vec::new();
    G::write_form(&[point], form, &mut bytes);
    bytes
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

fn wrong_points<G: CurveGroup>(list: &PointList<G>, bytes: &[u8], index: u64) -> Vec<Vec<u8>> {
    let point = list.read(&mut Cursor::new(bytes), index, 1).unwrap()[0];
    let other = G::precompute(&[Into::<G>::into(point) + G::generator()])[0];
    let wrong = [Some(other), Some(G::affine_identity()), outside::<G>()];
    let put = |wrong: Affine<G>| {
        let mut bytes = bytes.to_vec();
        let encoded = encode::<G>(wrong, FORM);
        bytes[list.offset_of(index) as usize..][..encoded.len()].copy_from_slice(&encoded);
        bytes
    };
    wrong.into_iter().flatten().map(put).collect()
}

fn named(error: &Error) -> Option<(&'static str, u64)> {
    match *error {
        Error::Unrelated { place, index }
        | Error::Singular { place, index }
        | Error::File(
            FileError::Point { place, index, .. } | FileError::Infinity { place, index },
        ) => Some((place, index)),
        _ => None,
    }
}

fn each_list<E: Engine>(srs: &SonicSrs<E>, bytes: &[u8], check: impl Fn(&[u8], &'static str, u64)) {
    for list in [SonicG1::Powers, SonicG1::AlphaPowers] {
        for index in 0..srs.g1(list).len() {
            for file in wrong_points(&srs.g1(list), bytes, index) {
                check(&file, list.place(), index);
            }
        }
    }
    for list in [SonicG2::Powers, SonicG2::AlphaPowers] {
        for index in 0..srs.g2(list).len() {
            for file in wrong_points(&srs.g2(list), bytes, index) {
                check(&file, list.place(), index);
            }
        }
    }
}

/// The altered point is the one that is named.
fn every_point<E: Engine>() {
    let degree = 3;
    let bytes = whole::<E>(degree);
    let (srs, _) = SonicSrs::<E>::open_ceremony(&mut Cursor::new(&bytes)).unwrap();
    each_list(&srs, &bytes, |file, place, index| {
        let error = verify::<E>(file).unwrap_err();
        assert_eq!(named(&error), Some((place, index)), "{error}");
    });
    // Without the ceremony [x]₁ and [α]₂ define the secrets, and others differ from them.
    let bytes = finish::<E>(&bytes);
    let srs = SonicSrs::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    let defining = [(SonicG1::Powers.place(), degree + 1), (SonicG2::AlphaPowers.place(), degree)];
    each_list(&srs, &bytes, |file, place, index| {
        let error = verify_srs::<E>(file).unwrap_err();
        let is_named = named(&error) == Some((place, index));
        assert!(is_named || defining.contains(&(place, index)), "{place}, {index}: {error}");
    });
}

#[test]
fn every_point_altered() {
    every_point::<Bn254>();
    every_point::<Bls12381>();
}

/// Every byte of the header and of the contributions.
#[test]
fn every_byte_before_the_points() {
    let bytes = whole::<Bn254>(2);
    let (srs, _) = SonicSrs::<Bn254>::open_ceremony(&mut Cursor::new(&bytes)).unwrap();
    for at in 0..srs.g1(SonicG1::Powers).offset_of(0) as usize {
        for bit in [0, 3, 7] {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let error = verify::<Bn254>(&changed).unwrap_err();
            let is_typed = matches!(error, Error::File(_) | Error::Contribution { .. });
            assert!(is_typed, "byte {at}, bit {bit}: {error}");
        }
    }
}

/// Contributions by their bytes, with names of three letters.
fn with_contributions<E: Engine>(
    bytes: &[u8],
    alter: impl Fn(&mut Vec<Vec<u8>>),
) -> Result<Info, Error> {
    let file = &mut Cursor::new(bytes);
    let (srs, transcript) = SonicSrs::<E>::open_ceremony(file).unwrap();
    let len = 4 + 3 + 32 + 2 * (E::G1::ENCODED_LEN + E::G2::ENCODED_LEN) + 2 * 32;
    let mut turns: Vec<_> = transcript[4..].chunks(len).map(<[u8]>::to_vec).collect();
    alter(&mut turns);
    let mut transcript = (turns.len() as u32).to_le_bytes().to_vec();
    transcript.extend(turns.concat());
    let mut out = SonicWriter::<_, E>::ceremony(Vec::new(), srs.degree(), &transcript).unwrap();
    for list in [SonicG1::Powers, SonicG1::AlphaPowers] {
        let points = srs.g1(list).read(file, 0, srs.g1(list).len() as usize).unwrap();
        out.g1(list).unwrap().write(&points).unwrap();
    }
    for list in [SonicG2::Powers, SonicG2::AlphaPowers] {
        let points = srs.g2(list).read(file, 0, srs.g2(list).len() as usize).unwrap();
        out.g2(list).unwrap().write(&points).unwrap();
    }
    verify::<E>(&out.finish().unwrap())
}

#[test]
fn contributions_stay_where_they_were_made() {
    type E = Bls12381;
    let bytes = whole::<E>(2);
    with_contributions::<E>(&bytes, |_| {}).unwrap();
    let culprit = |alter: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let error = with_contributions::<E>(&bytes, |turns| alter(turns)).unwrap_err();
        match error {
            Error::Contribution { index, relation } => (index, Some(relation)),
            Error::Singular { index, .. } => (index as usize, None),
            error => panic!("{error}"),
        }
    };
    let x = Some(Relation::KnowsX);
    assert_eq!(culprit(&|turns| turns.swap(0, 1)), (0, x));
    assert_eq!(culprit(&|turns| drop(turns.remove(0))), (0, x));
    // Without the last, [x]₁ is not what the first left.
    assert_eq!(culprit(&|turns| drop(turns.remove(1))), (3, None));
    assert_eq!(culprit(&|turns| turns.push(turns[1].clone())), (2, x));
    assert_eq!(culprit(&|turns| turns[1][4..7].copy_from_slice(b"Eve")), (1, x));
    let empty = with_contributions::<E>(&bytes, Vec::clear).unwrap_err();
    assert!(matches!(empty, Error::NoContributions), "{empty}");
    let zero = <E as Pairing>::G1::identity().encode();
    let zero = with_contributions::<E>(&bytes, |turns| {
        turns[1][39..][..zero.len()].copy_from_slice(&zero);
    });
    assert!(zero.unwrap_err().to_string().contains("infinity"));
}

/// The pitfall: nobody's `[α]₁` can be computed from what is published. No file has it, that of any
/// contributor included; the list has no place for it; and a file with one more point is refused.
fn no_alpha<E: Engine>() {
    let (first, second) = (contribute::<E>(&new::<E>(3), "Ana", 1), whole::<E>(3));
    let published = [&first[..], &second, &finish::<E>(&second)].concat();
    let ([_, alpha1], [_, alpha2]) = (drawn::<E>(1), drawn::<E>(2));
    let contains = |needle: &[u8]| published.windows(needle.len()).any(|window| window == needle);
    let forms = [
        FORM,
        PointForm::Uncompressed(Dialect::Snarkjs),
        PointForm::Compressed(Dialect::Bellman),
        PointForm::Compressed(Dialect::Snarkjs),
        PointForm::Montgomery,
    ];
    for alpha in [alpha1, alpha2, alpha1 * alpha2] {
        let point = E::G1::mul_generator(&alpha);
        assert!(!contains(&point.encode()));
        for form in forms {
            assert!(!contains(&encode::<E::G1>(E::G1::precompute(&[point])[0], form)));
        }
    }
    // The search finds what is there.
    let alpha = E::G2::precompute(&[E::G2::mul_generator(&(alpha1 * alpha2))])[0];
    assert!(contains(&encode::<E::G2>(alpha, FORM)));

    let bytes = finish::<E>(&second);
    let srs = SonicSrs::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    assert_eq!(srs.g1_position(SonicG1::AlphaPowers, 0), None);
    let at = srs.g2(SonicG2::Powers).offset_of(0) as usize;
    let point = E::G1::precompute(&[E::G1::mul_generator(&alpha1)])[0];
    let more = [&bytes[..at], &encode::<E::G1>(point, FORM), &bytes[at..]].concat();
    assert!(matches!(verify_srs::<E>(&more), Err(Error::File(FileError::Len { .. }))));
}

#[test]
fn nobody_gets_alpha_in_g1() {
    no_alpha::<Bn254>();
    no_alpha::<Bls12381>();
}

#[test]
fn secrets_of_one() {
    let mut srs = SonicWriter::<_, Bn254>::new(Vec::new(), 2).unwrap();
    for list in [SonicG1::Powers, SonicG1::AlphaPowers] {
        let mut points = srs.g1(list).unwrap();
        points.repeat(&<Bn254 as Pairing>::G1::affine_generator(), points.remaining()).unwrap();
    }
    for list in [SonicG2::Powers, SonicG2::AlphaPowers] {
        let mut points = srs.g2(list).unwrap();
        points.repeat(&<Bn254 as Pairing>::G2::affine_generator(), points.remaining()).unwrap();
    }
    let error = verify_srs::<Bn254>(&srs.finish().unwrap()).unwrap_err();
    assert!(matches!(error, Error::NoSecret { index: 3, .. }), "{error}");
}
