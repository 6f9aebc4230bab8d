//! Phase 1: with snarkjs, and against every alteration.
//!
//! Needs `node` and `npm`. The tools are those of the tests of `circuit`, in the same directory.

mod alterations;
mod attacks;
mod contents;
mod determinism;
mod exchange;
mod long;
mod oracle;
mod snarkjs;

use test_support::snarkjs as fixtures;

use std::io::Cursor;

use algebra::Engine;
use ceremony::{
    Error, Snapshot, Trust,
    phase1::{self, Beacon, Receipt, Settings, Verified},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn new<E: Engine>(power: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    phase1::new::<E>(&mut bytes, power, &()).unwrap();
    bytes
}

fn contribute<E: Engine>(old: &[u8], name: &str, seed: u8) -> Vec<u8> {
    let mut new = Cursor::new(Vec::new());
    let name = Some(name.to_owned()).filter(|name| !name.is_empty());
    try_contribute::<E>(old, &mut new, name, seed).unwrap();
    new.into_inner()
}

/// A contribution to a file that is verified first.
fn try_contribute<E: Engine>(
    old: &[u8],
    new: &mut Cursor<Vec<u8>>,
    name: Option<String>,
    seed: u8,
) -> Result<Receipt, Error> {
    let mut old = Snapshot::take(Cursor::new(old), &()).unwrap();
    let (settings, mut verifier) = (Settings::default(), rng(97));
    let trust = Trust::verify(&settings, &mut verifier);
    phase1::contribute::<E>(&mut old, new, name, trust, &mut rng(seed), &())
}

fn beacon<E: Engine>(old: &[u8], name: Option<&str>) -> Vec<u8> {
    let mut new = Cursor::new(Vec::new());
    let beacon = Beacon::new((1..=16).collect(), 10).unwrap();
    let (old, name) = (&mut Cursor::new(old), name.map(str::to_owned));
    phase1::contribute_beacon::<E>(old, &mut new, name, &beacon, &()).unwrap();
    new.into_inner()
}

fn prepare<E: Engine>(old: &[u8]) -> Vec<u8> {
    let mut new = Vec::new();
    phase1::prepare::<E>(&mut Cursor::new(old), &mut new, &()).unwrap();
    new
}

fn verify<E: Engine>(bytes: &[u8]) -> Result<Verified, Error> {
    phase1::verify::<E>(&mut Cursor::new(bytes), &Settings::default(), &mut rng(99), &())
}
