//! Honest answers.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use study::{election::SessionError, inquiry::member, tracing::G};
use trace::{IndexSet, routed::AnswerRecord};
use wire::Decode;

use super::{Hall, Published, VOTERS, asker, plan, published, verify};
use crate::common::{OPERATOR, World, rankings};

#[test]
fn questions_about_the_counted_mix_are_answered_and_verify() {
    let Published { hall, found, directory, statement } = &published();
    assert_eq!(verify(&directory.path().join("bundle")).unwrap(), 2);
    assert!(hall.inquiry.faults().is_empty(), "{:?}", hall.inquiry.faults());

    // Against plain computation over what the voters cast.
    let votes = rankings(&hall.world, VOTERS);
    let first = |candidate: u8| {
        let votes = votes.iter().filter(move |vote| vote.choices().first() == Some(&candidate));
        votes.count()
    };
    let north: BTreeSet<_> = votes[10..=29].iter().map(|vote| vote.choices().to_vec()).collect();
    let also_north = votes.iter().filter(|vote| vote.choices().first() == Some(&1));
    let also_north = also_north.filter(|vote| north.contains(vote.choices())).count();
    let answers = statement["answers"].as_array().unwrap();
    let numbers = |answer: &Value| ["asked", "yes", "no"].map(|field| answer[field].as_u64());
    let expected = [(20, 20), (first(2), first(2)), (first(1), also_north)];
    for (answer, (asked, yes)) in answers.iter().zip(expected) {
        let (asked, yes) = (asked as u64, yes as u64);
        assert_eq!(numbers(answer), [asked, yes, asked - yes].map(Some), "{answer}");
    }
    assert_eq!(statement["routed_by"], json!([1, 2, 3]));

    // What was asked is no fault of the election's, and stands outside its bundle.
    let session = hall.world.session();
    assert!(session.election().faults().is_empty());
    assert!(session.board().entries().len() as u64 > session.election().end().unwrap() + 1);

    // Asked again, it is the same query; a party that has nothing to do with it takes no part.
    let counted = hall.inquiry.counted();
    let stranger = hall.world.secret(OPERATOR);
    let election = hall.inquiry.session().election();
    let refused = member(stranger, election, counted, hall.policy.clone()).err().unwrap();
    assert!(matches!(refused, SessionError::NotAParty { .. }));
    assert_eq!(found.len(), 3);
}

#[test]
fn values_that_no_voter_of_the_district_cast_are_told_apart() {
    // Salad is ranked first alone by the North, and before stew by everybody else.
    let votes = |world: &World| {
        let shape = world.description.shape();
        let vote = |voter| -> &[u8] {
            match voter {
                10..=29 if voter % 2 == 0 => &[1],
                10..=29 => &[0],
                _ => &[1, 2],
            }
        };
        (0..VOTERS).map(|voter| shape.ranking(vote(voter).iter().copied()).unwrap()).collect()
    };
    let mut hall = Hall::cast(votes);
    let topic = plan().topics.remove(2);
    let Hall { inquiry, querier, rng, .. } = &mut hall;
    let id = inquiry.ask(querier, &asker(), &topic, rng).unwrap();
    assert_eq!(inquiry.ask(querier, &asker(), &topic, rng).unwrap(), id);
    hall.run(|_, _, word| word);
    let found = hall.inquiry.read(&hall.querier, &topic, &id).unwrap().unwrap();
    let record = AnswerRecord::<G>::from_bytes(&found.record).unwrap();
    let (_, reading) = record.verify(hall.inquiry.counted().ground()).unwrap();
    let yes = reading.answer.unwrap().yes.remove(0);
    let outputs = hall.inquiry.counted().rankings();
    let alone = (0_u32..)
        .zip(outputs)
        .filter(|(_, vote)| vote.as_ref().is_some_and(|vote| vote.choices() == [1]));
    assert_eq!(yes, IndexSet::new(alone.map(|(row, _)| row)).unwrap());
    assert_eq!(yes.len(), 10);
}
