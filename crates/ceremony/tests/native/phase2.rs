//! Whole ceremonies of phase 2, on a native phase 1.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Group, Scalar, ScalarOf};
use ceremony::{
    Error, Snapshot, Trust,
    phase2::{
        self, Settings,
        native::{self, Info, Receipt},
    },
};
use circuit::{
    json::VerifyingKey,
    synthesis::{Circuit, Linear, Synthesizer},
    zkey::Zkey,
};

use super::{
    draw,
    phase1::{self, prepare},
    rng, some_beacon,
};

/// "I know x with x³ + factor·x = y."
struct Cubic {
    factor: u64,
}

impl<S: Scalar> Circuit<S> for Cubic {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        let x = cs.private(S::from_u64(3));
        let square = cs.product(&x, &x);
        let cube = cs.product(&square, &x);
        cs.expose(&Linear::sum([(S::one(), &cube), (S::from_u64(self.factor), &x)]));
    }
}

/// A circuit and a prepared phase 1.
#[derive(Clone)]
pub struct Files {
    pub r1cs: Vec<u8>,
    pub ptau: Vec<u8>,
}

pub fn circuit<E: Engine>(factor: u64) -> Vec<u8> {
    let system = Circuit::<ScalarOf<E>>::constraint_system(&Cubic { factor });
    system.write::<E, _>(Cursor::new(Vec::new())).unwrap().into_inner()
}

impl Files {
    /// A small circuit over a native phase 1.
    pub fn small<E: Engine>() -> Self {
        Self { r1cs: circuit::<E>(5), ptau: prepare::<E>(&phase1::whole::<E>(4)) }
    }

    pub fn new_key<E: Engine>(&self) -> Vec<u8> {
        let (mut r1cs, mut ptau) = (Cursor::new(&self.r1cs), Cursor::new(&self.ptau));
        let mut key = Vec::new();
        native::new::<E>(&mut r1cs, &mut ptau, &mut key, &Settings::default(), &()).unwrap();
        key
    }

    pub fn verify<E: Engine>(&self, key: &[u8]) -> Result<Info, Error> {
        self.verify_with::<E>(key, &Settings::default())
    }

    pub fn verify_with<E: Engine>(&self, key: &[u8], settings: &Settings) -> Result<Info, Error> {
        let (mut r1cs, mut ptau) = (Cursor::new(&self.r1cs), Cursor::new(&self.ptau));
        let mut key = Cursor::new(key);
        native::verify::<E>(&mut r1cs, &mut ptau, &mut key, settings, &mut rng(99), &())
    }
}

/// A contribution to a key that is believed: most tests verify the outcome.
pub fn contribute<E: Engine>(old: &[u8], name: &str, seed: u8) -> (Vec<u8>, Receipt) {
    let (mut new, name) = (Vec::new(), Some(name.to_owned()).filter(|name| !name.is_empty()));
    let (mut old, rng) = (Snapshot::take(Cursor::new(old), &()).unwrap(), &mut rng(seed));
    let receipt = native::contribute::<E>(&mut old, &mut new, name, Trust::Skip, rng, &()).unwrap();
    (new, receipt)
}

pub fn beacon<E: Engine>(old: &[u8]) -> (Vec<u8>, Receipt) {
    let (mut new, old) = (Vec::new(), &mut Cursor::new(old));
    let receipt = native::contribute_beacon::<E>(old, &mut new, None, &some_beacon(), &()).unwrap();
    (new, receipt)
}

/// A key to which three people contributed.
pub fn three<E: Engine>(files: &Files) -> Vec<u8> {
    let people = [("Ana", 1), ("Ben", 2), ("Cyd", 3)];
    let start = files.new_key::<E>();
    people.into_iter().fold(start, |key, (name, seed)| contribute::<E>(&key, name, seed).0)
}

pub fn export<E: Engine>(key: &[u8]) -> Result<VerifyingKey<E>, Error> {
    phase2::export::<E>(&mut Cursor::new(key))
}

