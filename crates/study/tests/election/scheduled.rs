//! Elections with times: what nobody can do any more alone, each attack as it was made.

use board::{Entry, Head};
use claim::{BundleWriter, Claim};
use serde_json::Value;
use study::{
    description::{Draft, ElectionDescription, Place, Schedule},
    election::{
        Absence, CLAIM_KIND, Closing, Message, Mixer, Party, PartyPolicy, Phase, Ready, Role,
        Rules, Seen, Task, write_bundle,
    },
    replay::Party as _,
};
use wire::{Digest, Encode as _};

use crate::common::{
    BEGINS, OPERATOR, SCHEDULE, STATION, Town, draft, everyone, party, timed, verify,
};

fn without(absent: &[Party]) -> Vec<Party> {
    everyone().into_iter().filter(|party| !absent.contains(party)).collect()
}

#[test]
fn everybody_takes_part_and_every_ballot_counts() {
    let mut town = Town::new(timed(), 7);
    town.open();
    town.vote(0..7);
    town.finish(&everyone());
    let election = town.election();
    assert_eq!((election.phase(), election.faults()), (Phase::Finished, &[][..]));
    assert_eq!((election.accepted(), election.mixes()), (7, vec![1, 2, 3]));
    assert_eq!(election.confirmed_by(), [1, 2, 3]);
    assert!(election.certified_by().len() >= 4);
    assert_eq!(election.tally().unwrap().ballots, 7);
    // Each mix came in parts.
    let parts = town.session.entries().iter().filter(|entry| entry.kind() == "mix/part");
    assert!(parts.count() > 6);
}

#[test]
fn a_description_with_times_must_stand_a_split() {
    let refused = |change: &dyn Fn(&mut Draft)| {
        let mut draft = timed();
        change(&mut draft);
        ElectionDescription::new(draft).unwrap_err().place
    };
    let schedule = |schedule: Schedule| move |draft: &mut Draft| draft.schedule = Some(schedule);
    // Two of four trustees decrypt, and the other two as well.
    let split = |draft: &mut Draft| (draft.trustees, draft.threshold) = (4, 2);
    assert_eq!(refused(&split), Place::Threshold);
    // Three of six sign one closing, and the other three another one.
    assert_eq!(refused(&schedule(Schedule { quorum: 3, ..SCHEDULE })), Place::Quorum);
    // One without whom there is a result could keep it from coming about.
    assert_eq!(refused(&schedule(Schedule { quorum: 5, ..SCHEDULE })), Place::Quorum);
    assert_eq!(refused(&schedule(Schedule { closes: SCHEDULE.opens, ..SCHEDULE })), Place::Closes);
    assert_eq!(refused(&schedule(Schedule { closes: u64::MAX, ..SCHEDULE })), Place::Closes);
    assert_eq!(refused(&schedule(Schedule { patience: 0, ..SCHEDULE })), Place::Patience);
    // Without times it is what it always was.
    let old = Draft { trustees: 4, threshold: 2, schedule: None, ..draft() };
    assert!(ElectionDescription::new(old).is_ok());
}

#[test]
fn the_polls_are_closed_by_time() {
    let mut town = Town::new(timed(), 7);
    town.work(&everyone());
    assert_eq!(town.election().phase(), Phase::Casting);
    // Nobody votes before the time, or after it, and the operator does not close before it.
    let early = town.sealed(0, &crate::common::rankings(&town.world, 1)[0]);
    let ballots = Message::Ballots(vec![early]);
    assert!(town.refusal(STATION, &ballots).contains("not open yet"));
    town.advance_to(SCHEDULE.opens);
    town.vote(1..4);
    let closing = Message::Closing(town.election().closing_now().unwrap());
    assert!(town.refusal(OPERATOR, &closing).contains("the polls are open"));
    town.vote(4..6);
    town.advance_to(SCHEDULE.closes);
    let late = town.sealed(6, &crate::common::rankings(&town.world, 7)[6]);
    let refusal = town.refusal(STATION, &Message::Ballots(vec![late]));
    assert!(refusal.contains("closed"), "{refusal}");
    town.finish(&everyone());
    assert_eq!((town.election().phase(), town.election().accepted()), (Phase::Finished, 5));
}

#[test]
fn polls_that_do_not_open_in_time_do_not_open() {
    let mut town = Town::new(timed(), 3);
    town.work(&without(&[OPERATOR]));
    assert_eq!(town.election().phase(), Phase::Opening);
    let opening = Message::Opening(town.election().opening().unwrap());
    town.advance_to(SCHEDULE.closes);
    assert!(town.refusal(OPERATOR, &opening).contains("out of turn"));
    assert!(matches!(town.election().phase(), Phase::Failed(_)));
}

