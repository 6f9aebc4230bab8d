//! Elections with classes of voters: each a list of its own, mixed and opened apart, counted by weight.

use algebra::Ristretto255 as G;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{Column, Mix, decrypt::PartialDecryption, tw::Generators};
use study::{
    count::{Count, Rule, Weight},
    description::{Class, Draft},
    election::{Election, Message, Outcome, Party, Phase, Role, Session},
    inquiry::Counted,
};
use wire::{Decode, Encode};

use crate::common::{
    OPERATOR, Said, World, draft, nobody_cheats, party, rankings, refused, verdict,
};

/// Of nine voters, three in each class, eight vote: two of them are guests, of whom three are needed.
const VOTERS: usize = 9;
const CAST: usize = 8;

fn class(name: &str, weight: &str, min_ballots: u32) -> Class {
    Class { name: name.to_owned(), weight: weight.parse().unwrap(), min_ballots }
}

fn classed() -> Draft {
    let classes =
        vec![class("Staff", "2", 2), class("Students", "1/2", 3), class("Guests", "1", 3)];
    Draft { classes, ..draft() }
}

fn world() -> World {
    World::new(classed(), VOTERS)
}

/// Plays the election with what one party says about one thing replaced.
fn with(
    by: Party,
    kind: &str,
    mut cheat: impl FnMut(&Election, Said) -> Vec<Said>,
) -> (World, Session) {
    let world = world();
    let session = world.play(&rankings(&world, CAST), |election, said| {
        match said.by == by && said.kind == kind {
            true => cheat(election, said),
            false => vec![said],
        }
    });
    (world, session)
}

/// The election is finished with the result of the honest one, and names who did wrong, and why.
#[track_caller]
fn finished(session: &Session, by: Party, why: &str) {
    let election = session.election();
    assert_eq!(election.phase(), Phase::Finished, "{:?}", election.faults());
    let [fault] = election.faults() else { panic!("{:#?}", election.faults()) };
    assert_eq!(fault.party, Some(by), "{fault}");
    assert!(fault.reason.contains(why), "{fault}");
    is_the_result(session);
}

/// In halves: three ballots of staff count four each, three of students one each.
#[track_caller]
fn is_the_result(session: &Session) {
    let election = session.election();
    let tally = election.tally().unwrap();
    assert_eq!((tally.ballots, tally.blank, tally.parts()), (6, 1, 2));
    let classes: Vec<_> = tally
        .classes
        .iter()
        .map(|class| (class.votes, class.ballots, class.opened, class.blank))
        .collect();
    assert_eq!(classes, [(4, 3, true, 1), (1, 3, true, 0), (2, 2, false, 0)]);
    let [question] = tally.questions.as_slice() else { panic!() };
    let Some(Count::Plurality(plurality)) = question.by(Rule::Plurality) else { panic!() };
    let votes: Vec<u64> = plurality.votes.iter().map(|votes| votes.ballots).collect();
    assert_eq!(votes, [5, 2, 4]);
    let Some(Count::Irv(irv)) = question.by(Rule::Irv) else { panic!() };
    let round = irv.rounds.last().unwrap();
    assert_eq!((irv.winner(), round.ballots_of(0), round.exhausted), (Some(0), Some(9), 6));
    verdict(session).unwrap();
}

#[test]
fn classes_are_mixed_and_opened_apart_and_few_ballots_stay_sealed() {
    let world = world();
    let mut opened = Vec::new();
    let session = world.play(&rankings(&world, CAST), |_, said| {
        if said.kind == "decryption" {
            opened.push(said.payload.len());
        }
        vec![said]
    });
    is_the_result(&session);
    let election = session.election();
    assert_eq!(election.faults(), []);
    let lists: Vec<_> = election.lists().iter().map(|list| (list.class(), list.rows())).collect();
    assert_eq!(lists, [(Some(0), 3), (Some(1), 3)]);
    // Number, count of points, six points, proof: nobody touched the guests' two ballots.
    assert_eq!(opened, [2 + 4 + 6 * 32 + 96; 3]);
    assert_eq!(election.cast_by_class(), [3, 3, 2]);
    assert_eq!(election.registered_by_class(), [3, 3, 3]);
    let counted = Counted::of(session.entries(), election).err().unwrap();
    assert!(counted.to_string().contains("mixes of their own"), "{counted}");
}

