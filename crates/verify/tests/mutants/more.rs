//! More mutants, of checks that have one: what verifiers once judged in different ways.

use serde_json::{Value, json};

use super::{
    Kind, Mutant,
    edit::{self, Edit, Files},
    refused_by,
    relog::{self, Change},
    root, seeds,
};

/// An election in which trustees do wrong in every round.
const BLAMED: &str = "vectors/election/brunch";
/// One with classes of voters.
const CLASSES: &str = "vectors/election/banquet";
/// A key that names its circuit.
const CIRCUIT: &str = "vectors/snark/sonic";

/// Where the roll stands in a log: behind the beginning of the operator's run, and the set-up.
const ROLL: usize = 2;

/// The outcome with another entry in place of each that it lists.
fn unlisted(files: &Files) -> impl Iterator<Item = Edit> {
    let leaves = relog::leaves(files);
    let place = leaves.len() - 1;
    let payload = leaves[place].payload.as_ref().unwrap();
    let tally = u32::from_le_bytes(payload[..4].try_into().unwrap());
    let listed = 4 + tally as usize + 4;
    let flip = move |at| Edit::Relog { place, change: Change::Byte { at, xor: 1 } };
    (listed..payload.len()).step_by(8).map(flip)
}

/// The statement with the last two faults of one entry in the other order.
fn reordered(files: &Files) -> Edit {
    let (claim, member) = ("claims/election.json".to_owned(), "faults".to_owned());
    let whole: Value = serde_json::from_slice(&files[&claim]).unwrap();
    let mut faults: Vec<String> =
        serde_json::from_value(whole["statement"][&member].clone()).unwrap();
    let entry = |fault: &str| fault.rsplit_once(" (entry ").unwrap().1.to_owned();
    let is_one = |at: &usize| entry(&faults[*at]) == entry(&faults[at + 1]);
    let at = (0..faults.len() - 1).rev().find(is_one).unwrap();
    faults.swap(at, at + 1);
    Edit::State { claim, member, value: Some(json!(faults)) }
}

/// The roll under the kind of the elections that have classes, or have none.
fn roll_of_kind(kind: &str) -> Edit {
    Edit::Relog { place: ROLL, change: Change::Kind { kind: kind.to_owned() } }
}

/// The key of another circuit: the circuit's digest stands before a number of four bytes, at the end.
fn other_circuit(files: &Files) -> Edit {
    let file = "objects/snark-proof/key".to_owned();
    Edit::Flip { at: files[&file].len() - 36, xor: 1, file }
}

/// All of them, each under the check that refuses it.
pub fn mutants() -> Vec<Mutant> {
    let read = |bundle: &str| edit::read(&root().join(bundle));
    let blamed = read(BLAMED);
    let of_blamed = unlisted(&blamed)
        .chain([reordered(&blamed), roll_of_kind("election/roll/classes")])
        .map(|edit| (BLAMED, edit));
    let others =
        [(CLASSES, roll_of_kind("election/roll")), (CIRCUIT, other_circuit(&read(CIRCUIT)))];
    let refused = |(bundle, edit): (&str, Edit)| {
        let check = refused_by(&edit.apply(&read(bundle), &seeds(bundle))).unwrap().to_owned();
        Mutant { check, kind: Kind::Bundle, bundle: bundle.to_owned(), edit }
    };
    of_blamed.chain(others).map(refused).collect()
}