/// With two boards an operator and a keeper have two closings. Nobody honest signs both.
#[test]
fn two_closings_have_one_result() {
    let mut one = Town::new(timed(), 7);
    one.open();
    one.vote(0..4);
    let mut two = one.fork();
    assert_eq!(one.session.id(), two.session.id());
    two.vote(4..7);
    let (left, right) = (
        [party(Role::Trustee, 1), party(Role::Mixer, 1), party(Role::Mixer, 2)],
        [party(Role::Trustee, 2), party(Role::Trustee, 3), party(Role::Mixer, 3)],
    );
    for (town, own) in [(&mut one, left), (&mut two, right)] {
        town.advance_to(SCHEDULE.closes + 1);
        assert!(town.ask(OPERATOR));
        assert_eq!(town.election().phase(), Phase::Certification);
        own.iter().for_each(|party| assert!(town.ask(*party)));
        // Half of the parties are no quorum.
        assert_eq!(town.election().phase(), Phase::Certification);
    }
    assert_ne!(one.election().seen(), two.election().seen());
    // Whoever signed one closing says on the other board again what it signed, and there it counts for nothing.
    for (town, others) in [(&mut one, right), (&mut two, left)] {
        let known = town.election().faults().len();
        for party in others {
            town.ask(party);
        }
        assert_eq!(town.election().phase(), Phase::Certification);
        let faults = &town.election().faults()[known..];
        assert_eq!(faults.len(), 3);
        assert!(faults.iter().all(|fault| fault.reason.contains("another closing")));
    }
    // One liar is enough for one board, and for one only.
    let liar = Message::Seen(one.election().seen().unwrap());
    let identity = one.world.identity(party(Role::Trustee, 2));
    assert!(!one.session.post(&identity, &liar, |_| true).unwrap());
}

/// The same attack in an election without times, where it works: two results under one name, and all trustees and
/// mixers honest.
#[test]
fn without_times_a_split_has_two_results() {
    let half = Draft { trustees: 4, threshold: 2, mixers: 2, minimum_mixers: 1, ..draft() };
    let mut one = Town::new(half.clone(), 7);
    let trustees = |numbers: [u16; 2]| numbers.map(|number| party(Role::Trustee, number));
    let all = [trustees([1, 2]), trustees([3, 4])].concat();
    one.work(&all);
    assert!(one.ask(OPERATOR));
    one.vote(0..4);
    let mut two = one.fork();
    two.vote(4..7);
    let sides = [(&mut one, 1, [1, 2]), (&mut two, 2, [3, 4])];
    let results = sides.map(|(town, mixer, own)| {
        let closing = Message::Close(town.election().closing().unwrap());
        town.say(OPERATOR, &closing);
        for number in 1..=2 {
            match number == mixer {
                true => assert!(town.ask(party(Role::Mixer, number))),
                false => town.say(OPERATOR, &Message::Absent(party(Role::Mixer, number))),
            }
        }
        town.work(&trustees(own));
        // What it says first is refused here, so that the operator has something else to say there.
        (1..mixer).for_each(|_| drop(town.refusal(OPERATOR, &Message::Back)));
        let outcome = Message::Outcome(town.election().outcome().unwrap());
        town.say(OPERATOR, &outcome);
        assert_eq!(town.election().phase(), Phase::Finished);
        (town.election().id(), town.election().tally().unwrap().ballots)
    });
    let [(one, four), (two, seven)] = results;
    assert_eq!((one == two, four, seven), (true, 4, 7));

    // With times there is no such election.
    let half = Draft { schedule: Some(SCHEDULE), ..half };
    assert_eq!(ElectionDescription::new(half).unwrap_err().place, Place::Threshold);
}

