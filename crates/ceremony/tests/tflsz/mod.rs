//! The tFLSZ reference string: against direct evaluation, and against every alteration.

mod alterations;
mod attacks;
mod oracle;
mod trapdoors;

use std::io::Cursor;

use algebra::Engine;
use ceremony::{
    Error, Snapshot, Trust, phase1,
    tflsz::{self, Round, Verified},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// A phase 1 of one contributor.
fn phase1<E: Engine>(power: u32, seed: u8) -> Vec<u8> {
    let (mut start, mut ptau) = (Cursor::new(Vec::new()), Cursor::new(Vec::new()));
    phase1::new::<E>(&mut start, power, &()).unwrap();
    let mut start = Snapshot::take(start, &()).unwrap();
    let trust = Trust::Skip;
    phase1::contribute::<E>(&mut start, &mut ptau, None, trust, &mut rng(seed), &()).unwrap();
    ptau.into_inner()
}

fn new<E: Engine>(ptau: &[u8], log_size: u32) -> Vec<u8> {
    let mut file = Vec::new();
    tflsz::new::<E>(&mut Cursor::new(ptau), log_size, &mut file, &()).unwrap();
    file
}

/// A contribution to a file that is believed: most tests verify the outcome.
fn contribute<E: Engine>(old: &[u8], round: Round, name: &str, seed: u8) -> Vec<u8> {
    let (mut old, mut file) = (Snapshot::take(Cursor::new(old), &()).unwrap(), Vec::new());
    let (name, trust, rng) = (Some(name.to_owned()), Trust::Skip, &mut rng(seed));
    tflsz::contribute::<E>(&mut old, &mut file, round, name, trust, rng, &()).unwrap();
    file
}

/// A contribution to a file that is verified first.
fn try_contribute<E: Engine>(
    old: &[u8],
    ptau: &[u8],
    round: Round,
    name: &str,
    seed: u8,
) -> Result<Vec<u8>, Error> {
    let (mut old, mut file) = (Snapshot::take(Cursor::new(old), &())?, Vec::new());
    let (mut ptau, mut verifier) = (Cursor::new(ptau), rng(97));
    let (name, trust) = (Some(name.to_owned()), Trust::verify(&mut ptau as _, &mut verifier));
    tflsz::contribute::<E>(&mut old, &mut file, round, name, trust, &mut rng(seed), &())?;
    Ok(file)
}

fn verify<E: Engine>(file: &[u8], ptau: &[u8]) -> Result<Verified, Error> {
    tflsz::verify::<E>(&mut Cursor::new(file), &mut Cursor::new(ptau), &mut rng(99), &())
}

fn finish<E: Engine>(file: &[u8]) -> Result<Vec<u8>, Error> {
    let mut crs = Vec::new();
    tflsz::finish::<E>(&mut Cursor::new(file), &mut crs)?;
    Ok(crs)
}

/// A whole ceremony: Ana and Bob in round 1, Cyd and Dan in round 2.
fn whole<E: Engine>(ptau: &[u8], log_size: u32) -> Vec<u8> {
    let file = contribute::<E>(&new::<E>(ptau, log_size), Round::First, "Ana", 11);
    let file = contribute::<E>(&file, Round::First, "Bob", 12);
    let file = contribute::<E>(&file, Round::Second, "Cyd", 13);
    contribute::<E>(&file, Round::Second, "Dan", 14)
}
