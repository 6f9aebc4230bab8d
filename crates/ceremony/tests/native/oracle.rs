//! Coordinators who ask for more than a turn.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine};
use ceremony::{
    Error, Relation, Snapshot, Trust,
    phase1::{Beacon, native},
};
use circuit::ptau::G1Section;

use super::{
    phase1::{contribute, new, try_contribute, verify},
    rng, some_beacon,
};
use crate::alpha_beta::{read, the_same_secrets_twice};

/// The same secrets, for a file that is believed.
fn believing<E: Engine>(old: &[u8]) -> Vec<u8> {
    let (mut old, mut new) = (Snapshot::take(Cursor::new(old), &()).unwrap(), Vec::new());
    native::contribute::<E>(&mut old, &mut new, None, Trust::Skip, &mut rng(1), &()).unwrap();
    new
}

fn twice<E: Engine>() {
    the_same_secrets_twice::<E>(
        &new::<E>(2),
        |file| native::info::<E>(&mut Cursor::new(file)).unwrap().challenge,
        believing::<E>,
        |file| try_contribute::<E>(file, &mut Vec::new(), None, 1).err(),
    );
}

#[test]
fn no_second_answer_on_other_points() {
    twice::<Bn254>();
    twice::<Bls12381>();
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
        read::<E>(&new, G1Section::AlphaTau, 0)
    };
    let expected = with(None, &some_beacon());
    assert_eq!(with(Some("lucky"), &some_beacon()), expected);
    assert_ne!(with(None, &Beacon::new(vec![9], 10).unwrap()), expected);
}
