//! Honest answers.

use serde_json::{Value, json};
use study::{inquiry::member, replay::SessionError};

use super::{Published, VOTERS, published, verify};
use crate::common::{OPERATOR, rankings};

#[test]
fn questions_about_the_counted_mix_are_answered_and_verify() {
    let Published { hall, found, directory, statement } = &published();
    assert_eq!(verify(&directory.path().join("bundle")).unwrap(), 2);
    assert!(hall.inquiry.state().faults().is_empty(), "{:?}", hall.inquiry.state().faults());

    // Against plain computation over what the voters cast.
    let votes = rankings(&hall.world, VOTERS);
    let first = |candidate: u8| {
        let votes = votes.iter().filter(move |vote| vote.choices().first() == Some(&candidate));
        votes.count()
    };
    let answers = statement["answers"].as_array().unwrap();
    let numbers = |answer: &Value| ["asked", "yes", "no"].map(|field| answer[field].as_u64());
    let expected = [(20, 20), (first(2), first(2)), (VOTERS, VOTERS)];
    for (answer, (asked, yes)) in answers.iter().zip(expected) {
        let (asked, yes) = (asked as u64, yes as u64);
        assert_eq!(numbers(answer), [asked, yes, asked - yes].map(Some), "{answer}");
    }
    assert_eq!(statement["routed_by"], json!([1, 2, 3]));

    // What was asked is no fault of the election's, and stands outside its bundle.
    let session = hall.world.session();
    assert!(session.election().faults().is_empty());
    assert!(session.entries().len() as u64 > session.election().end().unwrap() + 1);

    // A party that has nothing to do with it takes no part.
    let counted = hall.inquiry.state().counted();
    let stranger = hall.world.secrets(OPERATOR, hall.inquiry.id());
    let election = hall.inquiry.state().election();
    let refused = member(&stranger, election, counted, hall.policy.clone()).err().unwrap();
    assert!(matches!(refused, SessionError::NotAParty { .. }));
    assert_eq!(found.len(), 3);
}
