//! Attacks on a query: its lists and their proofs (`lists`), blinded sums (`sums`), requests, what is
//! signed about them and what a policy admits (`requests`). The list is `docs/trace-attacks.md`.

mod lists;
mod requests;
mod sums;

use trace::{routed::*, *};

use crate::support::*;

const MESSAGES: [&str; 5] = ["a", "b", "a", "c", "b"];

fn world() -> World {
    World::new(Shape { servers: 3, threshold: 2, messages: &MESSAGES, seed: 21 })
}

fn full() -> Question {
    Question { inputs: IndexSet::all(5), outputs: IndexSet::all(5) }
}

/// Routes again with some turns replaced.
fn route(
    world: &World,
    query: &Query<G>,
    turns: &[Turn<G>],
    change: impl FnOnce(&mut Vec<Turn<G>>),
) -> Result<Routed<G>, TraceError> {
    let mut turns = turns.to_vec();
    change(&mut turns);
    Routed::verify(world.pass(query), turns)
}
