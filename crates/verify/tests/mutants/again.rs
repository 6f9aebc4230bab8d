//! A ceremony that is held again, by who makes a wrong key: what its contributors sign is then all right.

use std::io::Cursor;

use algebra::Bn254;
use ceremony::{
    Snapshot, Trust,
    phase1::{Beacon, Settings},
    phase2::native,
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;

use super::{
    edit::{Edit, Files},
    forge::{container, patch, sections},
};

/// The bundle whose key is made again, and its files.
const BUNDLE: &str = "vectors/ceremony/proof";
const KEY: &str = "objects/ceremony/parameters";
const CIRCUIT: &str = "objects/ceremony/circuit";
const PHASE1: &str = "objects/ceremony/phase1";
/// Where a key has the circuit hash.
const CONTRIBUTIONS: u32 = 10;

/// A key with another circuit hash, on which all contributions rest.
pub fn of_ceremony(bundle: &str, files: &Files) -> Option<Edit> {
    if bundle != BUNDLE {
        return None;
    }
    let [mut circuit, mut phase1] = [CIRCUIT, PHASE1].map(|file| Cursor::new(&files[file]));
    let (circuit, phase1) = (&mut circuit, &mut phase1);
    let mut first = Vec::new();
    native::new::<Bn254>(circuit, phase1, &mut first, &Settings::default(), &()).unwrap();
    let read = sections(&first);
    let mut changed: Vec<_> = read.iter().map(|one| (one.id, one.content.to_vec())).collect();
    changed.iter_mut().filter(|(id, _)| *id == CONTRIBUTIONS).for_each(|(_, hash)| hash[0] ^= 1);
    let first = container(&first, &changed);

    // As many bytes as the right key has, so that it is written down as what differs.
    let (mut one, mut key) = (Vec::new(), Vec::new());
    let old = &mut Snapshot::take(Cursor::new(&first), &()).unwrap();
    let (name, rng) = (Some("Eve".to_owned()), &mut ChaCha20Rng::from_seed([6; 32]));
    native::contribute::<Bn254>(old, &mut one, name, Trust::Skip, rng, &()).unwrap();
    let beacon = Beacon::new(vec![0x7c, 0x3e, 0x1f], 10).unwrap();
    native::contribute_beacon::<Bn254>(&mut Cursor::new(&one), &mut key, None, &beacon, &())
        .unwrap();
    patch(files, KEY, &key, "another circuit hash, and all contributions made again")
}