#[test]
fn all_classes_with_too_few_ballots() {
    let world = world();
    let session = world.play(&rankings(&world, 1), nobody_cheats);
    let election = session.election();
    assert_eq!(election.phase(), Phase::Finished, "{:?}", election.faults());
    let tally = election.tally().unwrap();
    assert_eq!((tally.ballots, election.lists().len(), election.accepted()), (0, 0, 1));
    let counts = &tally.questions[0].counts;
    assert!(counts.iter().all(|count| count.elected().is_empty()));
    verdict(&session).unwrap();
}

fn mixes(said: &Said) -> Vec<Mix<G>> {
    match said.message() {
        Message::ClassMixes(mixes) => mixes,
        other => panic!("{other:?}"),
    }
}

/// True proofs about lists of its own making, one a class.
fn mix_of(election: &Election, number: u16, lists: &[Vec<Column<G>>], contexts: &[usize]) -> Said {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let (key, mut generators) = (election.booth().unwrap().key, Generators::derive(0));
    generators.extend_to(VOTERS);
    let mix = |(columns, context): (&Vec<Column<G>>, &usize)| {
        let context = election.mix_context(&election.lists()[*context], number);
        Mix::new(&key, columns, &generators, &context, &mut rng).unwrap()
    };
    let mixes = lists.iter().zip(contexts).map(mix).collect();
    Said::new(party(Role::Mixer, number), &Message::ClassMixes(mixes))
}

fn columns(election: &Election) -> Vec<Vec<Column<G>>> {
    election.lists().iter().map(|list| list.columns().to_vec()).collect()
}

#[test]
fn a_mixer_that_moves_a_ballot_to_another_class() {
    let mixer = party(Role::Mixer, 1);
    // One for one.
    let (_, session) = with(mixer, "mix/classes", |election, _| {
        let mut lists = columns(election);
        let (mut one, mut other) = (lists[0][0].ciphertexts(), lists[1][0].ciphertexts());
        std::mem::swap(&mut one[0], &mut other[0]);
        (lists[0][0], lists[1][0]) = (Column::new(&one), Column::new(&other));
        vec![mix_of(election, 1, &lists, &[0, 1])]
    });
    finished(&session, mixer, "class `Staff`: equation (L");
    // One more here, one less there.
    let (_, session) = with(mixer, "mix/classes", |election, _| {
        let mut lists = columns(election);
        let (mut one, mut other) = (lists[0][0].ciphertexts(), lists[1][0].ciphertexts());
        one.extend(other.pop());
        (lists[0][0], lists[1][0]) = (Column::new(&one), Column::new(&other));
        vec![mix_of(election, 1, &lists, &[0, 1])]
    });
    finished(&session, mixer, "class `Staff`: list: length 4, expected 3");
}

#[test]
fn a_mixer_that_mixes_classes_together_or_leaves_one_out() {
    let mixer = party(Role::Mixer, 2);
    let (_, session) = with(mixer, "mix/classes", |election, _| {
        let lists = columns(election);
        let all = [lists[0][0].ciphertexts(), lists[1][0].ciphertexts()].concat();
        vec![mix_of(election, 2, &[vec![Column::new(&all)]], &[0])]
    });
    finished(&session, mixer, "1 mixes of 2 lists");
    let (_, session) = with(mixer, "mix/classes", |_, said| {
        let one = mixes(&said).into_iter().take(1).collect();
        vec![Said::new(mixer, &Message::ClassMixes(one))]
    });
    finished(&session, mixer, "1 mixes of 2 lists");
    // Another kind of entry changes nothing: the mixer is still waited for.
    let mut is_first = true;
    let (_, session) = with(mixer, "mix/classes", |_, said| match std::mem::take(&mut is_first) {
        true => vec![Said::new(mixer, &Message::Mix(mixes(&said).remove(0)))],
        false => vec![said],
    });
    finished(&session, mixer, "`mix` is out of turn");
}

