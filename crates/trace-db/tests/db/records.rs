//! Published answers: what anybody can verify, and what bytes of hostile origin do.

use std::{ops::Range, sync::OnceLock};

use algebra::Scalar;
use trace::{routed::ServerSecret, *};
use trace_db::{
    paillier::{ModulusSize, bcp::Parameters},
    *,
};
use wire::{Decode, Encode};

use super::{
    parties::{By, Parties, generate},
    support::{rng, secrets, set},
};

/// A session's record, and those of a query in and one out.
struct Records {
    session: Vec<u8>,
    inward: Vec<u8>,
    outward: Vec<u8>,
    fives: Vec<u32>,
}

fn records() -> &'static Records {
    static RECORDS: OnceLock<Records> = OnceLock::new();
    RECORDS.get_or_init(|| {
        let mut parties = Parties::new(2, &[5, 9, 5], By::Servers);
        let fives = parties.rows_of(5);
        let inward = parties.answer(Direction::In, &[0, 1], &fives[..1]);
        assert_eq!((inward.verdict.yes, inward.verdict.no), (set(&[0]), set(&[1])));
        let outward = parties.answer(Direction::Out, &[0], &[0, 1, 2]);
        assert_eq!(outward.verdict.yes, set(&fives));
        assert_eq!(outward.verdict.no.len(), 1);
        let session = session_record(&parties.record, &parties.outputs);
        Records { session, inward: inward.record, outward: outward.record, fives }
    })
}

#[test]
fn published_answers_hold() {
    let Records { session, inward, outward, fives } = records();
    let verified = DbEngine::verify_session(session).unwrap();
    let summary = DbEngine::summarize(&verified);
    assert_eq!((summary.rows, summary.servers, summary.threshold), (3, 2, 2));
    let answer = DbEngine::verify_answer(&verified, inward).unwrap();
    assert_eq!((answer.answer.direction, &answer.answer.yes), (Direction::In, &vec![set(&[0])]));
    assert_eq!(answer.unproven, [IndexSet::default()]);
    let answer = DbEngine::verify_answer(&verified, outward).unwrap();
    assert_eq!((answer.answer.direction, &answer.answer.yes), (Direction::Out, &vec![set(fives)]));
}

/// One bit, at places all over the record: its every part is bound to all others.
fn no_byte_may_change(
    record: &[u8],
    range: Range<usize>,
    step: usize,
    verify: impl Fn(&[u8]) -> bool,
) {
    for position in range.step_by(step) {
        let mut bytes = record.to_vec();
        bytes[position] ^= 1 << (position % 8);
        assert!(!verify(&bytes), "byte {position}");
    }
    for length in (0..record.len()).step_by(record.len() / 5) {
        assert!(!verify(&record[..length]), "{length} bytes");
    }
    assert!(!verify(&[record, &[0]].concat()), "a byte too many");
}

#[test]
fn no_byte_of_an_answer_may_change() {
    let Records { session, inward, outward, .. } = records();
    let verified = DbEngine::verify_session(session).unwrap();
    // Points announced and scalars responded, for two rows going in and three going out.
    let proofs = [2 * 2 * (2 * 48 + 3 * 32), 2 * 3 * (3 * 48 + 6 * 32)];
    for (record, proof) in [(inward, proofs[0]), (outward, proofs[1])] {
        let answer = |bytes: &[u8]| DbEngine::verify_answer(&verified, bytes);
        let honest = answer(record).unwrap();
        assert_eq!(honest.unproven, [IndexSet::default()]);
        let start = record.len() - proof;
        no_byte_may_change(record, 0..start, start / 20, |bytes| answer(bytes).is_ok());
        // Half of the proofs prove nothing: of a row in the pass that it does not belong to. What
        // is changed there changes nothing; elsewhere it leaves a row unproven. Nothing is proven
        // that was not before.
        let mut unproven = 0;
        for position in (start..record.len()).step_by(83) {
            let mut bytes = record.clone();
            bytes[position] ^= 1 << (position % 5);
            let Ok(changed) = answer(&bytes) else { continue };
            let rows = &changed.unproven[0];
            unproven += rows.len();
            let yes = honest.answer.yes[0].iter().filter(|row| !rows.contains(*row));
            assert!(changed.answer.yes[0].iter().eq(yes), "byte {position}");
        }
        assert!(unproven > 0);
    }
}

