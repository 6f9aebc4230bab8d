//! What a prover and a verifier receive of each other, and their files.

use std::{sync::LazyLock, thread, time::Duration};

use rand_chacha::ChaCha20Rng;
use vole::{
    Meeting, Prover, Setup, Stock, StockRecord, Verifier, VoleError,
    circuit::{Circuit, Statement, Value, read_assignments},
};
use wire::Channel;

use crate::{
    pieces::root,
    sessions::{join, rng, split},
    target::{Target, is_read, readers, text},
};

static CIRCUIT: LazyLock<Circuit> = LazyLock::new(|| {
    let text = std::fs::read_to_string(root().join("vectors/vole/income.circuit"));
    Circuit::read(&text.expect("the vector is read")).expect("a circuit")
});

pub fn targets() -> Vec<Target> {
    vec![
        Target::new(
            "vole-files",
            readers![
                |bytes| is_read(StockRecord::read(bytes)),
                |bytes| is_read(Stock::open(bytes, &log::Identity::from_seed(&[1; 32]))),
                text(|text| is_read(Circuit::read(text))),
                assignments,
            ],
        ),
        Target::new("vole-verifier", readers![|bytes| is_read(verify(&mut replay(bytes)))])
            .with_seeds(|| vec![join(&session()[0])]),
        Target::new("vole-prover", readers![|bytes| is_read(prove(&mut replay(bytes)))])
            .with_seeds(|| vec![join(&session()[1])]),
    ]
}

fn assignments(bytes: &[u8]) -> bool {
    let Ok(values) = read_assignments(bytes) else { return false };
    let Ok(statement) = Statement::new(&CIRCUIT, &values) else { return false };
    is_read(statement.witness(&values))
}

fn values(values: &[(&str, i64)]) -> vole::circuit::Assignments {
    values.iter().map(|(name, value)| ((*name).to_owned(), Value::Int(*value))).collect()
}

/// The statement of the vectors.
fn statement() -> Statement<'static> {
    Statement::new(&CIRCUIT, &values(&[("limit", 30_000), ("ok", 1)])).expect("a statement")
}

fn prove(channel: &mut Channel) -> Result<(), VoleError> {
    let (statement, context) = (statement(), statement().context());
    let secrets = values(&[("income", 45_000), ("factor", 3)]);
    let witness = statement.witness(&secrets).expect("a witness");
    let party: (_, _, &mut ChaCha20Rng) = (channel, Meeting::about(&context), &mut rng(1));
    let met = |_: &mut Prover<'_, ChaCha20Rng>| -> &dyn wire::Progress { &() };
    statement.prove(party, Setup::default(), &witness, met).map(drop)
}

fn verify(channel: &mut Channel) -> Result<(), VoleError> {
    let (statement, context) = (statement(), statement().context());
    let party: (_, _, &mut ChaCha20Rng) = (channel, Meeting::about(&context), &mut rng(2));
    let met = |_: &mut Verifier<'_, ChaCha20Rng>| -> &dyn wire::Progress { &() };
    statement.verify(party, Setup::default(), met).map(drop)
}

/// A peer that says these parts, whatever it is told, and is gone.
fn replay(input: &[u8]) -> Channel {
    let (ours, mut peer) = Channel::pair();
    for part in split(input) {
        if peer.send(part).is_err() {
            break;
        }
    }
    ours
}

/// What an honest prover and an honest verifier say to each other.
fn session() -> [Vec<Vec<u8>>; 2] {
    let (mut at_prover, mut left) = Channel::pair();
    let (mut at_verifier, mut right) = Channel::pair();
    thread::scope(|scope| {
        let prover = scope.spawn(move || prove(&mut at_prover));
        let verifier = scope.spawn(move || verify(&mut at_verifier));
        let mut said = [Vec::new(), Vec::new()];
        while !(prover.is_finished() && verifier.is_finished()) {
            let [proofs, challenges] = &mut said;
            pass_on(&mut left, &mut right, proofs);
            pass_on(&mut right, &mut left, challenges);
        }
        for party in [prover, verifier] {
            party.join().expect("a party").expect("an honest session");
        }
        said
    })
}

/// Passes on what is there, and notes it.
fn pass_on(from: &mut Channel, to: &mut Channel, said: &mut Vec<Vec<u8>>) {
    while from.wait(Duration::from_millis(1)).is_ok_and(|is_there| is_there) {
        let message = from.receive().expect("a message that is there");
        // An end that has all it wants is gone.
        let _ = to.send(&message);
        said.push(message);
    }
}
