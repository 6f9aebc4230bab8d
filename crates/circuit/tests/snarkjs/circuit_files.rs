//! `.r1cs` and `.wtns` files.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Scalar, ScalarOf};
use circuit::{Curve, Error, Format, r1cs::R1cs, wtns::Wtns};

use super::fixtures;
use crate::rewrite;

fn check<E: Engine>(curve: Curve) {
    let r1cs_bytes = fixtures::read(curve, "circuit.r1cs");
    assert!(rewrite::r1cs::<E>(&r1cs_bytes).unwrap() == r1cs_bytes);
    assert_eq!(Curve::of_file(&mut Cursor::new(&r1cs_bytes), Format::R1cs).unwrap(), curve);

    let wtns_bytes = fixtures::read(curve, "circuit.wtns");
    let mut file = Cursor::new(&wtns_bytes);
    let witness = Wtns::<E>::open(&mut file).unwrap();
    let values = witness.read_all(&mut file).unwrap();
    assert!(rewrite::wtns::<E>(&wtns_bytes).unwrap() == wtns_bytes);
    assert_eq!(Curve::of_file(&mut file, Format::Wtns).unwrap(), curve);
    assert_eq!(witness.read(&mut file, 3, 2).unwrap(), values[3..5]);
    assert!(matches!(witness.read(&mut file, 3, 2000), Err(Error::Range { .. })));

    // The witness satisfies the circuit, and no other does.
    let mut file = Cursor::new(&r1cs_bytes);
    let r1cs = R1cs::<E>::open(&mut file).unwrap();
    assert_eq!(r1cs.header().public(), 3);
    assert!(!r1cs.has_custom_gates());
    assert_eq!(r1cs.header().wires as usize, values.len());
    let constraints: Result<Vec<_>, _> = r1cs.constraints(&mut file).unwrap().collect();
    let constraints = constraints.unwrap();
    assert!(constraints.iter().all(|constraint| constraint.is_satisfied_by(&values)));
    let mut wrong = values.clone();
    wrong[2] += ScalarOf::<E>::one();
    assert!(!constraints.iter().all(|constraint| constraint.is_satisfied_by(&wrong)));
}

#[test]
fn bn254() {
    check::<Bn254>(Curve::Bn254);
}

#[test]
fn bls12_381() {
    check::<Bls12381>(Curve::Bls12381);
}
