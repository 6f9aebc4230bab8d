//! Programs that mean harm: they end, with an error, and have nothing to do harm with.

use std::fs;

use algebra::{Bn254, Engine};
use test_support::wasm::assemble;
use witness::{Error, Limits, Program};

use crate::snarkjs::{everything, program};

const SMALL: Limits = Limits { steps: 1 << 24, memory: 1 << 28 };

/// A program with everything that is asked for, in which these functions are others.
fn with(parts: &[(&str, &str)]) -> String {
    let functions = [
        ("getVersion", "(result i32) i32.const 2"),
        ("getFieldNumLen32", "(result i32) i32.const 8"),
        ("getRawPrime", "i32.const 0 global.set $page"),
        (
            "readSharedRWMemory",
            "(param i32) (result i32) global.get $page local.get 0 i32.add i32.const 4 i32.mul i32.load",
        ),
        ("writeSharedRWMemory", "(param i32 i32)"),
        ("init", "(param i32)"),
        ("getInputSize", "(result i32) i32.const 0"),
        ("getInputSignalSize", "(param i32 i32) (result i32) i32.const 1"),
        ("setInputSignal", "(param i32 i32 i32)"),
        ("getWitnessSize", "(result i32) i32.const 1"),
        ("getWitness", "(param i32) i32.const 8 global.set $page"),
        ("getMessageChar", "(result i32) i32.const 0"),
    ];
    let body = |name: &str| parts.iter().find(|(part, _)| *part == name).map(|(_, body)| *body);
    let mut text = "(module\n".to_owned() + body("imports").unwrap_or_default();
    text += "(import \"runtime\" \"printErrorMessage\" (func $message))\n";
    text += body("memory").unwrap_or("(memory (export \"memory\") 1)");
    text += "(global $page (mut i32) (i32.const 0))\n";
    for (name, honest) in functions {
        let body = body(name).unwrap_or(honest);
        text += &format!("(func (export \"{name}\") {body})\n");
    }
    // The order of BN254's groups, and a first wire of one.
    let bytes = Bn254::scalar_modulus().into_iter().chain([1]);
    let bytes: String = bytes.map(|byte| format!("\\{byte:02x}")).collect();
    text += &format!("(data (i32.const 0) \"{bytes}\")\n");
    text + ")"
}

fn run(wasm: &[u8], input: &str) -> Result<usize, Error> {
    let witness = Program::new(wasm, SMALL)?.witness::<Bn254>(input, &mut Vec::new())?;
    Ok(witness.len())
}

