//! Challenges, responses and parameters that snarkjs exports.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Dialect, Engine};
use circuit::{
    Curve,
    bellman::{G1Part, Parameters, PowersFile, PowersKind},
    ptau::Ptau,
    zkey::{G1Query, Zkey},
};
use wire::Blake2b;

use super::fixtures;
use crate::rewrite;

fn rewrite_powers<E: Engine>(bytes: &[u8], kind: PowersKind) -> Vec<u8> {
    assert_eq!(PowersFile::<E>::power_of_len(kind, bytes.len() as u64), Some(8));
    rewrite::powers::<E>(bytes, kind, 8, Dialect::Snarkjs).unwrap()
}

fn check<E: Engine>(curve: Curve) {
    let challenge = fixtures::read(curve, "challenge");
    assert!(rewrite_powers::<E>(&challenge, PowersKind::Challenge) == challenge);
    let response = fixtures::read(curve, "response");
    assert!(rewrite_powers::<E>(&response, PowersKind::Response) == response);
    assert_eq!(response[..64], Blake2b::digest(&challenge));

    // The challenge is what the second contribution announced.
    let mut file = Cursor::new(fixtures::read(curve, "unnamed.ptau"));
    let ptau = Ptau::<E>::open(&mut file).unwrap();
    let last = ptau.contributions(&mut file).unwrap().last().unwrap().unwrap();
    assert_eq!(last.next_challenge, Blake2b::digest(&challenge));
    assert_eq!(challenge[..64], last.response_hash().unwrap());

    let parameters = fixtures::read(curve, "parameters");
    assert!(rewrite::parameters::<E>(&parameters, Dialect::Snarkjs).unwrap() == parameters);
    let mut file = Cursor::new(&parameters);
    let parameters = Parameters::<E>::open(&mut file, Dialect::Snarkjs).unwrap();
    let mut key_file = Cursor::new(fixtures::read(curve, "beacon.zkey"));
    let zkey = Zkey::<E>::open(&mut key_file).unwrap();
    assert_eq!(parameters.points(), &zkey.header().points);
    let ceremony = parameters.ceremony(&mut file).unwrap().unwrap();
    assert_eq!(ceremony.circuit_hash, zkey.circuit_hash(&mut key_file).unwrap());
    let (l, k) = (parameters.g1(G1Part::L), zkey.g1(G1Query::K).unwrap());
    let (l, k) = (l.read(&mut file, 0, 5).unwrap(), k.read(&mut key_file, 0, 5).unwrap());
    assert_eq!(l, k);
}

#[test]
fn bn254() {
    check::<Bn254>(Curve::Bn254);
}

#[test]
fn bls12_381() {
    check::<Bls12381>(Curve::Bls12381);
}
