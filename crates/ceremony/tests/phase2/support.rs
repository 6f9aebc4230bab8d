//! Ceremonies in memory.

use std::io::Cursor;

use algebra::Engine;
use ceremony::{
    Error, Snapshot, Trust,
    phase2::{self, Beacon, Receipt, Settings, Verified},
};
use circuit::Curve;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::fixtures;

pub fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// A circuit and a phase 1.
#[derive(Clone)]
pub struct Files {
    pub r1cs: Vec<u8>,
    pub ptau: Vec<u8>,
}

impl Files {
    pub fn of(curve: Curve) -> Self {
        let read = |name| fixtures::read(curve, name);
        Self { r1cs: read("circuit.r1cs"), ptau: read("prepared.ptau") }
    }

    pub fn try_new<E: Engine>(&self) -> Result<Vec<u8>, Error> {
        let (mut r1cs, mut ptau) = (Cursor::new(&self.r1cs), Cursor::new(&self.ptau));
        let mut key = Vec::new();
        phase2::new::<E>(&mut r1cs, &mut ptau, &mut key, &Settings::default(), &()).map(|_| key)
    }

    pub fn new_key<E: Engine>(&self) -> Vec<u8> {
        self.try_new::<E>().unwrap()
    }

    pub fn verify<E: Engine>(&self, key: &[u8]) -> Result<Verified, Error> {
        self.verify_with::<E>(key, &Settings::default())
    }

    pub fn verify_with<E: Engine>(
        &self,
        key: &[u8],
        settings: &Settings,
    ) -> Result<Verified, Error> {
        let (mut r1cs, mut ptau) = (Cursor::new(&self.r1cs), Cursor::new(&self.ptau));
        let mut key = Cursor::new(key);
        phase2::verify::<E>(&mut r1cs, &mut ptau, &mut key, settings, &mut rng(99), &())
    }
}

/// A contribution to a key that is believed: most tests verify the outcome.
pub fn contribute<E: Engine>(key: &[u8], name: Option<&str>, seed: u8) -> (Vec<u8>, Receipt) {
    let (mut old, mut new) = (Snapshot::take(Cursor::new(key), &()).unwrap(), Vec::new());
    let (name, trust, rng) = (name.map(str::to_owned), Trust::Skip, &mut rng(seed));
    let receipt = phase2::contribute::<E>(&mut old, &mut new, name, trust, rng, &()).unwrap();
    (new, receipt)
}

pub fn beacon<E: Engine>(key: &[u8], hash: &[u8]) -> (Vec<u8>, Receipt) {
    let (mut old, mut new) = (Cursor::new(key), Vec::new());
    let beacon = Beacon::new(hash.to_vec(), 10).unwrap();
    let receipt = phase2::contribute_beacon::<E>(&mut old, &mut new, None, &beacon, &()).unwrap();
    (new, receipt)
}
