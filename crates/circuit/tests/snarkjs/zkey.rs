//! `.zkey` files.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, CurveGroup, Engine, Scalar, ScalarOf};
use circuit::{
    Curve, Format, Origin,
    r1cs::R1cs,
    zkey::{Coefficient, Matrix, Zkey},
};

use super::fixtures;
use crate::rewrite;

fn check<E: Engine>(curve: Curve) {
    for name in ["new.zkey", "named.zkey", "beacon.zkey"] {
        let bytes = fixtures::read(curve, name);
        assert!(rewrite::zkey::<E>(&bytes).unwrap() == bytes, "{name}");
        assert_eq!(Curve::of_file(&mut Cursor::new(&bytes), Format::Zkey).unwrap(), curve);
    }

    let mut file = Cursor::new(fixtures::read(curve, "beacon.zkey"));
    let zkey = Zkey::<E>::open(&mut file).unwrap();
    let header = zkey.header().clone();
    assert_eq!(header.points.gamma_g2, E::G2::affine_generator());
    assert_ne!(header.points.delta_g2, E::G2::affine_generator());
    let all: Vec<_> = zkey.contributions(&mut file).unwrap().map(Result::unwrap).collect();
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].attribution.name.as_deref(), Some("Ana"));
    assert_eq!(all[1].attribution.name, None);
    let beacon = Origin::Beacon { iterations_exp: 10, hash: vec![1, 2] };
    assert_eq!(all[1].attribution.origin, beacon);
    assert_eq!(all[1].delta_after, header.points.delta_g1);

    // The matrices are those of the circuit, and below them a one for each public wire.
    let coefficients = zkey.coefficients(&mut file).unwrap();
    let mut found: Vec<_> = coefficients.map(Result::unwrap).collect();
    let mut file = Cursor::new(fixtures::read(curve, "circuit.r1cs"));
    let r1cs = R1cs::<E>::open(&mut file).unwrap();
    let mut expected = Vec::new();
    for (row, constraint) in r1cs.constraints(&mut file).unwrap().enumerate() {
        let (constraint, row) = (constraint.unwrap(), row as u32);
        for (matrix, terms) in [(Matrix::A, constraint.a), (Matrix::B, constraint.b)] {
            let entry = |(wire, value)| Coefficient { matrix, constraint: row, wire, value };
            expected.extend(terms.into_iter().map(entry));
        }
    }
    for wire in 0..=header.public {
        let constraint = r1cs.header().constraints + wire;
        let value = ScalarOf::<E>::one();
        expected.push(Coefficient { matrix: Matrix::A, constraint, wire, value });
    }
    let order = |entry: &Coefficient<_>| (entry.constraint, entry.matrix == Matrix::B, entry.wire);
    found.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(found, expected);
}

#[test]
fn bn254() {
    check::<Bn254>(Curve::Bn254);
}

#[test]
fn bls12_381() {
    check::<Bls12381>(Curve::Bls12381);
}
