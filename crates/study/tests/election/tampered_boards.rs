//! Boards with other entries than the election had, and claims that they do not carry.

use board::Position;
use claim::Refusal;
use serde_json::{Value, json};
use study::election::{Message, Outcome, Party, Role, Voter};

use crate::common::{Honest, OPERATOR, Said, party, refused};

fn edit_roll(edit: impl FnOnce(&mut Vec<Voter>)) -> Result<(), Refusal> {
    Honest::get().forged(|script| {
        script[1].edit(|message| match message {
            Message::Roll(roll) => edit(roll),
            _ => unreachable!(),
        });
    })
}

#[test]
fn a_voter_struck_off_the_roll() {
    let verdict = edit_roll(|roll| drop(roll.remove(5)));
    refused(verdict, "casting", OPERATOR, &["the board has 5 and 2", "ballot 5 of entry 12, V6"]);
    let verdict = edit_roll(|roll| drop(roll.pop()));
    refused(verdict, "casting", OPERATOR, &["ballot 6 of entry 12, ?: ", "not on the roll"]);
}

#[test]
fn a_voter_added_to_the_roll() {
    let voter = Voter {
        name: "ghost".into(),
        credential: Honest::get().world.identity(OPERATOR).id(),
        class: None,
    };
    let verdict = edit_roll(|roll| roll.push(voter));
    refused(verdict, "claim", None, &["`registered` is 8"]);
}

#[test]
fn a_voter_twice_on_the_roll() {
    let verdict = edit_roll(|roll| roll[1].name = roll[0].name.clone());
    refused(verdict, "registration", OPERATOR, &["`V0` is on the roll twice"]);
    let verdict = edit_roll(|roll| roll[1].credential = roll[0].credential);
    refused(verdict, "registration", OPERATOR, &["two voters have the credential"]);
}

#[test]
fn the_setup_changed() {
    let honest = Honest::get();
    let verdict = honest.forged(|script| {
        script[0].edit(|message| match message {
            Message::Setup(setup) => {
                let mut draft = (*setup.description).clone();
                draft.questions[0].candidates.swap(0, 1);
                setup.description = study::description::ElectionDescription::new(draft).unwrap();
            }
            _ => unreachable!(),
        });
    });
    // Every proof is bound to the set-up; the trustees' of the key generation come first.
    let refusal = verdict.unwrap_err();
    assert_eq!(refusal.phase, "key generation");
    assert!(refusal.party.is_some_and(|party| party.starts_with("trustee")));
    assert!(refusal.reason.contains("proof of knowledge of the contribution is false"));
}

#[test]
fn another_number_of_trustees_than_the_description_says() {
    let honest = Honest::get();
    let verdict = honest.forged(|script| {
        script[0].edit(|message| match message {
            Message::Setup(setup) => {
                let mut draft = (*setup.description).clone();
                draft.trustees = 4;
                setup.description = study::description::ElectionDescription::new(draft).unwrap();
            }
            _ => unreachable!(),
        });
    });
    refused(verdict, "board", None, &["set-up", "not those of the description"]);
}

/// Any entry removed, doubled or moved, with every signature made anew.
#[test]
fn an_entry_removed_doubled_or_moved() {
    let honest = Honest::get();
    let last = honest.script.len() - 1;
    for place in 0..=last {
        let removed = honest.forged(|script| drop(script.remove(place)));
        assert!(removed.is_err(), "entry {place} removed");
        let doubled = honest.forged(|script| script.insert(place, script[place].clone()));
        let refusal = doubled.expect_err("doubled");
        assert!(place == 0 || refusal.party.is_some() || refusal.phase == "board", "{refusal}");
    }
    // Trustees of one round may answer in any order; nothing else may move. (Who decrypts is part
    // of the claim, in order.)
    for place in 0..last {
        let (a, b) = (&honest.script[place], &honest.script[place + 1]);
        let moved = honest.forged(|script| script.swap(place, place + 1));
        let is_free = a.kind == b.kind && a.kind.starts_with("key/");
        assert_eq!(moved.is_ok(), is_free, "entries {place} and {} swapped", place + 1);
    }
}

#[test]
fn a_mixer_left_out() {
    let honest = Honest::get();
    let place = honest.places("mix")[1];
    let verdict = honest.forged(|script| drop(script.remove(place)));
    refused(verdict, "mixing", party(Role::Mixer, 3), &["`mix` is out of turn"]);
}