/// B9: terms like `δ_2·E`, whose notation differs between the reference's prover and verifier. Every
/// response has its term in an equation that is checked: with one witness's responses moved, no row
/// is proven.
#[test]
fn every_response_has_its_term() {
    let Records { session, inward, outward, .. } = records();
    let verified = DbEngine::verify_session(session).unwrap();
    // Rows, equations, witnesses.
    for (record, rows, equations, witnesses) in [(inward, 2, 2, 3), (outward, 3, 3, 6)] {
        let (sums, list) = (rows * equations * 48, rows * 32);
        let side = sums + witnesses * list;
        for witness in 0..witnesses {
            let mut bytes = record.clone();
            for proof in [record.len() - 2 * side, record.len() - side] {
                let start = proof + sums + witness * list;
                let scalars = &mut bytes[start..start + list];
                let moved: Vec<F> =
                    F::decode_all(scalars).unwrap().iter().map(|&z| z + F::one()).collect();
                scalars.copy_from_slice(&F::encode_all(&moved));
            }
            let answer = DbEngine::verify_answer(&verified, &bytes).unwrap();
            assert!(answer.answer.yes[0].is_empty(), "witness {witness}");
            assert_eq!(answer.unproven[0].len(), rows, "witness {witness}");
        }
    }
}

#[test]
fn no_byte_of_a_session_may_change() {
    let session = &records().session;
    let holds = |bytes: &[u8]| DbEngine::verify_session(bytes).is_ok();
    no_byte_may_change(session, 0..session.len(), session.len() / 12, holds);
    // A count of 2^32 − 1 is not believed, wherever it stands.
    for position in (0..session.len() - 4).step_by(session.len() / 8) {
        let mut bytes = session.clone();
        bytes[position..position + 4].fill(0xff);
        assert!(DbEngine::verify_session(&bytes).is_err(), "byte {position}");
    }
}

/// A record is of one query of one session.
#[test]
fn an_answer_is_of_its_session() {
    let Records { session, inward, .. } = records();
    let verified = DbEngine::verify_session(session).unwrap();
    let mut other = Parties::new(2, &[5, 9, 5], By::Dealer);
    let theirs = other.answer(Direction::In, &[0, 1], &[0]);
    let refused = DbEngine::verify_answer(&verified, &theirs.record);
    assert!(matches!(refused, Err(TraceError::ForeignRequest { .. })), "{refused:?}");
    let record = session_record(&other.record, &other.outputs);
    let dealt = DbEngine::verify_session(&record).unwrap();
    assert!(DbEngine::verify_answer(&dealt, &theirs.record).is_ok());
    assert!(DbEngine::verify_answer(&dealt, inward).is_err());
}

#[test]
fn rules_say_whom_to_trust() {
    let mut rng = rng(4);
    let [dealer, other] = [(); 2].map(|()| board::Identity::generate(&mut rng));
    let servers: Vec<ServerSecret> = secrets(2);
    let names = || servers.iter().map(|secret| secret.identity().id()).collect::<Vec<_>>();
    let (size, none) = (ModulusSize::Bits2048, None);
    let rules = |keys, dealer| SessionRules::new(b"x", names(), keys, dealer);
    assert!(rules(KeyMaking::Dealer(size), none).is_err());
    assert!(rules(KeyMaking::Dealer(ModulusSize::InsecureTest), Some(dealer.id())).is_err());
    assert!(rules(KeyMaking::Dealer(size), Some(names()[0])).is_err());
    let [ours, theirs] =
        [&dealer, &other].map(|dealer| rules(KeyMaking::Dealer(size), Some(dealer.id())).unwrap());
    assert_ne!(ours.base(), theirs.base());
    assert_eq!(SessionRules::from_bytes(&ours.to_bytes()).unwrap().base(), ours.base());
    let made = KeyMaking::Servers(Box::new(Parameters::rsa_2048().unwrap()));
    assert_ne!(rules(made, Some(dealer.id())).unwrap().base(), ours.base());

    // A key that another dealer signed, and one for another ElGamal key.
    let (mut record, _) = generate(&servers, By::Dealer, &dealer, &mut rng);
    let (foreign, _) = generate(&servers, By::Dealer, &other, &mut rng);
    assert!(record.establish().is_ok());
    record.paillier = foreign.paillier;
    assert!(matches!(record.establish(), Err(TraceError::DealtKey(_))));
    record.paillier = PaillierMessages::Servers(Vec::new());
    assert!(matches!(record.establish(), Err(TraceError::Rules(_))));
}

/// Shares are sealed for keys that their servers proved and signed, for this session.
#[test]
fn a_sealing_key_is_of_its_server_and_session() {
    let (mut rng, servers) = (rng(4), secrets(2));
    let [dealer, other] = [(); 2].map(|()| board::Identity::generate(&mut rng));
    let (record, _) = generate(&servers, By::Servers, &dealer, &mut rng);
    let (foreign, _) = generate(&servers, By::Servers, &other, &mut rng);
    assert!(record.establish().is_ok());
    let refused = |sealing: [&SealingKey; 2]| {
        let mut record = record.clone();
        record.sealing = sealing.map(Clone::clone).to_vec();
        record.establish().err().unwrap().culprit()
    };
    let [first, second] = [&record.sealing[0], &record.sealing[1]];
    assert_eq!(refused([second, first]), Some(1));
    assert_eq!(refused([first, first]), Some(2));
    assert_eq!(refused([first, &foreign.sealing[1]]), Some(2));
}
