//! Honest runs, and runs in which some trustees are missing or misbehave without doing harm.

use super::support::*;
use algebra::{Group, Scalar};
use shuffle::{
    decrypt::{Decryption, PartialDecryption, VerifiedPartial},
    dkg::{self, DkgParams, KeyShare, Outcome, Round1Board, Round2Board},
    threshold_error::ThresholdError as Error,
};
use wire::{Decode, Encode};

fn assert_decrypts(outcome: &Outcome<G>, shares: &[KeyShare<G>], count: usize) {
    let (messages, ciphertexts) = encrypt_list(outcome, count);
    let decryption = Decryption::new(&outcome.keys, &ciphertexts, CONTEXT);
    let publish = |share: &KeyShare<G>| {
        let own = decryption.decrypt_partially(share, &mut rng(5)).unwrap();
        let received = PartialDecryption::from_bytes(&own.message().to_bytes()).unwrap();
        let verified = decryption.verify_partial(received).unwrap();
        assert_eq!(own, verified);
        verified
    };
    let partials: Vec<VerifiedPartial<G>> = shares.iter().map(publish).collect();
    let t = usize::from(outcome.keys.threshold());
    for window in partials.windows(t) {
        assert_eq!(decryption.combine(window).unwrap(), messages);
    }
    assert_eq!(decryption.combine(&partials).unwrap(), messages);
    let (needed, got) = (t, t - 1);
    assert_eq!(decryption.combine(&partials[..got]), Err(Error::TooFewPartials { needed, got }));
}

#[test]
fn every_quorum_decrypts() {
    for (t, n) in [(1, 1), (1, 3), (2, 3), (3, 5), (5, 5)] {
        let (outcome, shares) = Committee::new(t, n, CONTEXT).run();
        assert_eq!(outcome.keys.qualified(), (1..=n).collect::<Vec<_>>());
        assert_eq!((outcome.keys.threshold(), outcome.keys.trustees()), (t, n.into()));
        for count in [0, 1, 2, 7] {
            assert_decrypts(&outcome, &shares, count);
        }
    }
}

#[test]
fn a_list_longer_than_a_chunk_decrypts() {
    let (outcome, shares) = Committee::new(2, 3, CONTEXT).run();
    assert_decrypts(&outcome, &shares, 700);
}

#[test]
fn the_largest_committee_works() {
    let committee = Committee::new(2, 255, CONTEXT);
    let board = committee.board1();
    let deal = |i| dkg::deal(&board, committee.secret(i), &mut round_rng(i, 2)).unwrap();
    let board = Round2Board::new(board.clone(), [1, 200, 255].map(deal).to_vec()).unwrap();
    let respond = |i| dkg::respond(&board, committee.secret(i), &mut round_rng(i, 3)).unwrap();
    let outcome = dkg::conclude(&board, [2, 255].map(respond).to_vec()).unwrap();
    let derive = |i| KeyShare::derive(&outcome.keys, &board, committee.secret(i)).unwrap();
    assert_eq!(outcome.keys.qualified(), [1, 200, 255]);
    assert_decrypts(&outcome, &[1, 2, 254, 255].map(derive), 2);
}

#[test]
fn a_restarted_trustee_repeats_itself() {
    let (committee, again) = (Committee::new(2, 3, CONTEXT), Committee::new(2, 3, CONTEXT));
    assert_eq!(committee.round1, again.round1);
    let board = committee.board1();
    assert_eq!(committee.deal(&board), again.deal(&board));
    // Repeated messages count once, and order does not matter.
    let mut messages = committee.round1.clone();
    messages.extend(again.round1);
    messages.reverse();
    let other = Round1Board::new(committee.params.clone(), messages).unwrap();
    assert_eq!((board.digest(), other.faults()), (other.digest(), &[][..]));
    let board = committee.board2();
    assert_eq!(committee.respond(&board), committee.respond(&board));
    let mut messages = committee.respond(&board);
    let outcome = dkg::conclude(&board, messages.clone()).unwrap();
    messages.reverse();
    assert_eq!(dkg::conclude(&board, messages).unwrap(), outcome);
}

