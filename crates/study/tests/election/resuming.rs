//! Parties that are killed and come back with their key file and what they drew.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use board::{Board, Entry, Identity, MemoryStore, Store, StoreError};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::election::{Message, Operator, Phase, Role, Session, Until};
use wire::{Decode, Encode};

use crate::common::{
    Honest, OPERATOR, PATIENCE, STATION, Said, World, draft, everybody, nobody_cheats, party,
    rankings, take_part, verdict,
};

/// What trustees and mixers said, by party and kind.
fn said(script: &[Said]) -> Vec<Said> {
    let mut said: Vec<Said> = script.to_vec();
    said.retain(|said| matches!(said.by.role, Role::Trustee | Role::Mixer));
    said.sort_by_key(|said| (said.by, said.kind.clone()));
    said
}

/// A world whose board has the first entries of the honest election.
fn interrupted(after: usize) -> World {
    let honest = Honest::get();
    let world = World { store: MemoryStore::new(), ..World::new(draft(), 7) };
    for entry in &honest.entries[..after] {
        world.store.append(entry.sequence(), &entry.to_bytes()).unwrap();
    }
    world
}

#[test]
fn killed_after_any_entry_everybody_says_the_same_again() {
    let honest = Honest::get();
    for after in 1..honest.entries.len() {
        let world = interrupted(after);
        let mut session = world.session();
        if session.election().phase() == Phase::Registration {
            world.say(&mut session, &honest.script[1]);
        }
        world.go_on(&mut session, &rankings(&world, 7), nobody_cheats);
        assert_eq!(session.election().phase(), Phase::Finished, "killed after entry {after}");
        assert_eq!(session.election().faults(), []);
        let script = world.script(session.entries());
        assert_eq!(said(&script), said(&honest.script), "killed after entry {after}");
        verdict(&session).unwrap();
    }
}

#[test]
fn killed_between_thinking_and_speaking_a_party_thinks_the_same_again() {
    let world = World::new(draft(), 3);
    let mut thoughts = 0;
    world.play(&rankings(&world, 3), |_, said| {
        if said.by != OPERATOR {
            thoughts += 1;
            assert_eq!(world.next_word(&world.session(), said.by), Some(said.clone()));
        }
        vec![said]
    });
    assert_eq!(thoughts, 3 * 4 + 3);
}

#[test]
fn a_trustee_gone_from_any_round_on_is_done_without() {
    for kind in ["key/commitments", "key/shares", "key/verdicts", "decryption"] {
        let world = World::new(draft(), 3);
        let mut gone = false;
        let session = world.play(&rankings(&world, 3), |_, said| {
            gone |= said.by == party(Role::Trustee, 2) && said.kind == kind;
            match gone && said.by == party(Role::Trustee, 2) {
                true => vec![],
                false => vec![said],
            }
        });
        let election = session.election();
        assert_eq!(election.phase(), Phase::Finished, "{kind}");
        assert_eq!(election.decrypted_by(), [1, 3], "{kind}");
        let named = election.faults().iter().all(|f| f.party == Some(party(Role::Trustee, 2)));
        assert!(named, "{:?}", election.faults());
        verdict(&session).unwrap();
    }
}

#[test]
fn a_trustee_that_comes_back_later_still_decrypts() {
    for kind in ["key/shares", "key/verdicts"] {
        let world = World::new(draft(), 3);
        let session = world.play(&rankings(&world, 3), |_, said| {
            match said.by == party(Role::Trustee, 2) && said.kind == kind {
                true => vec![],
                false => vec![said],
            }
        });
        assert_eq!(session.election().decrypted_by(), [1, 2, 3], "{kind}");
        verdict(&session).unwrap();
    }
}

#[test]
fn a_trustee_that_missed_the_first_round_is_not_waited_for_when_it_comes_back() {
    let world = World::new(draft(), 3);
    let session = world.play(&rankings(&world, 3), |election, said| {
        if election.phase() == Phase::Decryption {
            assert!(!election.awaited().contains(&party(Role::Trustee, 2)));
        }
        match said.by == party(Role::Trustee, 2) {
            true => vec![],
            false => vec![said],
        }
    });
    assert_eq!(session.election().phase(), Phase::Finished);
}

#[test]
fn two_copies_of_everybody_do_not_contradict_each_other() {
    for _ in 0..3 {
        let world = World::new(draft(), 7);
        let twice = [1, 1, 2, 2, 3, 3];
        let session = world.run(&rankings(&world, 7), &twice, &twice, PATIENCE).unwrap();
        assert_eq!(session.election().faults(), []);
        assert_eq!(session.election().mixes(), everybody());
        verdict(&session).unwrap();
    }
}

/// A store on which a station is faster than the operator's closing.
struct Racing {
    inner: MemoryStore,
    station: Identity,
    ballots: Vec<u8>,
    ran: AtomicBool,
}

impl Store for Racing {
    fn read(&self, sequence: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.read(sequence)
    }

    fn append(&self, sequence: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let is_closing = Entry::from_bytes(bytes).unwrap().kind() == "election/close";
        if is_closing && !self.ran.swap(true, Ordering::SeqCst) {
            let mut board = Board::open(self.inner.clone()).unwrap();
            board.append(&self.station, "ballots", &self.ballots).unwrap();
        }
        self.inner.append(sequence, bytes)
    }

    fn len(&self) -> Result<u64, StoreError> {
        self.inner.len()
    }
}

#[test]
fn an_operator_that_loses_a_race_looks_again_before_it_speaks() {
    let world = World::new(draft(), 4);
    let polls = world.play(&rankings(&world, 3), |_, said| {
        let closes = said.kind == "election/close";
        Some(said).filter(|_| !closes).into_iter().collect()
    });
    assert_eq!(polls.election().phase(), Phase::Casting);
    let (booth, ranking) = (polls.election().booth().unwrap(), &rankings(&world, 1)[0]);
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    let late = booth.seal(3, &world.credentials[3], ranking, &mut rng).unwrap();
    let store = Racing {
        inner: world.store.clone(),
        station: world.identity(STATION),
        ballots: Message::Ballots(vec![late]).to_bytes(),
        ran: AtomicBool::new(false),
    };
    let mut session: Session = Session::open(Box::new(store), None).unwrap();
    let operator = world.identity(OPERATOR);
    let mut operator =
        Operator::new(operator, session.election(), Until::Finished, PATIENCE).unwrap();
    thread::scope(|scope| {
        for number in everybody() {
            let world = &world;
            scope.spawn(move || world.follow(|session| world.trustee(number, session)));
            scope.spawn(move || world.follow(|session| world.mixer(number, session)));
        }
        take_part(&mut session, &mut operator).unwrap();
    });
    assert_eq!(session.election().faults(), []);
    assert_eq!(session.election().accepted(), 4);
}
