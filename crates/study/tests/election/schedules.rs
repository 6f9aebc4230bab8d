//! Elections in which operator and keeper do as they like, by schedules drawn from a seed. Trustees and mixers are
//! honest, and are asked in any order, or not at all.

use std::collections::BTreeSet;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng};
use study::{
    description::{Draft, Schedule},
    election::{Absence, Message, Party, Phase, Role, Rules},
};

use crate::common::{OPERATOR, SCHEDULE, STATION, Town, draft, everyone, timed};

/// What is changed about the world, so that something must go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutant {
    None,
    /// Parties forget what they signed when they are shown another board.
    Forgetful,
    /// The rules of version 1, and one trustee decrypts alone.
    Timeless,
    /// The polls close before their time.
    Early,
    /// Ballots count from later on than they should.
    Late,
    /// Parties are absent before their time.
    Impatient,
}

impl Mutant {
    fn draft(self) -> Draft {
        let schedule = match self {
            Self::Timeless => return Draft { threshold: 1, minimum_mixers: 1, ..draft() },
            Self::Early => Schedule { closes: SCHEDULE.closes - 400, ..SCHEDULE },
            Self::Late => Schedule { opens: SCHEDULE.opens + 300, ..SCHEDULE },
            Self::Impatient => Schedule { patience: 10, ..SCHEDULE },
            Self::None | Self::Forgetful => SCHEDULE,
        };
        Draft { schedule: Some(schedule), ..timed() }
    }
}

/// A schedule, as far as it was played.
struct Play {
    rng: ChaCha20Rng,
    mutant: Mutant,
    towns: Vec<Town>,
    broken: Option<String>,
}

impl Play {
    fn new(seed: u64, mutant: Mutant) -> Self {
        let rng = ChaCha20Rng::seed_from_u64(seed);
        Self { rng, mutant, towns: vec![Town::new(mutant.draft(), 4)], broken: None }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.rng.next_u64() % bound
    }

    fn any_party(&mut self) -> Party {
        let parties = everyone();
        parties[self.below(parties.len() as u64) as usize]
    }

    /// One step on one of the boards.
    fn step(&mut self) {
        let at = self.below(self.towns.len() as u64) as usize;
        let (who, voter) = (self.any_party(), self.below(4) as u32);
        let (what, seconds) = (self.below(16), 1 + self.below(300));
        let is_alone = self.towns.len() == 1;
        let town = &mut self.towns[at];
        let phase = town.election().phase();
        let (faults, since) = (town.election().faults().len(), town.election().waiting_since());
        match what {
            0 | 1 => town.advance(seconds),
            2 if phase == Phase::Casting => town.advance(1000),
            3 if town.rules() != Rules::One => {
                let head = town.election().head().unwrap();
                town.try_to_say(OPERATOR, &Message::Absence(Absence { party: who, head }));
            }
            3 => town.try_to_say(OPERATOR, &Message::Absent(who)),
            4 if town.rules() != Rules::One => {
                let closing = town.election().closing_now().map(Message::Closing);
                closing.iter().for_each(|closing| town.try_to_say(OPERATOR, closing));
            }
            5 if phase == Phase::Casting && is_alone => {
                let mut fork = town.fork();
                if self.mutant == Mutant::Forgetful {
                    fork.outboxes = fork.forgetful();
                }
                self.towns.push(fork);
            }
            6 | 7 if town.election().booth().is_some() => {
                let ranking = &crate::common::rankings(&town.world, 4)[voter as usize];
                let ballots = Message::Ballots(vec![town.sealed(voter, ranking)]);
                town.try_to_say(STATION, &ballots);
            }
            _ if who == OPERATOR && town.rules() == Rules::One && phase == Phase::Casting => {
                let closing = Message::Close(town.election().closing().unwrap());
                town.try_to_say(OPERATOR, &closing);
            }
            _ => drop(town.ask(who)),
        }
        // Nobody is absent before its time.
        let town = &self.towns[at];
        let mut fresh = town.election().faults().iter().skip(faults);
        let absent = fresh.find(|fault| fault.reason == "did not answer in time");
        let waited = town.time() - since.min(town.time());
        if let Some(absent) = absent.filter(|_| waited <= SCHEDULE.patience.into()) {
            self.broken = Some(format!("after {waited} s: {absent}"));
        }
    }

