//! `.ptau` files.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Dialect, Engine, PointForm};
use circuit::{
    Curve, Error, Format, Origin,
    ptau::{Contribution, G1Section, G2Section, Ptau, PtauHeader},
};

use super::fixtures;
use crate::rewrite;

fn check<E: Engine>(curve: Curve) {
    for name in [
        "new.ptau",
        "named.ptau",
        "unnamed.ptau",
        "beacon.ptau",
        "prepared.ptau",
        "trivial.ptau",
        "prepared_01.ptau",
        "prepared_07.ptau",
    ] {
        let bytes = fixtures::read(curve, name);
        assert!(rewrite::ptau::<E>(&bytes).unwrap() == bytes, "{name}");
        assert_eq!(Curve::of_file(&mut Cursor::new(&bytes), Format::Ptau).unwrap(), curve);
    }

    let bytes = fixtures::read(curve, "prepared_07.ptau");
    let ptau = Ptau::<E>::open(&mut Cursor::new(&bytes)).unwrap();
    assert_eq!(ptau.header(), PtauHeader { power: 7, ceremony_power: 8 });
    assert!(ptau.header().is_truncated() && !ptau.lacks_largest_domain());
    assert_eq!(ptau.lagrange_g1(G1Section::LagrangeTau, 8).unwrap().len(), 256);
    assert!(matches!(ptau.lagrange_g1(G1Section::LagrangeTau, 9), Err(Error::Range { .. })));
    assert!(ptau.lagrange_g2(8).is_err() && ptau.lagrange_g2(64).is_err());
    assert!(ptau.lagrange_g1(G1Section::Tau, 2).is_err());
}

#[test]
fn bn254() {
    check::<Bn254>(Curve::Bn254);
    let bytes = fixtures::read(Curve::Bn254, "new.ptau");
    let other = Ptau::<Bls12381>::open(&mut Cursor::new(&bytes));
    assert!(matches!(other, Err(Error::Curve { .. })));
}

#[test]
fn bls12_381() {
    check::<Bls12381>(Curve::Bls12381);
}

#[test]
fn contributions() {
    let bytes = fixtures::read(Curve::Bn254, "beacon.ptau");
    let mut file = Cursor::new(bytes);
    let ptau = Ptau::<Bn254>::open(&mut file).unwrap();
    let all = ptau.contributions(&mut file).unwrap();
    assert_eq!(all.announced(), 3);
    let all: Vec<Contribution<Bn254>> = all.map(Result::unwrap).collect();
    let names: Vec<_> = all.iter().map(|one| one.attribution.name.as_deref()).collect();
    assert_eq!(names, [Some("Ana"), None, Some("noise")]);
    let Origin::Beacon { iterations_exp: 10, hash } = &all[2].attribution.origin else {
        panic!("{:?}", all[2].attribution)
    };
    assert_eq!(hash, &(1..=16).collect::<Vec<u8>>());
}

/// A contribution's hash is that of the response file: the challenge's hash, the compressed
/// points, and the key.
#[test]
fn response_hash() {
    fn check<E: Engine>(curve: Curve) {
        let open = |name| {
            let mut file = Cursor::new(fixtures::read(curve, name));
            let ptau = Ptau::<E>::open(&mut file).unwrap();
            let all: Vec<_> = ptau.contributions(&mut file).unwrap().map(Result::unwrap).collect();
            (file, ptau, all)
        };
        let (_, _, before) = open("named.ptau");
        let (mut file, ptau, after) = open("unnamed.ptau");
        let form = PointForm::Compressed(Dialect::Snarkjs);
        let mut response = before.last().unwrap().next_challenge.to_vec();
        let mut g1 = |section: G1Section, response: &mut Vec<u8>| {
            use algebra::CurveGroup as _;
            let list = ptau.g1(section).unwrap();
            let points = list.read(&mut file, 0, list.len() as usize).unwrap();
            E::G1::write_form(&points, form, response);
        };
        g1(G1Section::Tau, &mut response);
        let mut second = Vec::new();
        g1(G1Section::AlphaTau, &mut second);
        g1(G1Section::BetaTau, &mut second);
        let mut g2 = |section: G2Section, response: &mut Vec<u8>| {
            use algebra::CurveGroup as _;
            let list = ptau.g2(section).unwrap();
            let points = list.read(&mut file, 0, list.len() as usize).unwrap();
            E::G2::write_form(&points, form, response);
        };
        g2(G2Section::Tau, &mut response);
        response.extend(second);
        g2(G2Section::Beta, &mut response);
        let last = after.last().unwrap();
        last.public_key.write_form(PointForm::Uncompressed(Dialect::Snarkjs), &mut response);
        assert_eq!(last.response_hash().unwrap(), wire::Blake2b::digest(&response));
    }
    check::<Bn254>(Curve::Bn254);
    check::<Bls12381>(Curve::Bls12381);
}
