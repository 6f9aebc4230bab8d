//! Whole ceremonies of phase 1.

use std::io::Cursor;

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Engine, Scalar, ScalarOf};
use ceremony::{
    Error, Snapshot, Trust,
    phase1::{
        self, Beacon, Settings,
        native::{self, Info, Receipt},
    },
};
use circuit::{
    Origin,
    ptau::{G1Section, G2Section, Ptau},
};

use super::{draw, rng, some_beacon};

pub fn new<E: Engine>(power: u32) -> Vec<u8> {
    let mut file = Vec::new();
    native::new::<E>(&mut file, power, &()).unwrap();
    file
}

pub fn contribute<E: Engine>(old: &[u8], name: &str, seed: u8) -> (Vec<u8>, Receipt) {
    let (mut new, name) = (Vec::new(), Some(name.to_owned()).filter(|name| !name.is_empty()));
    let receipt = try_contribute::<E>(old, &mut new, name, seed).unwrap();
    (new, receipt)
}

/// A contribution to a file that is verified first.
pub fn try_contribute<E: Engine>(
    old: &[u8],
    new: &mut Vec<u8>,
    name: Option<String>,
    seed: u8,
) -> Result<Receipt, Error> {
    let mut old = Snapshot::take(Cursor::new(old), &())?;
    let (settings, mut verifier) = (Settings::default(), rng(97));
    let trust = Trust::verify(&settings, &mut verifier);
    native::contribute::<E>(&mut old, new, name, trust, &mut rng(seed), &())
}

pub fn beacon<E: Engine>(old: &[u8], beacon: &Beacon) -> (Vec<u8>, Receipt) {
    let (mut new, old) = (Vec::new(), &mut Cursor::new(old));
    let receipt = native::contribute_beacon::<E>(old, &mut new, None, beacon, &()).unwrap();
    (new, receipt)
}

/// A file to which three people and a beacon contributed.
pub fn whole<E: Engine>(power: u32) -> Vec<u8> {
    let people = [("Ana", 1), ("Ben", 2), ("Cyd", 3)];
    let file = people
        .into_iter()
        .fold(new::<E>(power), |file, (name, seed)| contribute::<E>(&file, name, seed).0);
    beacon::<E>(&file, &some_beacon()).0
}

pub fn verify<E: Engine>(file: &[u8]) -> Result<Info, Error> {
    native::verify::<E>(&mut Cursor::new(file), &Settings::default(), &mut rng(99), &())
}

pub fn prepare<E: Engine>(file: &[u8]) -> Vec<u8> {
    let mut new = Vec::new();
    phase1::prepare::<E>(&mut Cursor::new(file), &mut new, &()).unwrap();
    new
}

pub fn truncate<E: Engine>(file: &[u8], power: u32) -> Vec<u8> {
    let mut new = Vec::new();
    phase1::truncate::<E>(&mut Cursor::new(file), &mut new, power).unwrap();
    new
}

/// Receipts, names and beacon are in the last file, prepared and cut as well.
fn three_and_a_beacon<E: Engine>() {
    let start = new::<E>(3);
    let (first, ana) = contribute::<E>(&start, "Ana", 1);
    let (second, unnamed) = contribute::<E>(&first, "", 2);
    let (third, cyd) = contribute::<E>(&second, "Cyd", 3);
    let (last, noise) = beacon::<E>(&third, &some_beacon());
    // The same generator makes the same file.
    assert_eq!(contribute::<E>(&second, "Cyd", 3).0, third);
    assert_eq!(beacon::<E>(&third, &some_beacon()).0, last);

    let prepared = prepare::<E>(&last);
    let cut = [truncate::<E>(&last, 2), truncate::<E>(&prepared, 1)];
    for (file, power, is_prepared) in
        [(&last, 3, false), (&prepared, 3, true), (&cut[0], 2, false), (&cut[1], 1, true)]
    {
        let info = verify::<E>(file).unwrap();
        assert_eq!(native::info::<E>(&mut Cursor::new(file)).unwrap(), info);
        assert_eq!((info.header.power, info.header.ceremony_power), (power, 3));
        assert_eq!(info.is_prepared, is_prepared);
        assert_eq!(info.challenge, noise.hash);
        for (index, receipt) in [ana, unnamed, cyd, noise].into_iter().enumerate() {
            assert_eq!(receipt.index, index);
            assert_eq!(info.contributions[index].hash, receipt.hash);
        }
        let names: Vec<_> =
            info.contributions.iter().map(|one| one.attribution.name.as_deref()).collect();
        assert_eq!(names, [Some("Ana"), None, Some("Cyd"), None]);
        let hash = some_beacon().hash().to_vec();
        let origin = Origin::Beacon { iterations_exp: 10, hash };
        assert_eq!(info.contributions[3].attribution.origin, origin);
    }
    let reduced = try_contribute::<E>(&cut[0], &mut Vec::new(), None, 4);
    assert!(matches!(reduced, Err(Error::Reduced { ceremony_power: 3 })));
}

