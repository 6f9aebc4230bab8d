//! What is proven once in a session, and not again in a query (B13).

use trace::Direction;
use trace_db::{rsm::*, *};
use wire::Encode;

use super::support::*;

/// Bytes of the proofs in one server's turns of a pass in and one out, of the mix, and of the
/// permutation.
struct Sizes {
    inward: usize,
    points: usize,
    integers: usize,
    permutation: usize,
}

fn sizes(rows: u32) -> Sizes {
    let values: Vec<u64> = (0..u64::from(rows)).collect();
    let all: Vec<u32> = (0..rows).collect();
    let mut world = World::new(2, &values, Keys::Dealt);
    let query = world.query(Direction::In, &all, &all);
    let (query, _) = world.sm_query(world.pass(&query, Side::Asked));
    let inward = world.sm_turns(&query)[0].proof.to_bytes().len();
    let query = world.query(Direction::Out, &all, &all);
    let (query, _) = world.rsm_query(world.pass(&query, Side::Asked));
    let fakes = world.rsm_fakes(&query);
    let turn = world.rsm_turns(&RsmStart::verify(query, &fakes).unwrap()).remove(0);
    let integers = turn.integers.to_bytes().len() - turn.integers.list().to_bytes().len();
    let permutation = world.outputs.mixed().messages()[0].proof.to_bytes().len();
    Sizes { inward, points: turn.points.proof.to_bytes().len(), integers, permutation }
}

/// The commitments of a bridging list stand in the session's proof, two points and two scalars a
/// row. A pass adds one response a row: a scalar, or under Paillier 29 bytes in each of two rounds.
#[test]
fn a_pass_proves_no_permutation_again() {
    let (three, five) = (sizes(3), sizes(5));
    assert_eq!(five.permutation - three.permutation, 2 * (2 * 48 + 2 * 32));
    assert_eq!(five.inward - three.inward, 2 * 32);
    assert_eq!(five.points - three.points, 2 * 32);
    // The one integer that is not of fixed length may be a few bytes shorter.
    assert!((five.integers - three.integers).abs_diff(2 * 2 * 29) < 8);
}
