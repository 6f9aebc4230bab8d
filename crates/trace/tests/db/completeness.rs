//! Honest sessions over sizes, duplicates and sets: every answer against the truth.

use trace::{Direction, IndexSet};

use crate::support::*;

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
