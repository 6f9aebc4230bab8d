//! Honest sessions over sizes, duplicates and sets: every answer against the truth.

use trace::{Direction, IndexSet, TraceError};
use trace_db::{rsm::*, sm::*, *};

use super::support::*;

fn check(
    servers: u16,
    values: &[u64],
    keys: Keys,
    direction: Direction,
    sets: &[(&[u32], &[u32])],
) {
    let mut world = World::new(servers, values, keys);
    let outputs: Vec<_> = world.outputs.values().to_vec();
    for (inputs, asked) in sets {
        let verdict = world.trace(direction, inputs, asked);
        let (rows, is): (&[u32], Box<dyn Fn(u32) -> bool>) = match direction {
            Direction::In => (
                inputs,
                Box::new(|i: u32| {
                    asked.iter().any(|&j| outputs[j as usize] == value(values[i as usize]))
                }),
            ),
            Direction::Out => (
                asked,
                Box::new(|j: u32| {
                    inputs.iter().any(|&i| value(values[i as usize]) == outputs[j as usize])
                }),
            ),
        };
        let (yes, no): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| is(row));
        assert_eq!(verdict.yes, set(&yes), "I = {inputs:?}, J = {asked:?}");
        assert_eq!(verdict.no, set(&no), "I = {inputs:?}, J = {asked:?}");
        assert_eq!(verdict.unproven, IndexSet::default());
    }
}

#[test]
fn one_submission_going_in() {
    let sets: [(&[u32], &[u32]); 4] = [(&[0], &[0]), (&[0], &[]), (&[], &[0]), (&[], &[])];
    check(2, &[7], Keys::Dealt, Direction::In, &sets);
}

#[test]
fn subsets_of_an_odd_number_with_duplicates_going_in() {
    let all: &[u32] = &[0, 1, 2, 3, 4];
    let sets: [(&[u32], &[u32]); 4] = [(all, all), (all, &[2]), (&[3], all), (&[0, 1, 4], &[1, 4])];
    check(3, &[5, 9, 5, 0, 9], Keys::Bcp, Direction::In, &sets);
}

#[test]
fn one_submission_going_out() {
    let sets: [(&[u32], &[u32]); 4] = [(&[0], &[0]), (&[0], &[]), (&[], &[0]), (&[], &[])];
    check(2, &[7], Keys::Dealt, Direction::Out, &sets);
}

#[test]
fn subsets_of_an_odd_number_with_duplicates_going_out() {
    let all: &[u32] = &[0, 1, 2, 3, 4];
    let sets: [(&[u32], &[u32]); 4] = [(all, all), (&[2], all), (all, &[3]), (&[1, 4], &[0, 1, 4])];
    check(3, &[5, 9, 5, 0, 9], Keys::Bcp, Direction::Out, &sets);
}

#[test]
fn four_servers() {
    let sets: [(&[u32], &[u32]); 1] = [(&[0, 2], &[1, 3])];
    check(4, &[1, 2, 3, 4], Keys::Dealt, Direction::In, &sets);
    check(4, &[1, 2, 3, 4], Keys::Dealt, Direction::Out, &sets);
}

/// After a restart a server says the same again: what it committed to, it can still reveal.
#[test]
fn a_restarted_server_goes_on() {
    let keys = Keys::Bcp;
    let mut world = World::new(2, &[4, 5, 6], keys);
    let query = world.query(Direction::In, &[0, 1, 2], &[0, 1, 2]);
    let pass = world.pass(&query, Side::Asked);
    let (query, key) = world.sm_query(pass);
    let turns = world.sm_turns(&query);
    let routed = SmRouted::verify(query.clone(), &turns).unwrap();
    let (commitments, before) = world.sm_blindings(&routed);
    world.restart(0, keys);
    assert_eq!(world.sm_blindings(&routed), (commitments.clone(), before.clone()));
    let blinded = SmBlinded::verify(routed, &commitments, &before).unwrap();
    let agreed = world.sm_agree(blinded);
    world.restart(0, keys);
    let refused =
        world.servers[0].pass_signatures_on(&query, &turns[..1], &world.journals[0], &mut rng(1));
    assert!(matches!(refused, Err(TraceError::Committed { server: 1, .. })));
    let partials = world.sm_partials(&agreed);
    let opened = SmOpened::open(agreed, partials).unwrap();
    let (commitments, announcements) = world.sm_announce(&opened);
    world.restart(0, keys);
    assert_eq!(world.sm_announce(&opened), (commitments, announcements));
    assert_eq!(world.sm_read(&opened, &key).proven, [true; 3]);

    let query = world.query(Direction::Out, &[0, 1, 2], &[0, 1, 2]);
    let pass = world.pass(&query, Side::Asked);
    let (query, key) = world.rsm_query(pass);
    let routed = world.rsm_route(query);
    let blinded = world.rsm_blind(routed);
    let agreed = world.rsm_agree(blinded);
    world.restart(1, keys);
    let partials = world.rsm_partials(&agreed);
    let opened = RsmOpened::open(agreed, partials).unwrap();
    let said = world.rsm_announce(&opened);
    world.restart(1, keys);
    assert_eq!(world.rsm_announce(&opened), said);
    let (_, proof) = world.rsm_proof(&opened);
    assert_eq!(proof.read(&key).proven, [true; 3]);
}