#[test]
fn three_and_a_beacon_bn254() {
    three_and_a_beacon::<Bn254>();
}

#[test]
fn three_and_a_beacon_bls12_381() {
    three_and_a_beacon::<Bls12381>();
}

/// Every point is what the secrets make it by definition.
fn direct<E: Engine>() {
    let power = 2;
    let file = contribute::<E>(&contribute::<E>(&new::<E>(power), "Ana", 1).0, "Ben", 2).0;
    let (mut ana, mut ben) = (rng(1), rng(2));
    let [tau, alpha, beta] =
        [(); 3].map(|()| draw::<ScalarOf<E>>(&mut ana) * draw::<ScalarOf<E>>(&mut ben));
    let reader = &mut Cursor::new(&file);
    let ptau = Ptau::<E>::open(reader).unwrap();
    let one = ScalarOf::<E>::one();
    fn expected<G: CurveGroup>(first: G::Scalar, tau: G::Scalar, len: u64) -> Vec<Affine<G>> {
        let powers = (0..len).scan(first, |next, _| {
            let power = *next;
            *next *= tau;
            Some(G::mul_generator(&power))
        });
        G::precompute(&powers.collect::<Vec<_>>())
    }
    for (section, first) in
        [(G1Section::Tau, one), (G1Section::AlphaTau, alpha), (G1Section::BetaTau, beta)]
    {
        let list = ptau.g1(section).unwrap();
        let points = list.read(reader, 0, list.len() as usize).unwrap();
        assert_eq!(points, expected::<E::G1>(first, tau, list.len()));
    }
    for (section, first) in [(G2Section::Tau, one), (G2Section::Beta, beta)] {
        let list = ptau.g2(section).unwrap();
        let points = list.read(reader, 0, list.len() as usize).unwrap();
        assert_eq!(points, expected::<E::G2>(first, tau, list.len()));
    }
}

#[test]
fn ceremonies_are_direct_evaluation() {
    direct::<Bn254>();
    direct::<Bls12381>();
}

/// A file is of one kind of ceremony, and the functions of the other refuse it.
#[test]
fn the_two_kinds_are_told_apart() {
    type E = Bn254;
    let (file, _) = contribute::<E>(&new::<E>(2), "Ana", 1);
    let reader = || Cursor::new(&file);
    let settings = Settings::default();
    assert!(native::is_native::<E>(&mut reader()).unwrap());
    let refused = [
        phase1::verify::<E>(&mut reader(), &settings, &mut rng(9), &()).err(),
        phase1::info::<E>(&mut reader()).err(),
        phase1::export_challenge::<E>(&mut reader(), &mut Vec::new(), &()).err(),
        phase1::contribute::<E>(
            &mut Snapshot::take(reader(), &()).unwrap(),
            &mut Cursor::new(Vec::new()),
            None,
            Trust::Skip,
            &mut rng(9),
            &(),
        )
        .err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(Error::Native)), "{error:?}");
    }

    let mut theirs = Vec::new();
    phase1::new::<E>(&mut theirs, 2, &()).unwrap();
    assert!(!native::is_native::<E>(&mut Cursor::new(&theirs)).unwrap());
    assert!(matches!(verify::<E>(&theirs), Err(Error::NotNative)));
    let nobody = verify::<E>(&new::<E>(2));
    assert!(matches!(nobody, Err(Error::NoContributions)), "{nobody:?}");
}