#[test]
fn nobody_is_absent_before_its_time() {
    let mut town = Town::new(timed(), 3);
    let silent = party(Role::Trustee, 3);
    town.work(&without(&[silent, OPERATOR]));
    assert_eq!(town.election().awaited(), [silent]);
    let absence = |town: &Town, who| {
        Message::Absence(Absence { party: who, head: town.election().head().unwrap() })
    };
    let hasty = absence(&town, silent);
    assert!(town.refusal(OPERATOR, &hasty).contains("may take 100 s"));
    // An absence that was said of an earlier board is none here.
    let old = Absence { party: silent, head: Head { size: 1, root: Digest::from([0; 32]) } };
    assert!(town.refusal(OPERATOR, &Message::Absence(old)).contains("another board"));
    town.advance(101);
    let other = absence(&town, party(Role::Trustee, 1));
    assert!(town.refusal(OPERATOR, &other).contains("not waited for"));
    let due = absence(&town, silent);
    town.say(OPERATOR, &due);
    assert_eq!(town.election().phase(), Phase::KeyGeneration(1));
    // Two are as many as it takes: nobody can do without them.
    town.work(&[party(Role::Trustee, 1)]);
    town.advance(101);
    let too_many = absence(&town, party(Role::Trustee, 2));
    assert!(town.refusal(OPERATOR, &too_many).contains("it is waited for"));
    town.work(&without(&[silent]));
    town.advance_to(SCHEDULE.opens);
    town.vote(0..3);
    town.finish(&without(&[silent]));
    assert_eq!(town.election().phase(), Phase::Finished);
    assert_eq!(town.election().confirmed_by(), [1, 2]);
}

#[test]
fn who_was_absent_comes_back() {
    let mut town = Town::new(timed(), 3);
    // In the first round of the key generation, while another one is waited for.
    town.work(&without(&[OPERATOR, party(Role::Trustee, 2), party(Role::Trustee, 3)]));
    assert_eq!(town.election().phase(), Phase::Readiness);
    town.ask(party(Role::Trustee, 2));
    town.ask(party(Role::Trustee, 3));
    town.work(&[party(Role::Trustee, 1)]);
    town.advance(101);
    let absence = |town: &Town, party| {
        Message::Absence(Absence { party, head: town.election().head().unwrap() })
    };
    let message = absence(&town, party(Role::Trustee, 3));
    town.say(OPERATOR, &message);
    assert_eq!(town.election().awaited(), [party(Role::Trustee, 2)]);
    assert!(town.ask(party(Role::Trustee, 3)));
    assert!(town.ask(party(Role::Trustee, 2)));
    town.open();
    assert_eq!(town.election().confirmed_by(), [1, 2, 3]);
    town.vote(0..3);

    // A mixer that comes late mixes last.
    let late = party(Role::Mixer, 1);
    town.advance_to(SCHEDULE.closes + 1);
    town.work(&without(&[late]));
    assert_eq!(town.election().phase(), Phase::Mixing(1));
    let early = absence(&town, late);
    assert!(town.refusal(OPERATOR, &early).contains("may take"));
    town.advance(101);
    let due = absence(&town, late);
    town.say(OPERATOR, &due);
    assert_eq!(town.election().phase(), Phase::Mixing(2));
    assert_eq!(town.election().task_of(late), Some(Task::Seen));
    assert!(town.ask(late));
    assert_eq!(town.election().task_of(late), Some(Task::Back));
    assert!(town.ask(late));
    assert_eq!(town.election().task_of(late), None);
    town.finish(&everyone());
    assert_eq!(town.election().phase(), Phase::Finished);
    assert_eq!(town.election().mixes(), [2, 3, 1]);
}

/// Without enough mixes nobody is given up: all who were absent are asked again.
#[test]
fn silence_alone_ends_no_election() {
    let mut town = Town::new(timed(), 3);
    town.open();
    town.vote(0..3);
    let silent = [party(Role::Mixer, 2), party(Role::Mixer, 3)];
    town.finish(&without(&silent));
    assert!(matches!(town.election().phase(), Phase::Mixing(_)), "{:?}", town.election().phase());
    town.finish(&everyone());
    assert_eq!(town.election().phase(), Phase::Finished);
    assert!(town.election().mixes().len() >= 2);
}

/// The bytes of a set-up again on a new log, whose keeper kept what was said on the first one.
#[test]
fn what_was_said_in_another_run_has_no_place() {
    let mut old = Town::new(timed(), 3);
    old.open();
    let mut fresh = Town::new(timed(), 3);
    assert_eq!(old.session.id(), fresh.session.id());
    // The parties begin anew, one of them later than before.
    fresh.advance(1);
    fresh.work(&[party(Role::Mixer, 3)]);
    for entry in old.session.entries().iter().skip(2) {
        let header = entry.leaf().unwrap().header.clone();
        let _ = log::LogAccess::submit(&*fresh.log, &header, entry.payload());
    }
    fresh.session.sync().unwrap();
    assert_eq!(fresh.election().phase(), Phase::Readiness);
    assert!(fresh.election().faults().iter().any(|fault| fault.reason.contains("another board")));
}