#[test]
fn the_proof_of_one_class_is_none_of_another() {
    let mixer = party(Role::Mixer, 1);
    let (_, session) = with(mixer, "mix/classes", |_, said| {
        let swapped = mixes(&said).into_iter().rev().collect();
        vec![Said::new(mixer, &Message::ClassMixes(swapped))]
    });
    finished(&session, mixer, "class `Staff`: equation (P");
    // The right ballots, proven in the name of the other class: only the statement differs.
    let (_, session) = with(mixer, "mix/classes", |election, _| {
        vec![mix_of(election, 1, &columns(election), &[1, 0])]
    });
    finished(&session, mixer, "class `Staff`: equation (P");
    // So done right, it is taken.
    let (_, session) = with(mixer, "mix/classes", |election, _| {
        vec![mix_of(election, 1, &columns(election), &[0, 1])]
    });
    assert_eq!(session.election().faults(), []);
    is_the_result(&session);
}

#[test]
fn factors_of_one_class_used_for_another() {
    let trustee = party(Role::Trustee, 1);
    let (_, session) = with(trustee, "decryption", |_, mut said| {
        // Behind number and count: three points of the staff, three of the students.
        let (one, other) = (said.payload[6..6 + 96].to_vec(), said.payload[102..198].to_vec());
        said.payload[6..102].copy_from_slice(&other);
        said.payload[102..198].copy_from_slice(&one);
        assert!(PartialDecryption::<G>::from_bytes(&said.payload).is_ok());
        vec![said]
    });
    finished(&session, trustee, "");
    assert!(!session.election().decrypted_by().contains(&1));
    // A factor more, for a ballot of a class that stays sealed.
    let (_, session) = with(trustee, "decryption", |_, mut said| {
        said.payload[2..6].copy_from_slice(&7_u32.to_le_bytes());
        let point = said.payload[6..38].to_vec();
        said.payload.splice(6..6, point);
        vec![said]
    });
    finished(&session, trustee, "7");
}

#[test]
fn a_station_that_casts_for_a_voter_of_another_class() {
    let world = world();
    let mut session = world.set_up();
    world.go_on(&mut session, &rankings(&world, CAST), nobody_cheats);
    let entries = session.entries().to_vec();
    let script = world.script(&entries);
    let casting = script.iter().position(|said| said.kind == "ballots").unwrap();

    // Voter 0, of the staff, at the place of voter 1, a student: before anybody else voted.
    let mut moved = script[..=casting].to_vec();
    moved[casting].edit(|message| match message {
        Message::Ballots(ballots) => {
            ballots.truncate(1);
            ballots[0].voter = 1;
        }
        _ => unreachable!(),
    });
    let election = replayed(&world, &moved);
    let [refused] = election.refused() else { panic!() };
    assert!(refused.reason.contains("signature is false"), "{refused:?}");

    // The operator shows another roll, in which voter 0 is a student and voter 1 of the staff.
    let mut other = script[..=casting].to_vec();
    other[1].edit(|message| match message {
        Message::Roll(roll) => (roll[0].class, roll[1].class) = (roll[1].class, roll[0].class),
        _ => unreachable!(),
    });
    let election = replayed(&world, &other);
    assert_eq!((election.id(), election.accepted()), (session.election().id(), CAST - 2));
    let refused: Vec<_> = election.refused().iter().map(|ballot| ballot.voter.as_str()).collect();
    assert_eq!(refused, ["V0", "V1"]);
}

fn replayed(world: &World, script: &[Said]) -> Election {
    let entries = world.forge(script);
    let (genesis, rest) = entries.split_first().unwrap();
    let mut election = Election::new(genesis).unwrap();
    rest.iter().for_each(|entry| election.apply(entry));
    election
}

