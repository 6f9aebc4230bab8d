//! The log, its parties and the network between them, under a scheduler that one number decides: parties
//! and keeper are killed at every step of their stores, restored from old copies, messages are lost, late and
//! repeated, clocks jump, and in half of the schedules the keeper shows two histories.
//!
//! What must hold in all of them: no party signs two entries in one slot; no two checkpoints that honest
//! readers accept are of two histories; an honest keeper is convicted of nothing, and keeps its promises.
//! Each of the mutants does one thing otherwise, and is found out.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

mod author;
mod disk;
mod keeping;
mod world;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use world::{Violation, World};

/// What is done otherwise than it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// Nothing.
    None,
    /// A party sends what it signed before it is stored.
    SendBeforeStore,
    /// A party that is killed signs its slots anew.
    SignAgain,
    /// A party does not compare its outbox with the log.
    NoCompare,
    /// A party whose copy was restored does not wait until its run has begun.
    NoBegin,
    /// A keeper that was restored does not ask what witnesses remember.
    NoWitnesses,
    /// A keeper shows a checkpoint before it is stored.
    ShowBeforeStore,
    /// A keeper promises before it has stored.
    PromiseBeforeStore,
    /// A keeper gives heartbeats before what it promised.
    HeartbeatFirst,
    /// A keeper's clock goes back, and the log's time with it.
    TimeGoesBack,
    /// A witness forgets what it cosigned when it is killed.
    ForgetfulWitness,
    /// Readers take a checkpoint that one witness cosigned.
    OneWitness,
    /// Readers do not remember what they saw.
    ForgetfulReader,
}

const MUTANTS: [Mutant; 12] = [
    Mutant::SendBeforeStore,
    Mutant::SignAgain,
    Mutant::NoCompare,
    Mutant::NoBegin,
    Mutant::NoWitnesses,
    Mutant::ShowBeforeStore,
    Mutant::PromiseBeforeStore,
    Mutant::HeartbeatFirst,
    Mutant::TimeGoesBack,
    Mutant::ForgetfulWitness,
    Mutant::OneWitness,
    Mutant::ForgetfulReader,
];

/// Steps of a schedule.
const STEPS: usize = 100;

fn run(seed: u64, mutant: Mutant, steps: usize) -> Result<(), Violation> {
    let mut world = World::new(seed, mutant);
    for _ in 0..steps {
        world.step()?;
    }
    world.judge()
}

/// The first step at which a schedule goes wrong: schedules of one seed begin alike.
fn shrink(seed: u64, mutant: Mutant) -> (usize, Violation) {
    (1..=STEPS)
        .find_map(|steps| run(seed, mutant, steps).err().map(|violation| (steps, violation)))
        .unwrap()
}

fn search(seeds: std::ops::Range<u64>, mutant: Mutant) -> Option<(u64, usize, Violation)> {
    let found = seeds.into_iter().find(|seed| run(*seed, mutant, STEPS).is_err())?;
    let (steps, violation) = shrink(found, mutant);
    Some((found, steps, violation))
}

fn nothing_in(seeds: std::ops::Range<u64>) {
    let next = AtomicU64::new(seeds.start);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(100, Relaxed);
                    let part = first..(first + 100).min(seeds.end);
                    if part.is_empty() {
                        return;
                    }
                    if (first - seeds.start).is_multiple_of(5_000) {
                        println!("{} schedules", first - seeds.start);
                    }
                    if let Some((seed, steps, violation)) = search(part, Mutant::None) {
                        panic!("seed {seed}, after {steps} steps: {violation:?}");
                    }
                }
            });
        }
    });
}

#[test]
fn nothing_goes_wrong_in_a_thousand_schedules() {
    nothing_in(0..1_000);
}

#[test]
#[ignore = "takes minutes"]
fn nothing_goes_wrong_in_a_hundred_thousand_schedules() {
    nothing_in(1_000_000..1_100_000);
}

/// Schedules in which something went wrong once. Seed 1,070,734: a copy is restored, then an older one, then the first
/// again, which handed in at once what it had stored.
#[test]
fn what_was_found_once_does_not_come_back() {
    let seed = 1_070_734;
    assert!(run(seed, Mutant::None, STEPS).is_ok(), "seed {seed}");
}

#[test]
fn every_mutant_is_found_within_a_thousand_schedules() {
    std::thread::scope(|scope| {
        for part in MUTANTS.chunks(6) {
            scope.spawn(move || {
                for mutant in part {
                    let found = search(0..1_000, *mutant);
                    let (seed, steps, violation) =
                        found.unwrap_or_else(|| panic!("{mutant:?} was not found"));
                    println!("{mutant:?}: seed {seed}, after {steps} steps: {violation:?}");
                }
            });
        }
    });
}

/// Everything that is to be survived happens.
#[test]
fn schedules_reach_what_they_are_for() {
    let mut all = [0; 5];
    for seed in 0..100 {
        let mut world = World::new(seed, Mutant::None);
        (0..STEPS).for_each(|_| world.step().unwrap());
        let world::Reached { filled, accepted, found_out, refused, convicted } = world.reached;
        for (sum, one) in all.iter_mut().zip([filled, accepted, found_out, refused, convicted]) {
            *sum += one;
        }
    }
    println!("filled, accepted, found out, refused, convicted: {all:?}");
    assert!(all.iter().all(|count| *count >= 10), "{all:?}");
}

/// Schedules are a function of their seed.
#[test]
fn a_schedule_is_repeated() {
    for seed in 0..20 {
        let trace = |steps| {
            let mut world = World::new(seed, Mutant::None);
            (0..steps).for_each(|_| world.step().unwrap());
            world.trace()
        };
        assert_eq!(trace(STEPS), trace(STEPS));
    }
}