/// Every field of what is new, changed.
#[test]
fn nothing_that_is_changed_counts() {
    let other = Head { size: 1, root: Digest::from([7; 32]) };
    let mut town = Town::new(timed(), 3);
    let ready = Ready { nonce: [1; 32], head: other };
    let refusal = town.refusal(party(Role::Trustee, 1), &Message::Ready(ready));
    assert!(refusal.contains("another board"), "{refusal}");

    let mut town = Town::new(timed(), 3);
    let genesis = town.session.entries()[0].head().unwrap();
    let ready = Ready { nonce: [1; 32], head: genesis };
    let refusal = town.refusal(party(Role::Trustee, 1), &Message::Ready(ready));
    assert!(refusal.contains("without its roll"), "{refusal}");

    let mut town = Town::new(timed(), 3);
    town.work(&without(&[OPERATOR]));
    let opening = town.election().opening().unwrap();
    let mut few = opening.clone();
    few.confirmed.pop();
    assert!(town.refusal(OPERATOR, &Message::Opening(few)).contains("confirmed by"));
    let mut elsewhere = opening.clone();
    elsewhere.head.root = other.root;
    elsewhere.head.size += 1;
    assert!(town.refusal(OPERATOR, &Message::Opening(elsewhere)).contains("another board"));
    town.work(&everyone());
    town.advance_to(SCHEDULE.opens);
    town.vote(0..2);
    town.vote(2..3);
    town.advance_to(SCHEDULE.closes);
    let Closing { close, head } = town.election().closing_now().unwrap();
    let before = town.session.entries().iter().rev().nth(1).unwrap().head().unwrap();
    let early = Closing { close, head: before };
    assert!(town.refusal(OPERATOR, &Message::Closing(early)).contains("without all the ballots"));
    let mut fewer = Closing { close, head };
    fewer.close.accepted -= 1;
    assert!(town.refusal(OPERATOR, &Message::Closing(fewer)).contains("ballots accepted"));
    let closing = town.election().closing_now().unwrap();
    town.say(OPERATOR, &Message::Closing(closing));
    let seen = town.election().seen().unwrap();
    let wrong = [
        Seen { closing: Digest::from([1; 32]), ..seen },
        Seen { head: Head { size: seen.head.size - 1, ..seen.head }, ..seen },
        Seen { head: Head { root: other.root, ..seen.head }, ..seen },
    ];
    for (number, wrong) in (1..).zip(wrong) {
        let refusal = town.refusal(party(Role::Mixer, number), &Message::Seen(wrong));
        assert!(refusal.contains("another closing"), "{refusal}");
    }
}

#[test]
fn a_party_signs_what_its_policy_says_only() {
    let town = Town::new(timed(), 3);
    let election = town.election();
    let agrees = |policy: &PartyPolicy| policy.agrees(election).is_ok();
    let policy = town.policy();
    assert!(agrees(&policy));
    let own = town.world.description.digest();
    assert!(agrees(&PartyPolicy { description: Some(own), ..policy.clone() }));
    let heard = |words: &str| PartyPolicy { words: Some(words.to_owned()), ..policy.clone() };
    assert!(agrees(&heard(&election.in_words())));
    let refused = [
        heard("lusab babad gutih tugad gutuk bisog mudof sakat"),
        PartyPolicy { description: Some(Digest::from([1; 32])), ..policy.clone() },
        PartyPolicy { not_before: Some(SCHEDULE.opens + 1), ..policy.clone() },
        PartyPolicy { not_after: Some(SCHEDULE.closes - 1), ..policy },
    ];
    assert!(!refused.iter().any(agrees));
}

/// A keeper whose clock runs fast closes the polls early, and nobody signs it.
#[test]
fn a_party_goes_by_its_own_clock() {
    let mut town = Town::new(timed(), 3);
    town.open();
    town.vote(0..1);
    town.advance_to(SCHEDULE.closes + 1);
    assert!(town.ask(OPERATOR));
    let state = town.election();
    let secrets = || town.world.secrets(party(Role::Mixer, 1), state.id());
    let slow = study::election::Clock::new(|| BEGINS + 1500);
    let policy = PartyPolicy { clock: slow, ..PartyPolicy::default() };
    let mut mixer = Mixer::new(secrets(), state).unwrap().with_policy(policy);
    let task = mixer.awaited(state).unwrap();
    let mut rng = <rand_chacha::ChaCha20Rng as rand_core::SeedableRng>::seed_from_u64(1);
    assert_eq!(task, Task::Seen);
    let refused = mixer.perform(task, state, &mut rng).unwrap_err().to_string();
    assert!(refused.contains("its clock, or this one, is wrong"), "{refused}");

    let many = PartyPolicy { minimum_ballots: Some(2), ..town.policy() };
    let mut mixer = Mixer::new(secrets(), state).unwrap().with_policy(many);
    let refused = mixer.perform(Task::Seen, state, &mut rng).unwrap_err().to_string();
    assert!(refused.contains("ballots cast: 1,"), "{refused}");
}

