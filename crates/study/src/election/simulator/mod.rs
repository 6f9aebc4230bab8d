//! Elections of version 2 under a scheduler; one number decides the schedule. Operator, keeper and stations may deviate
//! in any way, and so may one trustee or mixer and one voter. The keeper shows two boards, holds back accepted entries,
//! sets its clock forward and repeats messages of last week's run. Members are killed, restored from old copies and
//! asked in any order or not at all. Ballots are dropped, altered, late and early. Mixes, openings, closings and
//! results are false.
//!
//! `watch` checks what must hold in all schedules, computed from what really happened, and `judge` checks the end.
//! Tests leave out each [`Rule`] in turn and require that something goes wrong then. So every rule has a purpose, and a
//! test fails if a rule is lost.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

mod attacks;
mod cheats;
mod keeper;
mod known;
mod member;
mod plan;
mod setting;
mod truth;
mod watch;
mod world;

use std::{
    ops::Range,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use self::{
    known::KNOWN,
    setting::{Broken, SCHEDULE, VOTERS},
    world::World,
};
use super::Rule;
use crate::election::Phase;

/// Plays a schedule; what went wrong, if anything did.
fn play(seed: u64, rule: Option<Rule>, broken: Broken) -> World {
    Rule::without(rule, || {
        let mut world = World::new(seed, broken);
        world.begin();
        for step in 0..world.plan.steps {
            if world.broken.is_some() {
                break;
            }
            world.step(step);
        }
        world.end();
        world.broken = world.judge();
        world
    })
}

impl World {
    /// As far as everybody is honest.
    fn begin(&mut self) {
        if self.plan.last_week && self.one_in(2) {
            // Nobody is asked before the keeper has said all, or once those who are ready have drawn anew.
            if self.one_in(2) {
                self.work(0, |_| true, |phase| *phase != Phase::Readiness);
            }
            self.say_last_week(2);
            return;
        }
        let rank = |phase: &Phase| match phase {
            Phase::Readiness => 0,
            Phase::KeyGeneration(round) => u64::from(*round),
            Phase::Opening => 3,
            Phase::Casting => 4,
            Phase::Certification => 5,
            Phase::Mixing(_) => 6,
            _ => 7,
        };
        let target = self.plan.prefix;
        self.work(0, |_| true, move |phase| rank(phase) >= target.min(4));
        if target < 4 || self.phase(0) != Phase::Casting {
            return;
        }
        if target == 4 && self.one_in(2) {
            return;
        }
        self.advance_to(SCHEDULE.opens);
        for place in 0..VOTERS {
            self.vote_as(place);
        }
        if target > 4 {
            self.advance_to(SCHEDULE.closes + 1);
            self.work(0, |_| true, move |phase| rank(phase) >= target);
        }
    }
}

/// Plays these schedules on all cores, in order; the first in which something went wrong.
fn search(seeds: Range<u64>, rule: Option<Rule>, broken: Broken) -> Option<(u64, String)> {
    let (next, found) = (AtomicU64::new(seeds.start), Mutex::new(None::<(u64, String)>));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let one_thread = || {
        // What is proven and verified stays on the schedule's own thread.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| {
            loop {
                let seed = next.fetch_add(1, Relaxed);
                let is_over =
                    found.lock().unwrap().as_ref().is_some_and(|(first, _)| *first < seed);
                if seed >= seeds.end || is_over {
                    return;
                }
                if let Some(what) = play(seed, rule, broken).broken {
                    let mut found = found.lock().unwrap();
                    if found.as_ref().is_none_or(|(first, _)| seed < *first) {
                        *found = Some((seed, what));
                    }
                }
                if (seed + 1 - seeds.start).is_multiple_of(5_000) {
                    println!("{} schedules", seed + 1 - seeds.start);
                }
            }
        });
    };
    std::thread::scope(|scope| {
        (0..threads).for_each(|_| drop(scope.spawn(one_thread)));
    });
    found.into_inner().unwrap()
}

/// `SUBROSA_SEEDS=a..b`, or these.
fn seeds(unless_said: Range<u64>) -> Range<u64> {
    let Ok(said) = std::env::var("SUBROSA_SEEDS") else { return unless_said };
    let (first, end) = said.split_once("..").expect("SUBROSA_SEEDS=a..b");
    first.parse().unwrap()..end.parse().unwrap()
}

#[test]
fn no_schedule_breaks_an_invariant() {
    let found = search(seeds(0..150), None, Broken::Nothing);
    assert_eq!(found, None);
}

/// With one known schedule for each rule.
#[test]
fn every_rule_is_missed_within_a_thousand_schedules() {
    let misses =
        |seed: u64, rule, broken| seed < 1_000 && search(seed..seed + 1, rule, broken).is_some();
    let rules =
        KNOWN.into_iter().filter(|(rule, seed)| !misses(*seed, Some(*rule), Broken::Nothing));
    let others = known::BROKEN.into_iter().filter(|(broken, seed)| !misses(*seed, None, *broken));
    let shown = rules.map(|(rule, _)| format!("{rule:?}"));
    let shown: Vec<String> = shown.chain(others.map(|(broken, _)| format!("{broken:?}"))).collect();
    assert!(shown.is_empty(), "the known schedule does not show what keeps out {shown:?}: search");
}

/// Prints the lines of `known.rs`: the known schedule, or the first of a thousand if that shows nothing any more.
#[test]
#[ignore = "takes minutes"]
fn search_for_what_every_rule_keeps_out() {
    let find = |seed: u64, rule, broken| {
        let known = search(seed..seed + 1, rule, broken);
        known.or_else(|| search(0..1_000, rule, broken))
    };
    let mut missed = Vec::new();
    let rules = KNOWN
        .map(|(rule, seed)| (format!("Rule::{rule:?}"), find(seed, Some(rule), Broken::Nothing)));
    let others = known::BROKEN
        .map(|(broken, seed)| (format!("Broken::{broken:?}"), find(seed, None, broken)));
    for (name, found) in rules.into_iter().chain(others) {
        match found {
            Some((seed, what)) => println!("    ({name}, {seed}), // {what}"),
            None => missed.push(name),
        }
    }
    assert!(missed.is_empty(), "nothing goes wrong without {missed:?}");
}

/// Everything that is to be survived happens.
#[test]
fn schedules_reach_what_they_are_for() {
    let (mut finished, mut out, mut forks, mut refused, mut superseded) = (0, 0, 0, 0, 0);
    for seed in 0..60 {
        let world = play(seed, None, Broken::Nothing);
        let all = world.boards.iter().map(world::Board::election);
        finished += all.clone().filter(|election| election.phase() == Phase::Finished).count();
        refused += all.clone().map(|election| election.refused().len()).sum::<usize>();
        superseded += all
            .flat_map(|election| (0..VOTERS).map(|voter| election.revisions_of(voter).len()))
            .filter(|revisions| *revisions > 1)
            .count();
        forks += world.boards.len() - 1;
        out += world.members.iter().filter(|member| member.is_out).count();
    }
    println!(
        "finished {finished}, out {out}, forks {forks}, refused {refused}, again {superseded}"
    );
    assert!(finished >= 30 && out > 0 && forks >= 10 && refused >= 5 && superseded >= 5);
}

/// Schedules are a function of their seed.
#[test]
fn a_schedule_is_repeated() {
    for seed in 0..6 {
        let trace = || {
            let world = play(seed, None, Broken::Nothing);
            let all = world.boards.iter().flat_map(|board| board.session.entries());
            all.map(board::Entry::digest).collect::<Vec<_>>()
        };
        assert_eq!(trace(), trace());
    }
}
