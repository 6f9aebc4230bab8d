//! Cheats, questions that must not be asked, and what parties remember.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{
    Column,
    tw::{
        CommittedPermutation, Direction as Way, ListContext, ListMasks, ListStatement, Passage,
        PermutationContext, prove_lists, shuffle_column,
    },
};
use study::{
    inquiry::{Inquiry, InquiryError, Plan, Responder, policy_from_toml},
    replay::Event,
    tracing::{Docket, G, Message, Step, Task},
};
use trace::{
    Cut, Direction, IndexSet, MemoryJournal,
    routed::{Pass, Turn},
};

use super::{Hall, VOTERS, asker, plan};

#[test]
fn a_mixer_that_routes_with_another_permutation_is_named() {
    let mut hall = Hall::open();
    let topic = plan().topics.remove(0);
    let Hall { inquiry, querier, rng, .. } = &mut hall;
    let id = inquiry.ask(querier, &asker(), &topic, rng).unwrap();
    hall.run(|hall, number, word| match word {
        Message::QueryTurn(id, _) if number == 2 => Message::QueryTurn(id, other_turn(hall, &id)),
        word => word,
    });
    let Err(InquiryError::Failed(reason)) = hall.inquiry.state().read(&hall.querier, &topic, &id)
    else {
        panic!("the query was answered");
    };
    assert!(reason.to_string().contains("server 2"), "{reason}");
    // Nothing was told, and another query is answered.
    assert_eq!(hall.inquiry.state().docket().agreed().count(), 0);
    let Hall { inquiry, querier, rng, .. } = &mut hall;
    let id = inquiry.ask(querier, &asker(), &topic, rng).unwrap();
    hall.run(|_, _, word| word);
    assert!(hall.inquiry.state().read(&hall.querier, &topic, &id).unwrap().is_some());
}

/// Mixer 2's turn by a permutation that it did not mix with, proven as well as can be.
fn other_turn(hall: &Hall, id: &wire::Digest) -> Turn<G> {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let ground = hall.inquiry.state().counted().ground();
    let asked = hall.inquiry.state().docket().query(id).unwrap();
    let Step::Routing(turns) = &asked.step else { panic!("not on its way") };
    let pass = Pass::new(ground.clone(), asked.query.clone()).unwrap();
    // Going in, the last mixer comes first: mixer 2 is at position 2 of 3.
    let before = turns.last().map_or(pass.markers(), |turn| &turn.columns);
    let other = CommittedPermutation::random(VOTERS, ground.generators(), &mut rng).unwrap();
    let key = *ground.keys().public_key();
    let moved: Vec<_> = before
        .iter()
        .map(|column| shuffle_column(&other, Way::Backward, &key, column, &mut rng).unwrap())
        .collect();
    let columns: Vec<Column<G>> = moved.iter().map(|moved| moved.column.clone()).collect();
    let election = hall.inquiry.state().election().id();
    let (study, mix) = (election.as_bytes(), b"ballots".as_slice());
    let passages: Vec<_> =
        before.iter().zip(&columns).map(|(before, after)| Passage { key, before, after }).collect();
    let context = ListContext { study, mix, purpose: id.as_bytes(), mixer: 2, position: 2 };
    let statement = ListStatement { context, direction: Way::Backward, passages: &passages };
    let permutation = PermutationContext { study, mix, mixer: 2 };
    let masks = ListMasks::prepare(VOTERS, ground.generators(), &mut rng).unwrap();
    let moved: Vec<_> = moved.iter().collect();
    let proof = prove_lists(&other, &permutation, &statement, &moved, masks, &mut rng).unwrap();
    Turn { columns, proof }
}

#[test]
fn what_an_election_must_not_tell_is_refused() {
    let mut hall = Hall::open();
    let rows = VOTERS as u32;
    let all = || IndexSet::all(rows);
    let parts = [1, 10, rows / 2, rows - 1].map(IndexSet::all);
    // Which voters are among some results, what some voters said: no party ever sees the query.
    let questions = parts.clone().map(|part| (Direction::Out, part, all()));
    // Of one value: with more of them, J closed under equal values could be everything.
    let inward = (Direction::In, all(), IndexSet::all(1));
    for (direction, inputs, outputs) in questions.into_iter().chain([inward]) {
        let id = hall.ask(direction, inputs, outputs);
        assert!(hall.inquiry.state().docket().query(&id).is_none());
        let reason = &hall.inquiry.state().faults().last().unwrap().reason;
        assert!(reason.contains("TraceIn among all outputs"), "{reason}");
    }
    assert_eq!(hall.inquiry.state().faults().len(), 5);
    // Some voters among all results tell nothing.
    for part in parts {
        hall.ask(Direction::In, part, all());
    }
    assert_eq!(hall.inquiry.state().docket().queries().len(), 4);
    assert_eq!(hall.policy.cut, Cut::Nothing);
    let mut topic = plan().topics.remove(0);
    topic.candidate = Some("stew".into());
    let counted = hall.inquiry.state().counted();
    let refused = topic.question(hall.inquiry.state().election(), counted).unwrap_err();
    assert!(refused.to_string().contains("how voters voted"), "{refused}");
    let mut topic = plan().topics.remove(1);
    topic.district = plan().topics.remove(0).district;
    let refused = topic.question(hall.inquiry.state().election(), counted).unwrap_err();
    assert!(refused.to_string().contains("how a district voted"), "{refused}");
    hall.policy.queriers.clear();
    let id = hall.ask(Direction::Out, IndexSet::all(rows), IndexSet::all(rows));
    hall.run(|_, _, word| word);
    let step = &hall.inquiry.state().docket().query(&id).unwrap().step;
    assert!(matches!(step, Step::Failed(reason) if reason.to_string().contains("may not ask")));
}

