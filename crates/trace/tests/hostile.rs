//! Bytes of hostile origin: every field of the records counts, and no decoder panics.

use crate::support::*;
use trace::{routed::*, *};
use wire::{Decode, Encode};

fn records() -> (World, Vec<u8>, Vec<u8>) {
    let messages = ["a", "a", "b"];
    let mut world = World::new(Shape { servers: 2, threshold: 2, messages: &messages, seed: 41 });
    let query = world.ask(Direction::Out, By::Value, vec![question(&[0, 2], &[0, 1, 2])]);
    let agreed = world.agreed(&query);
    let shares = world.shares(&agreed, 0);
    let shares = world.querier.read(&agreed, 0, &shares).unwrap().shares;
    let answer = AnswerRecord { query: QueryRecord::of(&agreed), request: 0, shares };
    let session = SessionRecord::of(&world.outputs).to_bytes();
    (world, session, answer.to_bytes())
}

#[test]
fn records_survive_the_wire() {
    let (world, session, answer) = records();
    let decoded = SessionRecord::<G>::from_bytes(&session).unwrap();
    assert_eq!(decoded.to_bytes(), session);
    let outputs = std::sync::Arc::new(decoded.verify().unwrap());
    assert_eq!(outputs.digest(), world.outputs.digest());
    let decoded = AnswerRecord::<G>::from_bytes(&answer).unwrap();
    assert_eq!(decoded.to_bytes(), answer);
    let (_, reading) = decoded.verify(outputs.ground()).unwrap();
    assert_eq!(reading.answer.unwrap().yes, [IndexSet::all(3)]);
}

#[test]
fn no_byte_of_an_answer_may_change() {
    let (world, _, answer) = records();
    for position in (0..answer.len()).step_by(5) {
        let mut bytes = answer.clone();
        bytes[position] ^= 1 << (position % 8);
        let Ok(record) = AnswerRecord::<G>::from_bytes(&bytes) else { continue };
        let verified = record.verify(world.outputs.ground()).map(|(_, reading)| reading.answer);
        assert!(!matches!(verified, Ok(Ok(_))), "byte {position}");
    }
}

#[test]
fn no_byte_of_a_session_may_change() {
    let (_, session, _) = records();
    for position in (0..session.len()).step_by(29) {
        let mut bytes = session.clone();
        bytes[position] ^= 1 << (position % 8);
        let Ok(record) = SessionRecord::<G>::from_bytes(&bytes) else { continue };
        assert!(record.verify().is_err(), "byte {position}");
    }
}

#[test]
fn records_are_whole_or_refused() {
    let (_, session, answer) = records();
    for length in (0..session.len()).step_by(61) {
        assert!(SessionRecord::<G>::from_bytes(&session[..length]).is_err());
    }
    for length in (0..answer.len()).step_by(31) {
        assert!(AnswerRecord::<G>::from_bytes(&answer[..length]).is_err());
    }
    // Counts of 2^32 − 1 anywhere are not believed.
    for position in (0..answer.len().saturating_sub(4)).step_by(7) {
        let mut bytes = answer.clone();
        bytes[position..position + 4].fill(0xff);
        if let Ok(record) = AnswerRecord::<G>::from_bytes(&bytes) {
            assert_eq!(record.to_bytes(), bytes);
        }
    }
    let mut long = answer;
    long.push(0);
    assert!(AnswerRecord::<G>::from_bytes(&long).is_err());
}