#[test]
fn rolls_that_do_not_fit_the_classes() {
    let world = world();
    let session = world.play(&[], nobody_cheats);
    let script = world.script(session.entries());
    let roll = |edit: &dyn Fn(&mut Vec<study::election::Voter>)| {
        let mut script = script[..2].to_vec();
        script[1].edit(|message| match message {
            Message::Roll(roll) => edit(roll),
            _ => unreachable!(),
        });
        let election = replayed(&world, &script);
        assert_eq!(election.phase(), Phase::Registration);
        election.faults()[0].reason.clone()
    };
    assert!(roll(&|roll| roll[4].class = Some(3)).contains("`V4` is in no class"));
    assert!(roll(&|roll| roll[2].class = Some(0)).contains("class `Guests` has 2 voters"));
    assert!(
        roll(&|roll| roll.iter_mut().for_each(|voter| voter.class = None)).contains("out of turn")
    );
    assert!(roll(&Vec::clear).contains("out of turn"));

    // And classes where there are none.
    let plain = World::new(draft(), 2);
    let session = plain.play(&[], nobody_cheats);
    let mut script = plain.script(session.entries());
    script.truncate(2);
    script[1].edit(|message| match message {
        Message::Roll(roll) => roll.iter_mut().for_each(|voter| voter.class = Some(0)),
        _ => unreachable!(),
    });
    assert!(replayed(&plain, &script).faults()[0].reason.contains("out of turn"));
}

#[test]
fn an_operator_that_says_something_else_about_a_class() {
    let edits: [&dyn Fn(&mut study::count::Tally); 5] = [
        &|tally| tally.classes[0].weight = Weight::ONE,
        &|tally| tally.classes[0].votes = 1,
        &|tally| tally.classes[1].ballots = 4,
        &|tally| tally.classes[2].opened = true,
        &|tally| tally.classes[1].blank = 1,
    ];
    for edit in edits {
        let mut is_first = true;
        let (_, session) = with(OPERATOR, "election/outcome", |_, mut said| {
            if !std::mem::take(&mut is_first) {
                return vec![said];
            }
            said.edit(|message| match message {
                Message::Outcome(Outcome { tally, .. }) => {
                    let mut edited = serde_json::from_slice(tally).unwrap();
                    edit(&mut edited);
                    *tally = serde_json::to_vec(&edited).unwrap();
                }
                _ => unreachable!(),
            });
            vec![said]
        });
        finished(&session, OPERATOR, "do not count to this tally");
    }
}

#[test]
fn a_claim_that_says_something_else_about_a_class() {
    let world = world();
    let session = world.play(&rankings(&world, CAST), nobody_cheats);
    let statement = crate::common::statement_of(&session);
    assert_eq!(statement["classes"][2]["name"], "Guests");
    assert_eq!(statement["classes"][2]["opened"], false);
    let verdict =
        |statement: &serde_json::Value| crate::common::verdict_on(session.entries(), statement);
    verdict(&statement).unwrap();
    let fields = ["name", "weight", "min_ballots", "registered", "ballots", "opened"];
    for (class, field) in (0..3).flat_map(|class| fields.map(|field| (class, field))) {
        let mut edited = statement.clone();
        edited["classes"][class][field] = serde_json::json!("else");
        refused(verdict(&edited), "claim", None, &["by the objects, not as stated"]);
    }
}

#[test]
fn the_messages_of_classes_cut_short_anywhere_or_with_a_byte_more() {
    let world = world();
    let session = world.play(&rankings(&world, CAST), nobody_cheats);
    let script = world.script(session.entries());
    for kind in ["election/roll/classes", "mix/classes"] {
        let payload = &script.iter().find(|said| said.kind == kind).unwrap().payload;
        let read = |bytes: &[u8]| <Message>::from_entry(kind, bytes);
        assert_eq!(read(payload).unwrap().to_bytes(), *payload);
        assert!((0..payload.len()).all(|len| read(&payload[..len]).is_err()), "{kind}");
        assert!(read(&[payload.as_slice(), &[0]].concat()).is_err(), "{kind}");
        let most = [&u32::MAX.to_le_bytes(), &payload[4..]].concat();
        assert!(read(&most).unwrap_err().to_string().contains(&u32::MAX.to_string()), "{kind}");
    }
    assert!(<Message>::from_entry("election/roll/classes", &[0; 4]).is_err());
}
