//! Circuits of every number of gates around those of a chunk and of a check.

use std::collections::BTreeMap;

use super::{
    Assignments, Builder, Circuit, Statement, Value, Wires,
    prove::{CHUNK, GATES_PER_CHECK},
};
use crate::{
    VoleError,
    convert::testing::{Script, both},
    session::Exchange,
};

const X: i64 = -5;
const Y: i64 = 11;

/// So many gates of several sorts, some of which are taken apart together where they follow each other,
/// and what they make of `X`, `Y` and the bits 1 and 0.
fn circuit(gates: usize) -> (Circuit, BTreeMap<String, Vec<i64>>) {
    let mut builder = Builder::default();
    let key = builder.bits("key", 2).unwrap();
    let numbers = builder.ints("numbers", 8, 2).unwrap();
    let (mut bits, mut ints) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    for gate in 0..gates {
        let (wire, value) = match gate % 8 {
            0 => {
                bits.0.push(builder.xor(key[0], key[1]).unwrap());
                bits.1.push(1);
                continue;
            }
            1 => {
                bits.0.push(builder.and(key[0], key[0]).unwrap());
                bits.1.push(1);
                continue;
            }
            2 | 3 => (builder.relu(numbers[0]), 0),
            4 => (builder.mul(numbers[0], numbers[1]), X * Y),
            5 | 6 => (builder.non_negative(numbers[1]), 1),
            _ => (builder.from_bits(vec![key[0], key[1], key[0]]), 5),
        };
        ints.0.push(wire.unwrap());
        ints.1.push(value);
    }
    let mut outputs = BTreeMap::new();
    if !bits.0.is_empty() {
        builder.output("bits", Wires::Bits(bits.0)).unwrap();
        outputs.insert("bits".to_owned(), bits.1);
    }
    if !ints.0.is_empty() {
        builder.output("ints", Wires::Ints(ints.0)).unwrap();
        outputs.insert("ints".to_owned(), ints.1);
    }
    (builder.finish(), outputs)
}

struct Proof<'a> {
    statement: Statement<'a>,
    expected: BTreeMap<String, Vec<i64>>,
}

impl Script for Proof<'_> {
    fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
        let private = [("key", vec![1, 0]), ("numbers", vec![X, Y])];
        let private: Assignments =
            private.map(|(name, values)| (name.to_owned(), Value::List(values))).into();
        let witness = self.statement.witness(&private).unwrap();
        let outputs = self.statement.run(session, S::PROVES.then_some(&witness))?;
        assert_eq!(outputs, self.expected);
        Ok(())
    }
}

#[test]
fn circuits_of_every_length() {
    for length in [CHUNK, 2 * CHUNK, GATES_PER_CHECK, 2 * GATES_PER_CHECK, 3 * GATES_PER_CHECK] {
        for gates in length - 1..=length + 1 {
            let (circuit, expected) = circuit(gates);
            assert_eq!(circuit.gates().len(), gates);
            let statement = Statement::new(&circuit, &Assignments::new()).unwrap();
            let (prover, verifier) = both(&Proof { statement, expected });
            assert!(prover.is_ok() && verifier.is_ok(), "{gates}: {prover:?}, {verifier:?}");
        }
    }
}