    /// Lets everybody work to the end.
    fn end(&mut self) {
        for town in &mut self.towns {
            for _ in 0..12 {
                town.work(&everyone());
                if matches!(town.election().phase(), Phase::Finished | Phase::Failed(_)) {
                    break;
                }
                town.advance_to(SCHEDULE.opens);
                town.advance(500);
            }
        }
    }

    /// What must never be.
    fn broken(&self) -> Option<String> {
        if self.broken.is_some() {
            return self.broken.clone();
        }
        let finished = self.towns.iter().filter(|town| town.election().tally().is_some());
        let results: BTreeSet<String> =
            finished.map(|town| format!("{:?}", town.election().closing())).collect();
        if results.len() > 1 {
            return Some(format!("{} results", results.len()));
        }
        self.towns.iter().find_map(|town| self.broken_on(town))
    }

    fn broken_on(&self, town: &Town) -> Option<String> {
        let election = town.election();
        if election.rules() == Rules::One {
            return None;
        }
        let (is_alone, phase) = (self.towns.len() == 1, election.phase());
        // Nobody honest is at fault on the only board, unless it was absent.
        let is_honest = |party: &Party| matches!(party.role, Role::Trustee | Role::Mixer);
        let mut faults = election.faults().iter();
        let own = faults.find(|fault| {
            // It was silent: nobody asked it.
            let is_silence = ["did not answer in time", "posted no message"];
            fault.party.as_ref().is_some_and(is_honest)
                && !is_silence.iter().any(|silence| fault.reason.contains(silence))
        });
        let is_over = matches!(phase, Phase::Failed(_));
        if let (true, false, Some(own)) = (is_alone, is_over, own) {
            return Some(format!("an honest party is at fault: {own}"));
        }
        // Ballots count by the time of their entries, and by nothing else.
        let mut voters = BTreeSet::new();
        for entry in
            town.session.entries().iter().filter(|entry| entry.kind() == "ballots/revisions")
        {
            if SCHEDULE.is_open(entry.time().unwrap()) && election.booth().is_some() {
                voters.insert(entry.payload()[4..8].to_vec());
            }
        }
        if voters.len() != election.accepted() {
            return Some(format!("{} ballots of {} count", election.accepted(), voters.len()));
        }
        let closing = election.seen().map(|seen| seen.closing);
        let closed = town.session.entries().iter().find(|entry| Some(entry.digest()) == closing);
        if closed.is_some_and(|entry| entry.time().unwrap() < SCHEDULE.closes) {
            return Some("the polls closed before their time".to_owned());
        }
        // Silence ends no election: with everybody there it finishes, if the polls opened in time.
        let is_stuck = is_alone && phase != Phase::Finished && election.booth().is_some();
        is_stuck.then(|| format!("no result, in phase {phase:?}"))
    }
}

/// Plays a schedule; what was broken, if anything was.
fn play(seed: u64, mutant: Mutant) -> Option<String> {
    let mut play = Play::new(seed, mutant);
    let steps = 40 + play.below(60);
    // Half of the schedules begin with open polls.
    if seed % 2 == 1 {
        play.towns[0].work(&everyone()[usize::from(mutant == Mutant::Timeless)..]);
        if mutant == Mutant::Timeless {
            play.towns[0].ask(OPERATOR);
        }
        play.towns[0].advance_to(SCHEDULE.opens);
    }
    (0..steps).for_each(|_| play.step());
    play.end();
    play.broken()
}

#[test]
fn no_schedule_breaks_an_invariant() {
    for seed in 0..25 {
        assert_eq!(play(seed, Mutant::None), None, "seed {seed}");
    }
}

#[test]
#[ignore = "an hour; prints how far it is"]
fn no_schedule_of_a_hundred_thousand_breaks_an_invariant() {
    for seed in 0..100_000 {
        assert_eq!(play(seed, Mutant::None), None, "seed {seed}");
        if seed % 1000 == 999 {
            println!("{} schedules", seed + 1);
        }
    }
}

#[test]
fn what_the_rules_keep_out_is_found_without_them() {
    let mutants =
        [Mutant::Forgetful, Mutant::Timeless, Mutant::Early, Mutant::Late, Mutant::Impatient];
    for mutant in mutants {
        let found = (0..1000).find(|seed| play(*seed, mutant).is_some());
        assert!(found.is_some(), "{mutant:?}");
    }
}
