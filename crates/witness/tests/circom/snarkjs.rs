//! The same witnesses as those of snarkjs, and what circuits say.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use algebra::{Bls12381, Bn254, Engine};
use circuit::{Curve, wtns};
use test_support::{
    circomlib::{calculate_witness, compiled},
    snarkjs,
};
use witness::{Error, Limits, Program};

/// Where `everything.circom` is compiled.
pub fn everything() -> &'static Path {
    static COMPILED: OnceLock<PathBuf> = OnceLock::new();
    let circuit = include_str!("everything.circom");
    COMPILED.get_or_init(|| compiled("circomlib-everything-a", circuit))
}

pub fn program(root: &Path, limits: Limits) -> Result<Program, Error> {
    Program::new(&fs::read(root.join("circuit_js/circuit.wasm")).unwrap(), limits)
}

/// The `.wtns` file, and the lines of `log`.
fn calculated<E: Engine>(root: &Path, input: &str) -> Result<(Vec<u8>, Vec<String>), Error> {
    let mut log = Vec::new();
    let witness = program(root, Limits::default())?.witness::<E>(input, &mut log)?;
    Ok((wtns::write::<E, _>(Vec::new(), &witness).unwrap(), log))
}

fn of_curve<E: Engine>(curve: Curve) {
    let root = snarkjs::path(curve, "");
    let program = program(&root, Limits::default()).unwrap();
    assert_eq!(program.curve().unwrap(), curve);
    let input = fs::read_to_string(root.join("input.json")).unwrap();
    let (ours, log) = calculated::<E>(&root, &input).unwrap();
    assert!(ours == snarkjs::read(curve, "circuit.wtns"));
    assert!(log.is_empty());
}

#[test]
fn bn254() {
    of_curve::<Bn254>(Curve::Bn254);
    let root = snarkjs::path(Curve::Bn254, "");
    let other = calculated::<Bls12381>(&root, "{}").unwrap_err();
    assert!(matches!(other, Error::Field { .. }), "{other}");
}

#[test]
fn bls12_381() {
    of_curve::<Bls12381>(Curve::Bls12381);
}

fn input(first: &str, steps: &str) -> String {
    format!(r#"{{"table": [[{first}, "-7", "0xff"], [4, [5], 6]], "steps": "{steps}", "flag": 1}}"#)
}

#[test]
fn everything_that_inputs_and_circuits_have() {
    let root = everything();
    let good = input("999", "20");
    calculate_witness(root, &good);
    let (ours, log) = calculated::<Bn254>(root, &good).unwrap();
    assert!(ours == fs::read(root.join("circuit.wtns")).unwrap());
    assert_eq!(log, ["first 0x3e7 then", "0x6"]);

    // An assertion that fails is named with its place, and what was logged before is there.
    let mut log = Vec::new();
    let program = program(root, Limits::default()).unwrap();
    let refused = program.witness::<Bn254>(&input("1000", "20"), &mut log).unwrap_err();
    let said = refused.to_string();
    assert!(said.starts_with("the circuit refuses these inputs: an assertion fails: "), "{said}");
    assert!(said.contains("Error in template Small") && said.contains("line: 10"), "{said}");
    // The program goes on with other inputs.
    assert!(program.witness::<Bn254>(&good, &mut log).is_ok());

    let refused = |json: &str, message: &str| {
        let refused = program.witness::<Bn254>(json, &mut Vec::new()).unwrap_err().to_string();
        assert!(refused.contains(message), "{json}: {refused}");
    };
    refused(&good.replace("flag", "flags"), "input flags: the circuit has no such input");
    refused(&good.replace("[5]", "5, 5"), "input table: 7 values, where the circuit takes 6");
    refused(&good.replace("[5]", "[]"), "input table: 5 values, where the circuit takes 6");
    refused(&good.replace(r#", "flag": 1"#, ""), "values of inputs: 7, where the circuit takes 8");
    refused(&good.replace(r#""flag": 1"#, r#""flag": "one""#), "input flag: a value is no integer");
    refused("[]", "not an object");
}
