//! A coordinator who has a contributor divide points of their choice by the secret.
//!
//! Wires that no constraint names have nothing in `K`. Whatever stands there instead comes back divided
//! by `δ`, and nobody misses it afterwards: the last file has the neutral element there again.

use std::io::Cursor;

use algebra::{
    Affine, AffineGroup, Bls12381, Bn254, CurveGroup, Engine, Group, Pairing, PointForm, Scalar,
    ScalarOf,
};
use ceremony::{
    Error, Snapshot, Trust, phase1,
    phase2::{self, Against, Reference, Settings, native},
};
use circuit::{
    bellman::{G1Part, Parameters},
    r1cs::{Constraint, R1csHeader, R1csWriter},
    zkey::{G1Query, Zkey},
};

use super::{
    exchange::try_answer,
    support::{Files, rng},
};

/// `z = x·y` for a public `z`, and two wires that nothing is said of.
fn circuit<E: Engine>() -> Vec<u8> {
    let header = R1csHeader { wires: 6, public_outputs: 1, constraints: 1, ..Default::default() };
    let term = |wire| vec![(wire, ScalarOf::<E>::one())];
    let row = Constraint { a: term(2), b: term(3), c: term(1) };
    let mut out = R1csWriter::<_, E>::new(Cursor::new(Vec::new()), header).unwrap();
    out.header().unwrap();
    out.constraints([Ok(row)]).unwrap();
    out.labels((0..6).map(Ok)).unwrap();
    out.finish().unwrap().into_inner()
}

/// The circuit with a phase 1 of one contributor.
fn files<E: Engine>() -> Files {
    let [mut start, mut last, mut ptau] = [(); 3].map(|()| Cursor::new(Vec::new()));
    phase1::new::<E>(&mut start, 2, &()).unwrap();
    let (mut start, trust) = (Snapshot::take(start, &()).unwrap(), Trust::Skip);
    phase1::contribute::<E>(&mut start, &mut last, None, trust, &mut rng(50), &()).unwrap();
    phase1::prepare::<E>(&mut last, &mut ptau, &()).unwrap();
    Files { r1cs: circuit::<E>(), ptau: ptau.into_inner() }
}

/// The places of the two wires in `K`.
const FREE: [u64; 2] = [2, 3];

fn zkey<E: Engine>(key: &[u8]) -> Zkey<E> {
    Zkey::open(&mut Cursor::new(key)).unwrap()
}

fn read<E: Engine>(key: &[u8], query: G1Query, index: u64) -> Affine<E::G1> {
    zkey::<E>(key).g1(query).unwrap().read(&mut Cursor::new(key), index, 1).unwrap()[0]
}

fn put<E: Engine>(key: &mut [u8], query: G1Query, index: u64, point: Affine<E::G1>) {
    let (list, mut bytes) = (zkey::<E>(key).g1(query).unwrap(), Vec::new());
    E::G1::write_form(&[point], PointForm::Montgomery, &mut bytes);
    key[list.offset_of(index) as usize..][..bytes.len()].copy_from_slice(&bytes);
}

/// What the coordinator hands out: `IC` where nothing belongs.
fn prepared<E: Engine>(first: &[u8]) -> Vec<u8> {
    let mut evil = first.to_vec();
    for (ic, slot) in (0..).zip(FREE) {
        put::<E>(&mut evil, G1Query::K, slot, read::<E>(first, G1Query::Ic, ic));
    }
    evil
}

/// Puts everything back as it should be, and returns `IC/δ`.
fn harvested<E: Engine>(key: &mut [u8]) -> [E::G1; 2] {
    FREE.map(|slot| {
        let point = read::<E>(key, G1Query::K, slot);
        put::<E>(key, G1Query::K, slot, E::G1::affine_identity());
        point.into()
    })
}