#[test]
fn a_seed_used_again_under_other_parameters_gives_other_secrets() {
    let contributions = |t, n, context: &[u8]| {
        let message = Committee::new(t, n, context).round1.remove(0);
        [message.commitments()[0], message.transport_key()]
    };
    let first = contributions(2, 3, b"one");
    for other in
        [contributions(2, 3, b"two"), contributions(3, 3, b"one"), contributions(2, 4, b"one")]
    {
        assert!(first.iter().zip(other).all(|(a, b)| *a != b));
    }
}

#[test]
fn messages_survive_the_wire() {
    let committee = Committee::new(2, 3, CONTEXT);
    for message in &committee.round1 {
        assert_eq!(&dkg::Round1Message::from_bytes(&message.to_bytes()).unwrap(), message);
    }
    for message in committee.deal(&committee.board1()) {
        assert_eq!(dkg::Round2Message::from_bytes(&message.to_bytes()).unwrap(), message);
    }
    for message in committee.respond(&committee.board2()) {
        assert_eq!(dkg::Round3Message::from_bytes(&message.to_bytes()).unwrap(), message);
    }
}

#[test]
fn a_trustee_absent_from_the_start_is_left_out() {
    let mut committee = Committee::new(2, 4, CONTEXT);
    committee.round1.remove(2);
    let board = committee.board2();
    assert_eq!(board.round1().faults(), [Error::Absent { trustee: 3, round: 1 }]);
    let outcome = dkg::conclude(&board, committee.respond(&board)).unwrap();
    assert_eq!(outcome.keys.qualified(), [1, 2, 4]);
    assert_eq!(outcome.keys.trustees(), 4);
    assert_decrypts(&outcome, &committee.shares(&board, &outcome), 3);
}

#[test]
fn a_trustee_that_deals_nothing_still_decrypts() {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board1();
    let mut messages = committee.deal(&board);
    messages.remove(0);
    let board = Round2Board::new(board, messages).unwrap();
    assert_eq!(board.faults(), [Error::Absent { trustee: 1, round: 2 }]);
    let outcome = dkg::conclude(&board, committee.respond(&board)).unwrap();
    assert_eq!(outcome.keys.qualified(), [2, 3]);
    assert_decrypts(&outcome, &committee.shares(&board, &outcome), 3);
}

#[test]
fn a_trustee_silent_in_round_3_is_named() {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board2();
    let mut messages = committee.respond(&board);
    messages.remove(1);
    let outcome = dkg::conclude(&board, messages.clone()).unwrap();
    assert_eq!(outcome.faults, [Error::Absent { trustee: 2, round: 3 }]);
    assert_decrypts(&outcome, &committee.shares(&board, &outcome), 3);
    messages.remove(1);
    let refused = dkg::conclude(&board, messages);
    assert_eq!(refused, Err(Error::TooFewTrustees { needed: 2, got: 1 }));
}

/// Bad in each of the three ways: undecryptable, not canonical, not on the polynomial.
#[test]
fn a_dealer_of_bad_shares_is_disqualified() {
    let committee = Committee::new(2, 4, CONTEXT);
    let board = committee.board1();
    let garbage = |j: u16| {
        let e = S::from_u64(j.into());
        (j, G::mul_generator(&e), e, [7; 48])
    };
    let bad = [
        craft_round2(&board, 2, &[1, 3, 4].map(garbage)),
        deal_plain(&board, 2, [0xff; 32]),
        deal_plain(&board, 2, Scalar::encode(&S::from_u64(3))),
    ];
    for message in bad {
        let mut messages = committee.deal(&board);
        messages[1] = message;
        let board = Round2Board::new(board.clone(), messages).unwrap();
        assert_eq!(board.faults(), []);
        let answers = committee.respond(&board);
        assert!(answers[0].accused().eq([2]) && answers[1].accused().next().is_none());
        // One complaint suffices.
        let outcome = dkg::conclude(&board, answers).unwrap();
        let fault = |recipient| Error::BadShare { dealer: 2, recipient };
        assert_eq!(outcome.faults, [fault(1), fault(3), fault(4)]);
        assert_eq!(outcome.keys.qualified(), [1, 3, 4]);
        let expected: G = [0, 2, 3].iter().map(|&i| committee.round1[i].commitments()[0]).sum();
        assert_eq!(outcome.keys.public_key().point(), expected);
        assert_decrypts(&outcome, &committee.shares(&board, &outcome), 3);
    }
}

