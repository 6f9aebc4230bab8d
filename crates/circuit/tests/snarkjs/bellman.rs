//! Challenges, responses and parameters that snarkjs exports.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Dialect, Engine};
use circuit::{
    Curve,
    bellman::{G1Part, Parameters, ParametersWriter, PowersFile, PowersKind, PowersWriter},
    ptau::{G1Section, G2Section, Ptau},
    zkey::{G1Query, Zkey},
};
use wire::Blake2b;

use crate::fixtures;

fn rewrite_powers<E: Engine>(bytes: &[u8], kind: PowersKind) -> Vec<u8> {
    assert_eq!(PowersFile::<E>::power_of_len(kind, bytes.len() as u64), Some(8));
    let mut file = Cursor::new(bytes);
    let powers = PowersFile::<E>::open(&mut file, kind, 8, Dialect::Snarkjs).unwrap();
    assert_eq!((powers.power(), powers.len()), (8, bytes.len() as u64));
    let hash = powers.previous_hash(&mut file).unwrap();
    let mut out = PowersWriter::<_, E>::new(Vec::new(), kind, 8, Dialect::Snarkjs, &hash).unwrap();
    let mut g1 = |out: &mut PowersWriter<_, E>, section| {
        let mut writer = out.g1(section).unwrap();
        for chunk in powers.g1(section).unwrap().chunks(&mut file, 33) {
            writer.write(&chunk.unwrap().1).unwrap();
        }
        writer.finish().unwrap();
    };
    g1(&mut out, G1Section::Tau);
    let mut file = Cursor::new(bytes);
    let list = powers.g2(G2Section::Tau).unwrap();
    let points = list.read(&mut file, 0, list.len() as usize).unwrap();
    out.g2(G2Section::Tau).unwrap().write(&points).unwrap();
    // In order only.
    assert!(out.g2(G2Section::Beta).is_err() && out.g1(G1Section::LagrangeTau).is_err());
    let mut g1 = |out: &mut PowersWriter<_, E>, section| {
        let list = powers.g1(section).unwrap();
        let points = list.read(&mut file, 0, list.len() as usize).unwrap();
        out.g1(section).unwrap().write(&points).unwrap();
    };
    g1(&mut out, G1Section::AlphaTau);
    g1(&mut out, G1Section::BetaTau);
    let beta = powers.g2(G2Section::Beta).unwrap().read_one(&mut file, 0).unwrap();
    out.g2(G2Section::Beta).unwrap().write(&[beta]).unwrap();
    match powers.public_key(&mut file).unwrap() {
        None => out.finish_challenge().unwrap(),
        Some(key) => out.finish_response(&key).unwrap(),
    }
}

fn rewrite_parameters<E: Engine>(bytes: &[u8]) -> Vec<u8> {
    let mut file = Cursor::new(bytes);
    let parameters = Parameters::<E>::open(&mut file, Dialect::Snarkjs).unwrap();
    let points = parameters.points();
    let mut out = ParametersWriter::<_, E>::new(Vec::new(), points, Dialect::Snarkjs).unwrap();
    for part in G1Part::ALL {
        let list = parameters.g1(part);
        let points = list.read(&mut file, 0, list.len() as usize).unwrap();
        let mut writer = out.g1(part, points.len() as u32).unwrap();
        writer.write(&points).unwrap();
        writer.finish().unwrap();
    }
    let list = parameters.b_g2();
    let points = list.read(&mut file, 0, list.len() as usize).unwrap();
    out.b_g2(points.len() as u32).unwrap().write(&points).unwrap();
    let ceremony = parameters.ceremony(&mut file).unwrap();
    assert_eq!(ceremony.as_ref().map(|ceremony| ceremony.contributions.len()), Some(2));
    out.finish(ceremony.as_ref()).unwrap()
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
    assert!(rewrite_parameters::<E>(&parameters) == parameters);
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
