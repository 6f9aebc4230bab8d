//! Elections of version 2, each on a log of its own with a clock that is moved.

use std::io::Cursor;

use algebra::Bls12381;
use board::Identity;
use ceremony::{
    Snapshot, Trust, phase1,
    tflsz::{self, Round},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::{
    description::{Class, Draft, Schedule},
    election::{
        Absence, Fault, Message, Party, Phase, Role, Scheme, Seat, Seed, SignedBallot,
        TflszParameters, write_bundle,
    },
    inquiry::Plan,
};

use super::Made;
use crate::{
    common::{
        OPERATOR, SCHEDULE, STATION, Said, Town, bad_shares, everyone, false_accusation, keeper,
        party, rankings, timed,
    },
    election::inquiry::Hall,
};

/// What is asked after the count of `picnic`.
const PLAN: &str = r#"
    [policy]
    max_questions = 2

    [[district]]
    name = "North"
    first = "V1"
    last = "V3"

    [[query]]
    title = "Is every ballot of the North counted?"
    direction = "in"
    district = "North"

    [[query]]
    title = "Are the results for stew from eligible ballots?"
    direction = "out"
    candidate = "stew"
"#;

/// The logarithm of the rows of the parameters of `buffet`, one of which is not for a ballot.
const LOG_ROWS: u32 = 3;

fn keys<S: Scheme>(town: &Town<S>) -> Vec<(String, Identity)> {
    let of = |party: Party| (party.to_string(), town.world.identity(party));
    let parties = town.world.everybody().into_iter().chain([STATION]).map(of);
    parties.chain([("keeper".to_owned(), keeper())]).collect()
}

fn made<S: Scheme>(town: &Town<S>) -> Made {
    let election = town.election();
    assert_eq!(election.phase(), Phase::Finished, "{:?}", election.faults());
    Made::new(keys(town), |root| drop(write_bundle(root, town.session.board(), election).unwrap()))
}

fn without(absent: Party) -> Vec<Party> {
    everyone().into_iter().filter(|party| *party != absent).collect()
}

/// Much goes wrong: trustee 3 deals bad shares, of which the others complain; a voter votes twice, another's ballot
/// is signed by somebody else; a mixer is absent, and comes back.
pub(super) fn dinner() -> Made {
    let mut town = Town::seeded(timed(), 6);
    deal_bad_shares(&mut town, party(Role::Trustee, 3));
    town.open();
    town.vote(0..4);
    let again = revised(&town, 1);
    let stolen = town.election().booth().unwrap().sign(
        5,
        Some(1),
        town.sealed(5, &rankings(&town.world, 6)[5]).ballot,
        &town.world.credentials[0],
    );
    town.say(STATION, &Message::Ballots(vec![again, stolen]));
    town.vote(4..5);
    let late = party(Role::Mixer, 1);
    town.advance_to(SCHEDULE.closes + 1);
    town.work(&without(late));
    town.advance(101);
    let head = town.election().head().unwrap();
    town.say(OPERATOR, &Message::Absence(Absence { party: late, head }));
    town.finish(&everyone());
    let election = town.election();
    assert_eq!((election.accepted(), election.refused().len()), (5, 1));
    assert_eq!((election.confirmed_by(), election.mixes()), (&[1, 2, 3][..], vec![2, 3, 1]));
    assert_eq!(election.keys().unwrap().qualified(), [1, 2]);
    assert_eq!(election.faults().len(), 3, "{:?}", election.faults());
    made(&town)
}

/// All trustees commit, and then this one's shares open to nobody.
fn deal_bad_shares(town: &mut Town, dealer: Party) {
    for _ in ["ready", "commitments"] {
        assert!(town.ask(dealer));
        town.work(&without(dealer));
    }
    let said = Said { by: dealer, kind: "key/shares".to_owned(), payload: Vec::new() };
    let bad = bad_shares(&town.world, &town.session, &said);
    town.say(dealer, &bad.message());
}

/// The voter's second ballot, which says what the first voter's says.
fn revised(town: &Town, voter: u32) -> SignedBallot {
    let (booth, own) = (town.election().booth().unwrap(), &town.world.credentials[voter as usize]);
    let seat = Seat { voter, credential: own.id(), revision: 2 };
    let ballot = rankings(&town.world, 1).remove(0).into();
    let seed = Seed::generate(&mut ChaCha20Rng::seed_from_u64(100 + u64::from(voter)));
    let sealed = booth.seal_from(&seat, &booth.cells(&ballot).unwrap(), &seed).unwrap();
    booth.sign(voter, Some(2), sealed, own)
}

/// Three classes of voters by turns, of which the last has too few ballots: it stays sealed.
pub(super) fn banquet() -> Made {
    let class = |name: &str, weight: &str, min_ballots| Class {
        name: name.to_owned(),
        weight: weight.parse().unwrap(),
        min_ballots,
    };
    let classes =
        vec![class("Staff", "2", 2), class("Students", "1/2", 2), class("Guests", "1", 2)];
    let mut town = Town::seeded(Draft { classes, ..timed() }, 6);
    town.open();
    town.vote(0..5);
    town.finish(&everyone());
    let classes = &town.election().tally().unwrap().classes;
    assert_eq!(classes.iter().map(|class| class.opened).collect::<Vec<_>>(), [true, true, false]);
    made(&town)
}

/// The faults of `brunch`, in their order: which trustee's it is, and the check.
const BLAMED: [(u16, &str); 12] = [
    (9, "EL-7"),
    (9, "EL-4"),
    (9, "EL-6"),
    (8, "EL-6"),
    (6, "EL-7"),
    (6, "EL-6"),
    (7, "EL-6"),
    (7, "EL-6"),
    (7, "EL-6"),
    (6, "EL-6"),
    (3, "EL-6"),
    (9, "EL-4"),
];

/// Five of nine trustees make a key in spite of the others. Trustee 9 is not ready, and says its part all the same;
/// trustee 8 proves nothing in round 1; trustee 7 speaks for another in round 2, and not in round 3; trustee 6 misses
/// round 2, and saw other shares than the others; trustee 3 complains of a right share.
pub(super) fn brunch() -> Made {
    let schedule = Some(Schedule { quorum: 6, ..SCHEDULE });
    let sizes = Draft { trustees: 9, threshold: 5, mixers: 1, minimum_mixers: 1, ..timed() };
    let mut town = Town::seeded(Draft { schedule, ..sizes }, 3);
    let trustee = |number| party(Role::Trustee, number);
    let everybody = town.world.everybody().into_iter();
    let there: Vec<Party> = everybody.filter(|who| ![OPERATOR, trustee(9)].contains(who)).collect();
    town.work(&there);
    without_the_silent(&mut town);

    speak(&mut town, 1..=6);
    for number in [9, 8] {
        parrot(&mut town, trustee(number), "key/commitments", |said| said[0] = number as u8);
    }
    speak(&mut town, [7]);

    speak(&mut town, 1..=5);
    without_the_silent(&mut town);
    parrot(&mut town, trustee(7), "key/shares", |_| ());

    speak(&mut town, [1, 2, 4, 5]);
    let said = Said { by: trustee(3), kind: "key/verdicts".to_owned(), payload: Vec::new() };
    let accusation = false_accusation(&town.world, &town.session, &said, 1);
    town.say(said.by, &accusation.message());
    parrot(&mut town, trustee(6), "key/verdicts", |said| (said[0], said[2]) = (6, !said[2]));
    without_the_silent(&mut town);
    assert_eq!(town.election().confirmed_by(), [1, 2, 3, 4, 5]);

    town.advance_to(SCHEDULE.opens);
    town.vote(0..3);
    town.advance_to(SCHEDULE.closes + 1);
    assert!(town.ask(OPERATOR));
    town.work(&there);
    parrot(&mut town, trustee(9), "decryption", |said| said[0] = 9);
    assert!(town.ask(OPERATOR));
    let blamed = |fault: &Fault| (fault.party.unwrap(), fault.check.as_str());
    let faults: Vec<_> = town.election().faults().iter().map(blamed).collect();
    assert_eq!(faults, BLAMED.map(|(number, check)| (trustee(number), check)));
    made(&town)
}

/// The operator goes on without whom everybody waited for too long.
fn without_the_silent(town: &mut Town) {
    town.advance(101);
    assert!(town.ask(OPERATOR));
}

/// These trustees say what is theirs to say.
fn speak(town: &mut Town, trustees: impl IntoIterator<Item = u16>) {
    trustees.into_iter().for_each(|number| assert!(town.ask(party(Role::Trustee, number))));
}

/// A trustee says what trustee 1 said, after an edit.
fn parrot(town: &mut Town, by: Party, kind: &str, edit: impl FnOnce(&mut [u8])) {
    let mut entries = town.session.entries().iter();
    let mut payload = entries.find(|entry| entry.kind() == kind).unwrap().payload().to_vec();
    edit(&mut payload);
    town.say(by, &Message::from_entry(kind, &payload).unwrap());
}

/// Mixed by pairings, under parameters that two people made together.
pub(super) fn buffet() -> Made {
    let mut town = Town::paired(timed(), 6, &parameters());
    town.open();
    town.vote(0..6);
    town.finish(&everyone());
    assert_eq!(town.election().mixes(), vec![1, 2, 3]);
    made(&town)
}

/// A phase 1 with room for seven ballots, and the ceremony of the reference string.
fn parameters() -> TflszParameters {
    let rng = |seed| ChaCha20Rng::from_seed([seed; 32]);
    let name = |name: &str| Some(name.to_owned());
    let mut phase1 = Cursor::new(Vec::new());
    phase1::new::<Bls12381>(&mut phase1, LOG_ROWS, &()).unwrap();
    for (who, seed) in [(name("Ana"), 1), (name("Ben"), 2)] {
        let mut next = Cursor::new(Vec::new());
        let old = &mut Snapshot::take(phase1, &()).unwrap();
        phase1::contribute::<Bls12381>(old, &mut next, who, Trust::Skip, &mut rng(seed), &())
            .unwrap();
        phase1 = next;
    }
    let mut ceremony = Vec::new();
    tflsz::new::<Bls12381>(&mut phase1, LOG_ROWS, &mut ceremony, &()).unwrap();
    for (round, who, seed) in [
        (Round::First, name("Ana"), 3),
        (Round::First, name("Ben"), 4),
        (Round::Second, name("Ana"), 5),
        (Round::Second, name("Ben"), 6),
    ] {
        let mut next = Vec::new();
        let old = &mut Snapshot::take(Cursor::new(ceremony), &()).unwrap();
        tflsz::contribute::<Bls12381>(old, &mut next, round, who, Trust::Skip, &mut rng(seed), &())
            .unwrap();
        ceremony = next;
    }
    TflszParameters { phase1: phase1.into_inner(), ceremony }
}

/// Two questions about the counted ballots are asked behind the outcome, and answered.
pub(super) fn picnic() -> Made {
    let mut town = Town::seeded(timed(), 6);
    town.open();
    town.vote(0..6);
    town.finish(&everyone());
    let keys = keys(&town);
    let Town { world, session, .. } = town;
    let mut hall = Hall::about(world, session, Plan::from_toml(PLAN).unwrap());
    let ids = hall.ask_all();
    hall.run(|_, _, word| word);
    let found = hall.read_all(&ids);
    Made::new(keys, |root| hall.publish(root, &found).unwrap())
}
