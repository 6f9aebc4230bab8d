//! Dishonest senders: copies, replays, parts of others' submissions (B12).

use std::sync::Arc;

use trace::*;
use trace_db::*;
use wire::{Encode, Reader};

use super::support::*;

fn refused(session: &Arc<Session>, submissions: Vec<Submission>) -> usize {
    match Inputs::collect(session.clone(), submissions).err() {
        Some(TraceError::Ciphertext { submission, .. }) => submission,
        other => panic!("{other:?}"),
    }
}

fn decode(session: &Session, bytes: &[u8]) -> Option<Submission> {
    let mut reader = Reader::new(bytes);
    let submission = Submission::decode(&mut reader, session).ok()?;
    reader.finish().ok().map(|()| submission)
}

#[test]
fn copies_and_replays_are_refused() {
    let (session, _) = session(2, Keys::Dealt);
    let mut rng = rng(9);
    let honest = submit(&session, &[1, 2], &mut rng);
    assert!(Inputs::collect(session.clone(), honest.clone()).is_ok());
    // Twice the same; twice the same sender.
    assert_eq!(refused(&session, vec![honest[0].clone(), honest[0].clone()]), 1);
    let again = submit(&session, &[3], &mut rng);
    assert_eq!(refused(&session, vec![honest[0].clone(), again[0].clone()]), 1);
    // A copy under another name: the name is one byte after its length.
    let mut bytes = honest[0].to_bytes();
    bytes[4] = 7;
    let copy = decode(&session, &bytes).unwrap();
    assert_eq!(copy.sender(), [7]);
    assert_eq!(refused(&session, vec![copy.clone()]), 0);
    assert_eq!(refused(&session, vec![honest[0].clone(), copy]), 1);
    // Of another session with the same Paillier key.
    let (other, _) = super::support::session(3, Keys::Dealt);
    let foreign = submit(&other, &[1], &mut rng);
    refused(&session, foreign);
    assert!(matches!(
        Inputs::collect(session, vec![]).err(),
        Some(TraceError::Rows { rows: 0, limit: 1_048_576 })
    ));
}

#[test]
fn every_byte_of_a_submission_counts() {
    let (session, _) = session(2, Keys::Bcp);
    let honest = submit(&session, &[1], &mut rng(10)).remove(0);
    let bytes = honest.to_bytes();
    assert_eq!(decode(&session, &bytes), Some(honest));
    // The proof of the opening binds them all; one byte in every forty is sample enough.
    for position in (5..bytes.len()).step_by(41).chain([bytes.len() - 1]) {
        let mut forged = bytes.clone();
        forged[position] ^= 1;
        if let Some(forged) = decode(&session, &forged) {
            assert_eq!(refused(&session, vec![forged]), 0, "byte {position}");
        }
    }
    assert!(decode(&session, &bytes[..bytes.len() - 1]).is_none());
}