/// The keeper of the board shows a mixer two copies of it: what it signed on one it does not go on
/// with on the other, and other queries are still answered.
#[test]
fn what_a_party_cannot_go_on_with_is_refused_by_it() {
    let mut hall = Hall::open();
    let id = hall.ask_about_all();
    let ground = hall.inquiry.state().counted().ground().clone();
    let mut copy = Docket::default();
    let query = hall.inquiry.state().docket().query(&id).unwrap().query.clone();
    copy.take(&ground, &ground.signers()[0].id, Message::Query(query)).unwrap();
    let is_signed = |copy: &Docket| matches!(&copy.query(&id).unwrap().step, Step::Signing(_, said) if !said.is_empty());
    while !is_signed(&copy) {
        let parties = 1..=hall.journals.len() as u16;
        let awaited = |number| copy.awaited(&ground, number).map(|task| (number, task));
        let (number, task) = parties.into_iter().find_map(awaited).unwrap();
        let (mut member, index) = (hall.member(number), usize::from(number) - 1);
        let journal = &mut hall.journals[index];
        let word = copy.answer(&ground, task, &mut member, journal, &mut hall.rng).unwrap();
        copy.take(&ground, &member.identity().id(), word).unwrap();
    }
    hall.run(|_, _, word| word);
    let Step::Failed(reason) = &hall.inquiry.state().docket().query(&id).unwrap().step else {
        panic!("the query goes on");
    };
    let reason = reason.to_string();
    assert!(reason.contains("refused by server 1"), "{reason}");
    assert!(reason.contains("already answered for the query"), "{reason}");
    let id = hall.ask_about_all();
    hall.run(|_, _, word| word);
    assert!(matches!(hall.inquiry.state().docket().query(&id).unwrap().step, Step::Agreed(..)));
}

/// The last signer keeps its signature back, the others are started anew and asked again: had they
/// forgotten what they signed, it could let both queries be agreed on.
#[test]
fn what_was_signed_counts_after_a_restart_agreed_or_not() {
    let mut hall = Hall::open();
    hall.policy.max_questions = 1;
    let last = hall.journals.len() as u16;
    let first = hall.ask_about_all();
    hall.run_if(|number, _| number != last, |_, _, word| word);
    let step = |hall: &Hall, id| match &hall.inquiry.state().docket().query(id).unwrap().step {
        Step::Signing(..) => "signing".to_owned(),
        Step::Agreed(..) => "agreed".to_owned(),
        Step::Failed(reason) => reason.to_string(),
        _ => "on its way".to_owned(),
    };
    assert_eq!(step(&hall, &first), "signing");
    let second = hall.ask(Direction::In, IndexSet::all(20), IndexSet::all(VOTERS as u32));
    hall.run_if(|number, _| number != last, |_, _, word| word);
    let reason = step(&hall, &second);
    // Going in, the last mixer is first.
    assert!(reason.contains("refused by server 3: over the limit of questions, 1"), "{reason}");
    hall.run(|_, _, word| word);
    assert_eq!(step(&hall, &first), "agreed");
    assert_eq!(hall.inquiry.state().docket().agreed().count(), 1);
}

/// A party that lost its journal, and would not admit the query any more, can neither give its
/// share nor refuse: it says nothing, and goes on.
#[test]
fn after_the_agreement_nothing_is_refused() {
    let mut hall = Hall::open();
    hall.ask_about_all();
    hall.run_if(|_, task| !matches!(task, Task::Share(..)), |_, _, word| word);
    let last = hall.journals.len();
    hall.journals[last - 1] = MemoryJournal::default();
    hall.policy.queriers.clear();
    let member = hall.member(last as u16);
    let said = hall.inquiry.entries().len();
    let Hall { inquiry, journals, rng, .. } = &mut hall;
    let mut party = Responder::new(member, std::mem::take(&mut journals[last - 1]), Some(0));
    let mut tried = Vec::new();
    let report = |event: Event<'_, Inquiry>| match event {
        Event::Passed(task) => tried.push(*task),
        Event::Said(task) => panic!("{task}"),
        Event::Looks(_) | Event::CutOff(_) => {}
    };
    inquiry.participate(&mut party, rng, report).unwrap();
    assert!(matches!(tried[..], [Task::Share(..)]), "{tried:?}");
    assert_eq!(inquiry.entries().len(), said);
}

#[test]
fn a_party_of_an_election_answers_what_tells_nothing() {
    let file = |lines: &str| format!("queriers = [\"{}\"]\n{lines}", asker().id());
    let policy = policy_from_toml(&file("max_questions = 2")).unwrap();
    assert_eq!((policy.queriers, policy.max_questions), (vec![asker().id()], 2));
    assert_eq!((policy.cut, policy.by_position), (Cut::Nothing, false));
    let refused = |lines: &str| policy_from_toml(&file(lines)).unwrap_err();
    assert!(refused("").contains("max_questions"));
    assert!(refused("max_questions = 2\nby_position = true").contains("unknown field"));
    assert!(refused("max_questions = 2\ncut = \"inputs\"").contains("unknown field"));
    for former in ["min_inputs = 20", "min_outputs = 3", "min_anonymity = 4"] {
        let lines = format!("max_questions = 2\n{former}");
        assert!(refused(&lines).contains("`max_questions` is left"));
        let plan = format!("[policy]\n{lines}\n[[query]]\ntitle = \"all?\"\ndirection = \"in\"");
        let said = Plan::from_toml(&plan).err().unwrap().to_string();
        assert!(said.contains("`max_questions` is left"), "{said}");
    }
    let nobody = file("max_questions = 2").replace(&asker().id().to_string(), "x");
    assert!(policy_from_toml(&nobody).unwrap_err().contains("querier `x`"));
}