#[test]
fn one_bad_share_is_one_complaint() {
    let committee = Committee::new(1, 2, CONTEXT);
    let board = committee.board1();
    let mut messages = committee.deal(&board);
    messages[0] = deal_plain(&board, 1, [0; 32]);
    let board = Round2Board::new(board, messages).unwrap();
    let outcome = dkg::conclude(&board, committee.respond(&board)).unwrap();
    assert_eq!(outcome.faults, [Error::BadShare { dealer: 1, recipient: 2 }]);
    assert_eq!(outcome.keys.qualified(), [2]);
    assert_decrypts(&outcome, &committee.shares(&board, &outcome), 3);
}

#[test]
fn a_false_accuser_is_named_and_ignored() {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board2();
    let base = ephemeral(&committee.deal(board.round1())[0], 1);
    let secret = *committee.transport(3).scalar();
    let mut answers = committee.respond(&board);
    answers[2] = craft_complaint(&board, 3, 1, base, secret, secret);
    let outcome = dkg::conclude(&board, answers).unwrap();
    assert_eq!(outcome.faults, [Error::FalseAccusation { accuser: 3, dealer: 1 }]);
    assert_eq!(outcome.keys.qualified(), [1, 2, 3]);
    assert_decrypts(&outcome, &committee.shares(&board, &outcome), 3);
}

#[test]
fn too_few_dealers_are_an_error() {
    let committee = Committee::new(3, 4, CONTEXT);
    let too_few = Error::TooFewDealers { needed: 3, got: 2 };
    let round1 = committee.round1[..2].to_vec();
    assert_eq!(Round1Board::new(committee.params.clone(), round1).unwrap_err(), too_few);
    let board = committee.board1();
    let messages = committee.deal(&board);
    let refused = Round2Board::new(board.clone(), messages[..2].to_vec());
    assert_eq!(refused.unwrap_err(), too_few);
    let bad = [1, 2].map(|dealer| deal_plain(&board, dealer, [0; 32]));
    let board = Round2Board::new(board, [&bad[..], &messages[2..]].concat()).unwrap();
    let refused = dkg::conclude(&board, committee.respond(&board));
    assert_eq!(refused.unwrap_err(), too_few);
}

#[test]
fn parameters_are_bounded() {
    for (threshold, trustees) in [(0, 0), (0, 3), (4, 3), (1, 256), (256, 256)] {
        let refused = DkgParams::new(threshold, trustees, CONTEXT);
        assert_eq!(refused, Err(Error::Parameters { threshold, trustees }));
    }
    let params = DkgParams::new(2, 3, CONTEXT).unwrap();
    for trustee in [0, 4] {
        let refused = dkg::commit::<G>(&params, trustee, &mut rng(0)).err();
        assert_eq!(refused, Some(Error::UnknownTrustee { trustee }));
    }
}

#[test]
fn verification_keys_belong_to_the_polynomial() {
    let (outcome, _) = Committee::new(2, 3, CONTEXT).run();
    let [x1, x2, x3] = outcome.keys.verification_keys() else { panic!("three keys") };
    // A polynomial of degree 1: equal differences, and f(0) = 2·f(1) − f(2).
    assert_eq!(*x3 - *x2, *x2 - *x1);
    assert_eq!(outcome.keys.public_key().point(), x1.double() - *x2);
    assert!(outcome.keys.verification_key(0).is_err() && outcome.keys.verification_key(4).is_err());
}

#[test]
fn sums_of_ciphertexts_decrypt_to_sums() {
    let (outcome, shares) = Committee::new(1, 1, CONTEXT).run();
    let (messages, ciphertexts) = encrypt_list(&outcome, 2);
    let sum = [ciphertexts[0] + ciphertexts[1]];
    let decryption = Decryption::new(&outcome.keys, &sum, CONTEXT);
    let partial = decryption.decrypt_partially(&shares[0], &mut rng(5)).unwrap();
    assert_eq!(decryption.combine(&[partial]).unwrap(), [messages[0] + messages[1]]);
}