#[test]
fn programs_that_mean_harm() {
    let cases = [
        ("honest", vec![], "", "{}"),
        ("endless", vec![("init", "(param i32) loop br 0 end")], "steps", "{}"),
        (
            "endless version",
            vec![("getVersion", "(result i32) loop br 0 end i32.const 2")],
            "steps",
            "{}",
        ),
        (
            "endless message",
            vec![
                ("init", "(param i32) call $message"),
                ("getMessageChar", "(result i32) i32.const 65"),
            ],
            "characters",
            "{}",
        ),
        (
            "messages without end",
            vec![("init", "(param i32) loop call $message br 0 end")],
            "characters",
            "{}",
        ),
        (
            "recursion",
            vec![
                ("init", "(param i32) i32.const 0 call $r"),
                ("imports", ""),
                (
                    "memory",
                    "(memory (export \"memory\") 1) (func $r (param i32) i32.const 0 call $r)",
                ),
            ],
            "the program fails",
            "{}",
        ),
        (
            "memory",
            vec![("init", "(param i32) i32.const 60000 memory.grow drop")],
            "bytes of memory",
            "{}",
        ),
        (
            "memory at once",
            vec![("memory", "(memory (export \"memory\") 65536)")],
            "not a program",
            "{}",
        ),
        (
            "beyond its memory",
            vec![("init", "(param i32) i32.const -4 i32.load drop")],
            "the program fails",
            "{}",
        ),
        (
            "division",
            vec![("init", "(param i32) i32.const 1 i32.const 0 i32.div_u drop")],
            "the program fails",
            "{}",
        ),
        (
            "files",
            vec![(
                "imports",
                "(import \"wasi_snapshot_preview1\" \"fd_write\" (func (param i32 i32 i32 i32) (result i32)))",
            )],
            "not a program",
            "{}",
        ),
        (
            "another type",
            vec![("imports", "(import \"runtime\" \"exceptionHandler\" (func (param i64)))")],
            "not a program",
            "{}",
        ),
        ("floats", vec![("init", "(param i32) f64.const 1 drop")], "not a program", "{}"),
        (
            "start",
            vec![("memory", "(memory (export \"memory\") 1) (func $s loop br 0 end) (start $s)")],
            "not a program",
            "{}",
        ),
        ("version", vec![("getVersion", "(result i32) i32.const 3")], "circom 3", "{}"),
        (
            "no version",
            vec![("getVersion", "(result i64) i64.const 2")],
            "no function getVersion",
            "{}",
        ),
        (
            "another field",
            vec![("getRawPrime", "i32.const 8 global.set $page")],
            "another field",
            "{}",
        ),
        (
            "long numbers",
            vec![("getFieldNumLen32", "(result i32) i32.const 2147483647")],
            "another field",
            "{}",
        ),
        ("no wires", vec![("getWitnessSize", "(result i32) i32.const 0")], "no wire", "{}"),
        ("too many wires", vec![("getWitnessSize", "(result i32) i32.const -1")], "no wire", "{}"),
        (
            "wires without end",
            vec![("getWitnessSize", "(result i32) i32.const 268435456")],
            "steps",
            "{}",
        ),
        (
            "first wire",
            vec![("getWitness", "(param i32) i32.const 16 global.set $page")],
            "first wire",
            "{}",
        ),
        (
            "not reduced",
            vec![("getWitness", "(param i32) i32.const 0 global.set $page")],
            "not reduced",
            "{}",
        ),
        (
            "an input that it takes twice",
            vec![],
            "values of inputs: 1, where the circuit takes 0",
            "{\"a\": 1}",
        ),
        (
            "an input of many values",
            vec![("getInputSignalSize", "(param i32 i32) (result i32) i32.const 2147483647")],
            "input a",
            "{\"a\": 1}",
        ),
    ];
    let texts: Vec<_> = cases.iter().map(|(_, parts, ..)| with(parts)).collect();
    for ((name, _, message, input), wasm) in cases.iter().zip(assemble(&texts)) {
        match run(&wasm, input) {
            Ok(wires) => assert_eq!((*name, wires), ("honest", 1)),
            Err(error) => {
                let said = error.to_string();
                assert!(!message.is_empty() && said.contains(message), "{name}: {said}");
            }
        }
    }
}

/// A real program with an input that keeps it busy for ever, in too few steps, and in too little memory.
#[test]
fn limits_of_honest_programs() {
    let root = everything();
    let busy = r#"{"table": [[1, 2, 3], [4, 5, 6]], "steps": "-1", "flag": 1}"#;
    let with = |limits| program(root, limits).unwrap().witness::<Bn254>(busy, &mut Vec::new());
    assert!(matches!(with(SMALL), Err(Error::Steps { steps: 0x100_0000 })));
    let refused = with(Limits { memory: 1 << 16, ..SMALL }).unwrap_err();
    assert!(matches!(refused, Error::Module { .. } | Error::Memory { .. }), "{refused}");
}

/// A real program with any byte changed, or cut anywhere, gives a witness or an error within its limits.
#[test]
fn damaged_programs() {
    let bytes = fs::read(everything().join("circuit_js/circuit.wasm")).unwrap();
    let input = r#"{"table": [[1, 2, 3], [4, 5, 6]], "steps": "3", "flag": 1}"#;
    let honest = run(&bytes, input).unwrap();
    for len in (0..bytes.len()).step_by(bytes.len() / 40) {
        assert!(run(&bytes[..len], input).is_err(), "{len}");
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 60) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        if let Ok(wires) = run(&changed, input) {
            assert!(wires <= honest + 1, "{at}");
        }
    }
}