/// A proof that somebody knows the factors of a number, made without any: `A = α`, `B = β`, and `C`
/// cancels the public inputs.
fn forge<E: Engine>(key: &[u8], trapdoor: [E::G1; 2], z: ScalarOf<E>) {
    let points = zkey::<E>(key).header().points.clone();
    let c = -(trapdoor[0] + trapdoor[1].mul(&z));
    let ic: [E::G1; 2] = [0, 1].map(|index| read::<E>(key, G1Query::Ic, index).into());
    let g2 = E::G2::from_affine;
    assert!(E::is_neutral(&[
        (-E::G1::from_affine(&points.alpha_g1), g2(&points.beta_g2)),
        (points.alpha_g1.into(), g2(&points.beta_g2)),
        (ic[0] + ic[1].mul(&z), g2(&points.gamma_g2)),
        (c, g2(&points.delta_g2)),
    ]));
}

/// A contribution to a key that is believed, or verified against something.
fn contribute<E: Engine>(
    key: &[u8],
    trust: Trust<'_, Against<'_>>,
    is_native: bool,
) -> Result<Vec<u8>, Error> {
    let (mut old, mut new) = (Snapshot::take(Cursor::new(key), &())?, Vec::new());
    let rng = &mut rng(1);
    match is_native {
        true => native::contribute::<E>(&mut old, &mut new, None, trust, rng, &()).map(drop)?,
        false => phase2::contribute::<E>(&mut old, &mut new, None, trust, rng, &()).map(drop)?,
    }
    Ok(new)
}

pub fn with_first<E: Engine>(key: &[u8], first: &[u8], is_native: bool) -> Result<Vec<u8>, Error> {
    let (mut first, settings, mut rng) = (Cursor::new(first), &Settings::default(), rng(97));
    let against = Against { reference: Reference::First(&mut first), settings };
    contribute::<E>(key, Trust::verify(against, &mut rng), is_native)
}

pub fn with_circuit<E: Engine>(
    key: &[u8],
    files: &Files,
    is_native: bool,
) -> Result<Vec<u8>, Error> {
    let (mut circuit, mut ptau) = (Cursor::new(&files.r1cs), Cursor::new(&files.ptau));
    let (circuit, ptau) = (&mut circuit as _, &mut ptau as _);
    let (settings, mut rng) = (&Settings::default(), rng(97));
    let against = Against { reference: Reference::Circuit { circuit, ptau }, settings };
    contribute::<E>(key, Trust::verify(against, &mut rng), is_native)
}

fn native_key<E: Engine>(files: &Files) -> Vec<u8> {
    let (mut r1cs, mut ptau) = (Cursor::new(&files.r1cs), Cursor::new(&files.ptau));
    let mut key = Vec::new();
    native::new::<E>(&mut r1cs, &mut ptau, &mut key, &Settings::default(), &()).unwrap();
    key
}

fn is_native_valid<E: Engine>(files: &Files, key: &[u8]) -> bool {
    let (mut r1cs, mut ptau) = (Cursor::new(&files.r1cs), Cursor::new(&files.ptau));
    let (mut key, settings) = (Cursor::new(key), Settings::default());
    native::verify::<E>(&mut r1cs, &mut ptau, &mut key, &settings, &mut rng(2), &()).is_ok()
}

/// The attack works on whoever believes the key, and nobody sees it in the last one. It is refused by
/// whoever verifies it, and so is every other point of `K` and `H`.
fn free_slots<E: Engine>(is_native: bool) {
    let files = files::<E>();
    let first = if is_native { native_key::<E>(&files) } else { files.new_key::<E>() };
    let evil = prepared::<E>(&first);
    let mut key = contribute::<E>(&evil, Trust::Skip, is_native).unwrap();
    let trapdoor = harvested::<E>(&mut key);
    let is_valid = match is_native {
        true => is_native_valid::<E>(&files, &key),
        false => files.verify::<E>(&key).is_ok(),
    };
    assert!(is_valid, "the last key shows nothing");
    forge::<E>(&key, trapdoor, ScalarOf::<E>::from_u64(1_000_003));

    for refused in
        [with_first::<E>(&evil, &first, is_native), with_circuit::<E>(&evil, &files, is_native)]
    {
        let place = G1Query::K.place();
        assert!(
            matches!(refused, Err(Error::NotDivided { place: at, index: 2 }) if at == place),
            "{:?}",
            refused.err()
        );
    }
    // Any other point, of a first key and of one that somebody has contributed to.
    let honest = with_first::<E>(&first, &first, is_native).unwrap();
    assert!(honest == with_circuit::<E>(&first, &files, is_native).unwrap());
    for key in [first.clone(), honest] {
        with_first::<E>(&key, &first, is_native).unwrap();
        with_circuit::<E>(&key, &files, is_native).unwrap();
        for query in [G1Query::K, G1Query::H] {
            for index in 0..zkey::<E>(&key).g1(query).unwrap().len() {
                let mut evil = key.clone();
                let point = E::G1::mul_generator(&ScalarOf::<E>::from_u64(5 + index));
                put::<E>(&mut evil, query, index, E::G1::to_affine_all(&[point])[0]);
                for refused in [
                    with_first::<E>(&evil, &first, is_native),
                    with_circuit::<E>(&evil, &files, is_native),
                ] {
                    assert!(matches!(refused, Err(Error::NotDivided { .. })), "{query:?} {index}");
                }
            }
        }
    }
}