fn three_and_a_beacon<E: Engine>() {
    let files = Files::small::<E>();
    let start = files.new_key::<E>();
    let (first, ana) = contribute::<E>(&start, "Ana", 1);
    let (second, unnamed) = contribute::<E>(&first, "", 2);
    let (third, cyd) = contribute::<E>(&second, "Cyd", 3);
    let (last, noise) = beacon::<E>(&third);
    assert_eq!(contribute::<E>(&second, "Cyd", 3).0, third);
    assert_eq!(beacon::<E>(&third).0, last);

    let info = files.verify::<E>(&last).unwrap();
    assert_eq!(native::info::<E>(&mut Cursor::new(&last)).unwrap(), info);
    assert_eq!(info.challenge, noise.hash);
    for (index, receipt) in [ana, unnamed, cyd, noise].into_iter().enumerate() {
        assert_eq!(receipt.index, index);
        assert_eq!(info.contributions[index].hash, receipt.hash);
    }
    let names: Vec<_> =
        info.contributions.iter().map(|one| one.attribution.name.as_deref()).collect();
    assert_eq!(names, [Some("Ana"), None, Some("Cyd"), None]);
    export::<E>(&last).unwrap();

    // δ is the product of all secrets.
    let delta = [1, 2, 3].map(|seed| draw::<ScalarOf<E>>(&mut rng(seed)));
    let delta = delta.into_iter().fold(ScalarOf::<E>::one(), |product, one| product * one);
    let points = Zkey::<E>::open(&mut Cursor::new(&third)).unwrap().header().points.clone();
    assert!(Into::<E::G1>::into(points.delta_g1) == E::G1::mul_generator(&delta));
    assert!(Into::<E::G2>::into(points.delta_g2) == E::G2::mul_generator(&delta));
}

#[test]
fn three_and_a_beacon_bn254() {
    three_and_a_beacon::<Bn254>();
}

#[test]
fn three_and_a_beacon_bls12_381() {
    three_and_a_beacon::<Bls12381>();
}

/// But for the ceremony the keys are the same, whatever the form of either phase.
#[test]
fn the_two_kinds_are_told_apart() {
    type E = Bn254;
    let files = Files::small::<E>();
    let (key, _) = contribute::<E>(&files.new_key::<E>(), "Ana", 1);
    let reader = || Cursor::new(&key);
    let taken = |key| Snapshot::take(Cursor::new(key), &()).unwrap();
    assert!(native::is_native::<E>(&mut reader()).unwrap());
    let settings = Settings::default();
    let (r1cs, ptau) = (&mut Cursor::new(&files.r1cs), &mut Cursor::new(&files.ptau));
    let (mut random, none) = (rng(9), &mut Vec::new());
    let refused = [
        phase2::verify::<E>(r1cs, ptau, &mut reader(), &settings, &mut random, &()).err(),
        phase2::info::<E>(&mut reader()).err(),
        phase2::contribute::<E>(&mut taken(&key), none, None, Trust::Skip, &mut random, &()).err(),
        phase2::export_bellman::<E>(&mut reader(), none, algebra::Dialect::Snarkjs, &()).err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(Error::Native)), "{error:?}");
    }

    let mut theirs = Vec::new();
    phase2::new::<E>(r1cs, ptau, &mut theirs, &settings, &()).unwrap();
    assert!(matches!(files.verify::<E>(&theirs), Err(Error::NotNative)));
    let mut second = Vec::new();
    let (old, trust) = (&mut taken(&theirs), Trust::Skip);
    phase2::contribute::<E>(old, &mut second, None, trust, &mut random, &()).unwrap();
    phase2::verify::<E>(r1cs, ptau, &mut Cursor::new(second), &settings, &mut random, &()).unwrap();
}

/// Nobody gets a verification key under which everybody forges.
#[test]
fn without_contributions() {
    type E = Bls12381;
    let files = Files::small::<E>();
    let start = files.new_key::<E>();
    assert!(matches!(files.verify::<E>(&start), Err(Error::NoContributions)));
    assert!(matches!(export::<E>(&start), Err(Error::NoContributions)));
}