/// The operator declares honest parties absent, and keeps that out of the outcome.
#[test]
fn a_party_declared_absent_in_silence() {
    let honest = Honest::get();
    let place = honest.places("mix")[1];
    for published in [vec![], vec![place as u64 + 1]] {
        let verdict = honest.forged(|script| {
            let absent = Message::Absent(party(Role::Mixer, 2));
            script.insert(place, Said::new(OPERATOR, &absent));
            script.truncate(place + 2);
            let outcome = Outcome { tally: Vec::new(), faults: published };
            script.push(Said::new(OPERATOR, &Message::Outcome(outcome)));
        });
        refused(verdict, "mixing", party(Role::Mixer, 2), &["does not answer"]);
    }
}

#[test]
fn entries_behind_the_outcome() {
    let honest = Honest::get();
    let late = |by: Party, message: Message| honest.forged(|s| s.push(Said::new(by, &message)));
    let outcome = |faults| Message::Outcome(Outcome { tally: Vec::new(), faults });
    let mixer = party(Role::Mixer, 1);
    let last = honest.script.len() as u64;
    refused(late(mixer, outcome(vec![])), "end", mixer, &["out of turn"]);
    // The last entry says itself that it is refused: nobody vouches for that.
    refused(late(mixer, outcome(vec![last])), "board", None, &["behind the outcome"]);
    let again = honest.script.last().unwrap().message();
    refused(late(OPERATOR, again), "end", OPERATOR, &["out of turn"]);
}

#[test]
fn a_board_that_ends_early() {
    let honest = Honest::get();
    for len in 1..honest.script.len() {
        let verdict = honest.forged(|script| script.truncate(len));
        let refusal = verdict.expect_err("a part of a board");
        assert!(refusal.reason.contains("ends before the outcome"), "{len}: {refusal}");
    }
    let empty = honest.verdict(&[], &honest.statement);
    refused(empty, "claim", None, &["at least one object as `board`"]);
}

#[test]
fn a_claim_that_the_board_does_not_carry() {
    let honest = Honest::get();
    let fields = honest.statement.as_object().unwrap();
    assert_eq!(fields.len(), 12);
    for field in fields.keys() {
        let mut statement = honest.statement.clone();
        statement[field] = json!("something else");
        let verdict = honest.verdict(&honest.entries, &statement);
        refused(verdict, "claim", None, &[&format!("`{field}`"), "not as stated"]);
        statement.as_object_mut().unwrap().remove(field);
        let verdict = honest.verdict(&honest.entries, &statement);
        refused(verdict, "claim", None, &[&format!("`{field}`")]);
    }
    let mut statement = honest.statement.clone();
    statement["observed_by"] = json!("the United Nations");
    let verdict = honest.verdict(&honest.entries, &statement);
    refused(verdict, "claim", None, &["`observed_by` is stated, and no object bears it out"]);
    let verdict = honest.verdict(&honest.entries, &Value::Null);
    assert_eq!(verdict.unwrap_err().phase, "claim");
}

#[test]
fn one_vote_moved_in_the_claimed_tally() {
    let honest = Honest::get();
    let mut statement = honest.statement.clone();
    let votes = &mut statement["tally"]["plurality"]["votes"][0]["ballots"];
    *votes = json!(votes.as_u64().unwrap() + 1);
    refused(
        honest.verdict(&honest.entries, &statement),
        "claim",
        None,
        &["`tally.plurality.votes[0].ballots`"],
    );
}

/// Without the others' keys: an entry is changed, and nothing after it signed again.
#[test]
fn an_entry_that_its_author_did_not_sign() {
    let honest = Honest::get();
    for place in 1..honest.entries.len() {
        let (before, entry) = (&honest.entries[place - 1], &honest.entries[place]);
        let author = honest.script[place].by;
        let position = Position {
            board: wire::Digest::from([9; 32]),
            sequence: entry.sequence(),
            previous: before.digest(),
        };
        let identity = honest.world.identity(author);
        let other =
            board::Entry::sign(&identity, &position, entry.kind(), entry.payload()).unwrap();
        let mut entries = honest.entries.clone();
        entries[place] = other;
        let verdict = honest.verdict(&entries, &honest.statement);
        refused(verdict, "board", author, &[&format!("entry {place}"), "the signature is not"]);

        let mut entries = honest.entries.clone();
        entries.remove(place);
        let verdict = honest.verdict(&entries, &honest.statement);
        let next = honest.script.get(place + 1).map(|said| said.by);
        match next {
            Some(next) => refused(verdict, "board", next, &["says that it is entry"]),
            None => refused(verdict, "decryption", None, &["ends before the outcome"]),
        }
    }
}