#[test]
fn an_election_with_times_stands_on_a_log() {
    let world = crate::common::World::new(timed(), 3);
    let setup =
        study::election::Setup { description: world.description.clone(), parties: world.parties() };
    assert_eq!(setup.rules(), Rules::Two(SCHEDULE));
    let refused = study::election::Session::<study::election::TereliusWikstrom>::create(
        world.boxed(),
        &world.identity(OPERATOR),
        setup,
    );
    assert!(refused.err().unwrap().to_string().contains("stands on a log"));
}

#[test]
fn its_claim_is_of_its_version_and_tells_its_course() {
    let mut town = Town::new(timed(), 3);
    town.open();
    town.vote(0..3);
    town.finish(&everyone());
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    write_bundle(&root, town.session.board(), town.election()).unwrap();
    verify(&root).unwrap();
    let path = root.join(format!("claims/{CLAIM_KIND}.json"));
    let claim: Claim = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let course = &claim.statement["course"];
    assert_eq!((claim.version, &course["closes"]), (3, &SCHEDULE.closes.into()));
    assert_eq!(course["certified_by"].as_array().unwrap().len(), 6);

    // The same board under other versions, and another course.
    let judge = |version: u16, statement: Value| {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().join("bundle");
        let mut writer = BundleWriter::create(&root).unwrap();
        let end = town.election().end().unwrap();
        let entries = town.session.entries().iter().take_while(|entry| entry.sequence() <= end);
        let add = |entry: &Entry| {
            let path = format!("board/{:08}.entry", entry.sequence());
            writer.add_object(&path, &entry.to_bytes()).unwrap()
        };
        let board: Vec<_> = entries.map(add).collect();
        let record = town.session.board().record(end).unwrap();
        let log = vec![writer.add_object("board/log", &record.to_bytes()).unwrap()];
        let claim = Claim::new(CLAIM_KIND, version, [("board", board), ("log", log)], statement);
        writer.add_claim(CLAIM_KIND, &claim).unwrap();
        writer.finish().unwrap();
        verify(&root).map_err(|error| error.to_string())
    };
    judge(3, claim.statement.clone()).unwrap();
    for version in [1, 2, 4] {
        judge(version, claim.statement.clone()).unwrap_err();
    }
    for field in course.as_object().unwrap().keys() {
        let mut other = claim.statement.clone();
        other["course"][field] = Value::from("other");
        judge(3, other).unwrap_err();
    }
    let mut without = claim.statement.clone();
    without.as_object_mut().unwrap().remove("course");
    judge(3, without).unwrap_err();
}

#[test]
fn what_is_new_is_read_in_one_form_only() {
    let mut town = Town::new(timed(), 2);
    town.open();
    town.vote(0..2);
    town.finish(&everyone());
    let absence = Absence { party: OPERATOR, head: town.election().head().unwrap() };
    let absence = Message::<study::election::TereliusWikstrom>::Absence(absence);
    let mut said = vec![(absence.kind().to_owned(), absence.to_bytes())];
    let entries = town.session.entries().iter();
    said.extend(entries.map(|entry| (entry.kind().to_owned(), entry.payload().to_vec())));
    let read = |kind: &str, payload: &[u8]| {
        Message::<study::election::TereliusWikstrom>::from_entry(kind, payload)
    };
    let new =
        ["election/setup/2", "ready", "absent/2", "open/2", "close/2", "seen", "header", "part"];
    for name in new {
        let (kind, payload) = said.iter().find(|(kind, _)| kind.ends_with(name)).unwrap();
        assert_eq!(read(kind, payload).unwrap().to_bytes(), *payload);
        (0..payload.len()).for_each(|len| assert!(read(kind, &payload[..len]).is_err(), "{kind}"));
        assert!(read(kind, &[payload, &[0][..]].concat()).is_err(), "{kind}");
        for at in 0..payload.len() {
            let mut other = payload.clone();
            other[at] ^= 1;
            let same = read(kind, &other).map_or(true, |message| message.to_bytes() == other);
            assert!(same, "{kind}, byte {at}");
        }
    }
    assert!(read("election/back", &[]).is_ok() && read("election/back", &[0]).is_err());
    // A set-up is of the kind that its description asks for.
    let (_, setup) = said.iter().find(|(kind, _)| kind == "election/setup/2").unwrap();
    assert!(read("election/setup", setup).is_err());
}
