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
    description::{Class, Draft},
    election::{
        Absence, Message, Party, Phase, Role, Scheme, Seat, Seed, SignedBallot, TflszParameters,
        write_bundle,
    },
    inquiry::Plan,
};

use super::Made;
use crate::{
    common::{
        OPERATOR, SCHEDULE, STATION, Said, Town, bad_shares, everyone, keeper, party, rankings,
        timed,
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
    let parties = everyone().into_iter().chain([STATION]).map(of);
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