#[test]
fn points_in_free_slots_are_not_divided() {
    free_slots::<Bn254>(false);
    free_slots::<Bls12381>(false);
}

#[test]
fn points_in_free_slots_of_native_keys_are_not_divided() {
    free_slots::<Bn254>(true);
    free_slots::<Bls12381>(true);
}

/// What a first key must be: nobody's contribution, of the same circuit, and all of it believed.
#[test]
fn a_first_key_is_one_that_nobody_contributed_to() {
    type E = Bn254;
    let files = files::<E>();
    let first = files.new_key::<E>();
    let second = with_first::<E>(&first, &first, false).unwrap();
    assert!(matches!(with_first::<E>(&second, &second, false), Err(Error::NotFirst)));
    let refused = with_first::<E>(&second, &files.r1cs, false);
    assert!(matches!(refused, Err(Error::FirstKey { .. })));
    // One byte of what nobody may change.
    let table = zkey::<E>(&second);
    for id in 3..=7 {
        let mut altered = second.clone();
        let section = table.table().unique(id).unwrap();
        altered[(section.offset + section.len) as usize - 1] ^= 1;
        assert!(with_first::<E>(&altered, &first, false).is_err(), "section {id}");
    }
    let mut other = second;
    let section = table.table().unique(10).unwrap();
    other[section.offset as usize] ^= 1;
    assert!(with_first::<E>(&other, &first, false).is_err(), "another circuit hash");
}

/// The circuit hash does not bind the highest power of `H`: first keys with one hash and other points,
/// which only their digests tell apart. Nor may it be missing unless that is said.
#[test]
fn the_highest_power_is_bound_by_the_digest_alone() {
    type E = Bn254;
    let files = files::<E>();
    let (first, settings) = (files.new_key::<E>(), Settings::default());
    let size = u64::from(zkey::<E>(&first).header().domain_size);
    let root = E::root_of_unity(size.ilog2() + 1).unwrap();
    // Something else times ω^(2i+1), in every point of H.
    let mut evil = first.clone();
    let shares = std::iter::successors(Some(root), |share| Some(*share * root * root));
    for (index, share) in (0..size).zip(shares) {
        let point: <E as Pairing>::G1 = read::<E>(&first, G1Query::H, index).into();
        let sum = point + <E as Pairing>::G1::mul_generator(&share);
        put::<E>(&mut evil, G1Query::H, index, <E as Pairing>::G1::to_affine_all(&[sum])[0]);
    }
    let powers = |key: &[u8]| {
        let mut out = Vec::new();
        let dialect = algebra::Dialect::Snarkjs;
        phase2::export_bellman::<E>(&mut Cursor::new(key), &mut out, dialect, &()).unwrap();
        out
    };
    assert!(powers(&evil) == powers(&first), "all that the circuit hash is of");
    let digest = |key: &[u8]| Snapshot::take(Cursor::new(key), &()).unwrap().digest();
    assert_ne!(digest(&evil), digest(&first));
    assert!(matches!(with_first::<E>(&evil, &first, false), Err(Error::NotDivided { .. })));
    assert!(matches!(with_circuit::<E>(&evil, &files, false), Err(Error::NotDivided { .. })));

    // Through parameters and back: the highest power is missing.
    let response = {
        let mut out = Vec::new();
        try_answer::<E>(&powers(&first), Some(&powers(&first)), &mut out).unwrap();
        out
    };
    let import = |settings: &Settings| {
        let (response, old) = (&mut Cursor::new(&response), &mut Cursor::new(&first));
        let (circuit, ptau) = (&mut Cursor::new(&files.r1cs), &mut Cursor::new(&files.ptau));
        let (parts, mut new) =
            (phase2::Import { response, circuit, ptau, old }, Cursor::new(Vec::new()));
        let dialect = algebra::Dialect::Snarkjs;
        phase2::import_bellman::<E>(parts, &mut new, dialect, None, settings, &mut rng(8), &())
            .map(|verified| (new.into_inner(), verified))
    };
    assert!(matches!(import(&settings), Err(Error::NoTopPower)));
    let mut allowing = Settings::default();
    allowing.may_lack_top_power = true;
    let (key, verified) = import(&allowing).unwrap();
    assert!(!verified.has_top_power);
    assert!(matches!(files.verify::<E>(&key), Err(Error::NoTopPower)));
    assert!(!files.verify_with::<E>(&key, &allowing).unwrap().has_top_power);
    assert!(matches!(with_first::<E>(&key, &first, false), Err(Error::NoTopPower)));
    let (mut file, mut verifier) = (Cursor::new(&first), rng(97));
    let against = Against { reference: Reference::First(&mut file), settings: &allowing };
    contribute::<E>(&key, Trust::verify(against, &mut verifier), false).unwrap();
}

/// The same in bellman's parameters.
#[test]
fn points_in_free_slots_of_parameters_are_not_divided() {
    type E = Bn254;
    let files = files::<E>();
    let first = files.new_key::<E>();
    let export = |key: &[u8]| {
        let mut out = Vec::new();
        let dialect = algebra::Dialect::Snarkjs;
        phase2::export_bellman::<E>(&mut Cursor::new(key), &mut out, dialect, &()).unwrap();
        out
    };
    let (parameters, evil) = (export(&first), export(&prepared::<E>(&first)));
    let mut answered = Vec::new();
    try_answer::<E>(&evil, None, &mut answered).unwrap();
    // IC/δ stands where the two wires are.
    let reader = &mut Cursor::new(&answered);
    let back = Parameters::<E>::open(reader, algebra::Dialect::Snarkjs).unwrap();
    let trapdoor = back.g1(G1Part::L).read(reader, FREE[0], 2).unwrap();
    let delta = <E as Pairing>::G2::from_affine(&back.points().delta_g2);
    for (index, divided) in (0..).zip(trapdoor) {
        let ic = read::<E>(&first, G1Query::Ic, index);
        let divided: <E as Pairing>::G1 = divided.into();
        let h = <E as Pairing>::G2::generator();
        assert!(E::is_neutral(&[(divided, delta), (-<E as Pairing>::G1::from_affine(&ic), h)]));
    }

    let refused = try_answer::<E>(&evil, Some(&parameters), &mut Vec::new());
    let place = G1Part::L.place();
    assert!(matches!(refused, Err(Error::NotDivided { place: at, index: 2 }) if at == place));
    let mut honest = Vec::new();
    try_answer::<E>(&parameters, Some(&parameters), &mut honest).unwrap();
    try_answer::<E>(&honest, Some(&parameters), &mut Vec::new()).unwrap();
    assert!(matches!(
        try_answer::<E>(&honest, Some(&honest), &mut Vec::new()),
        Err(Error::NotFirst)
    ));
    // Every byte of every list.
    let end = back.b_g2().offset_of(back.b_g2().len()) as usize;
    for at in (0..end).step_by(61) {
        let mut altered = honest.clone();
        altered[at] ^= 1;
        assert!(try_answer::<E>(&altered, Some(&parameters), &mut Vec::new()).is_err(), "{at}");
    }
}
