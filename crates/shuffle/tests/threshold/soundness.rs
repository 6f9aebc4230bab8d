//! Everything that must be refused, and who is named for it.

use super::support::*;
use algebra::{Group, Scalar};
use shuffle::{
    decrypt::{Decryption, PartialDecryption},
    dkg::{
        self, DkgParams, KeyShare, Round1Board, Round1Message, Round2Board, Round2Message,
        Round3Message,
    },
    sigma::{EqualityProof, EqualityStatement, KnowledgeProof},
    threshold_error::ThresholdError as Error,
};
use transcript::Transcript;
use wire::{Decode, Encode};

#[test]
fn sigma_proofs_are_bound_to_everything() {
    let mut rng = rng(1);
    let transcript = || Transcript::new(b"test");
    let secrets = S::random_many(3, &mut rng);
    let points: Vec<G> = secrets.iter().map(G::mul_generator).collect();
    let proof = KnowledgeProof::prove(&mut transcript(), &points, &secrets, &mut rng);
    assert!(proof.verify(&mut transcript(), &points));
    assert!(!proof.verify(&mut Transcript::new(b"other"), &points));
    assert!(!proof.verify(&mut transcript(), &points[..2]));
    assert!(!proof.verify(&mut transcript(), &[points[1], points[0], points[2]]));
    // One seed: the same proof again, and no mask in common with another statement's proof.
    let seeded = |transcript: &mut Transcript| {
        KnowledgeProof::prove(transcript, &points, &secrets, &mut super::support::rng(2))
    };
    let (one, two) = (seeded(&mut transcript()), seeded(&mut Transcript::new(b"other")));
    assert_eq!(one, seeded(&mut transcript()));
    assert_ne!(one.to_bytes()[..POINT], two.to_bytes()[..POINT]);
    for (i, bytes) in mutations(&proof.to_bytes()) {
        let decoded = KnowledgeProof::<G>::from_bytes(&bytes);
        assert!(!decoded.is_ok_and(|proof| proof.verify(&mut transcript(), &points)), "byte {i}");
    }

    let base = G::random(&mut rng);
    let (public, image) = (points[0], base.mul(&secrets[0]));
    let statement = EqualityStatement { public, base, image };
    let proof = EqualityProof::prove(&mut transcript(), &statement, &secrets[0], &mut rng);
    assert!(proof.verify(&mut transcript(), &statement));
    assert!(!proof.verify(&mut Transcript::new(b"other"), &statement));
    let delta = points[1];
    for wrong in [
        EqualityStatement { public: public + delta, ..statement },
        EqualityStatement { base: base + delta, ..statement },
        EqualityStatement { image: image + delta, ..statement },
    ] {
        assert!(!proof.verify(&mut transcript(), &wrong));
        let forged = EqualityProof::prove(&mut transcript(), &wrong, &secrets[0], &mut rng);
        assert!(!forged.verify(&mut transcript(), &wrong));
    }
    for (i, bytes) in mutations(&proof.to_bytes()) {
        let decoded = EqualityProof::<G>::from_bytes(&bytes);
        let accepted = decoded.is_ok_and(|proof| proof.verify(&mut transcript(), &statement));
        assert!(!accepted, "byte {i}");
    }
}

#[test]
fn every_byte_of_round_1_counts() {
    let committee = Committee::new(2, 3, CONTEXT);
    for (i, bytes) in mutations(&committee.round1[0].to_bytes()) {
        let decoded = Round1Message::<G>::from_bytes(&bytes);
        assert!(!decoded.is_ok_and(|m| m.verify(&committee.params).is_ok()), "byte {i}");
    }
}

#[test]
fn every_byte_of_round_2_counts() {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board1();
    for (i, bytes) in mutations(&committee.deal(&board)[0].to_bytes()) {
        let decoded = Round2Message::<G>::from_bytes(&bytes);
        assert!(!decoded.is_ok_and(|m| m.verify(&board).is_ok()), "byte {i}");
    }
}

#[test]
fn every_byte_of_round_3_counts() {
    let committee = Committee::new(1, 3, CONTEXT);
    let board = committee.board1();
    let mut messages = committee.deal(&board);
    messages[0] = deal_plain(&board, 1, [0; 32]);
    let board = Round2Board::new(board, messages).unwrap();
    let answers = committee.respond(&board);
    // The others' confirmations, and the mutated complaint of trustee 2: whatever is changed, the
    // dealer goes free and trustee 2, or nobody who takes part, is named.
    for (i, bytes) in mutations(&answers[1].to_bytes()) {
        let Ok(changed) = Round3Message::<G>::from_bytes(&bytes) else { continue };
        let mut without = committee.respond(&board);
        without[1] = changed;
        without[2] = confirmation(&board, 3);
        let outcome = dkg::conclude(&board, without);
        let bad = Error::BadShare { dealer: 1, recipient: 2 };
        assert!(
            outcome.is_ok_and(|o| !o.faults.is_empty() && !o.faults.contains(&bad)),
            "byte {i}"
        );
    }
}

fn confirmation(board: &Round2Board<G>, trustee: u16) -> Round3Message<G> {
    let mut bytes = trustee.to_bytes();
    board.digest().encode(&mut bytes);
    0_u32.encode(&mut bytes);
    Round3Message::from_bytes(&bytes).unwrap()
}

#[test]
fn every_byte_of_a_partial_decryption_counts() {
    let (outcome, shares) = Committee::new(2, 3, CONTEXT).run();
    let (_, ciphertexts) = encrypt_list(&outcome, 3);
    let decryption = Decryption::new(&outcome.keys, &ciphertexts, CONTEXT);
    let partial = decryption.decrypt_partially(&shares[0], &mut rng(5)).unwrap();
    for (i, bytes) in mutations(&partial.message().to_bytes()) {
        let decoded = PartialDecryption::<G>::from_bytes(&bytes);
        assert!(!decoded.is_ok_and(|m| decryption.verify_partial(m).is_ok()), "byte {i}");
    }
}

/// A message with each of its points replaced or exchanged for its neighbour.
#[test]
fn no_point_of_a_partial_decryption_can_be_altered() {
    let (outcome, shares) = Committee::new(2, 3, CONTEXT).run();
    let count = 20;
    let (_, ciphertexts) = encrypt_list(&outcome, count);
    let decryption = Decryption::new(&outcome.keys, &ciphertexts, CONTEXT);
    let partial = decryption.decrypt_partially(&shares[1], &mut rng(5)).unwrap();
    let honest = partial.message().to_bytes();
    let at = |i: usize| 2 + 4 + i * POINT;
    for i in 0..count {
        let point = G::decode(&honest[at(i)..at(i + 1)]).unwrap();
        let mut altered = honest.clone();
        altered[at(i)..at(i + 1)].copy_from_slice(&Group::encode(&(point + G::generator())));
        let mut swapped = honest.clone();
        swapped.copy_within(at(i)..at(i + 1), at((i + 1) % count));
        let next = at((i + 1) % count);
        swapped[at(i)..at(i + 1)].copy_from_slice(&honest[next..next + POINT]);
        for bytes in [altered, swapped] {
            let message = PartialDecryption::from_bytes(&bytes).unwrap();
            let refused = decryption.verify_partial(message).err();
            assert_eq!(refused, Some(Error::PartialProof { trustee: 2 }), "row {i}");
        }
    }
}

#[test]
fn partial_decryptions_are_bound_to_list_context_and_key() {
    let (outcome, shares) = Committee::new(2, 3, CONTEXT).run();
    let (other, foreign) = Committee::new(2, 3, b"other").run();
    let (_, ciphertexts) = encrypt_list(&outcome, 4);
    let decryption = Decryption::new(&outcome.keys, &ciphertexts, CONTEXT);
    let partials: Vec<_> =
        shares.iter().map(|s| decryption.decrypt_partially(s, &mut rng(5)).unwrap()).collect();
    let message = partials[0].message();

    let mut changed = ciphertexts.clone();
    changed[2].c1 += G::generator();
    let mut reversed = ciphertexts.clone();
    reversed.reverse();
    for wrong in [
        Decryption::new(&outcome.keys, &ciphertexts, b"other"),
        Decryption::new(&outcome.keys, &changed, CONTEXT),
        Decryption::new(&outcome.keys, &reversed, CONTEXT),
        Decryption::new(&other.keys, &ciphertexts, CONTEXT),
    ] {
        let refused = wrong.verify_partial(message.clone()).err();
        assert_eq!(refused, Some(Error::PartialProof { trustee: 1 }));
        let refused = wrong.combine(&partials);
        assert_eq!(refused, Err(Error::ForeignPartial { trustee: 1 }));
    }
    let shorter = Decryption::new(&outcome.keys, &ciphertexts[..3], CONTEXT);
    let refused = shorter.verify_partial(message.clone()).err();
    assert_eq!(refused, Some(Error::PartialLength { trustee: 1, expected: 3, got: 4 }));
    let refused = decryption.decrypt_partially(&foreign[0], &mut rng(5)).err();
    assert_eq!(refused, Some(Error::ForeignSecret { trustee: 1 }));

    let twice = [partials[0].clone(), partials[0].clone()];
    assert_eq!(decryption.combine(&twice), Err(Error::RepeatedPartial { trustee: 1 }));
    assert_eq!(decryption.combine(&[]), Err(Error::TooFewPartials { needed: 2, got: 0 }));
    // In somebody else's name.
    for trustee in [0, 2, 4] {
        let mut bytes = message.to_bytes();
        bytes[..2].copy_from_slice(&u16::to_le_bytes(trustee));
        let renamed = decryption.verify_partial(PartialDecryption::from_bytes(&bytes).unwrap());
        let unknown = Error::UnknownTrustee { trustee };
        let expected = if trustee == 2 { Error::PartialProof { trustee } } else { unknown };
        assert_eq!(renamed.err(), Some(expected));
    }
}

/// `C_0 = X − sum of the others` would give the key X to whoever knows its logarithm.
#[test]
fn a_rogue_key_is_refused() {
    let committee = Committee::new(1, 3, CONTEXT);
    let (x, t) = (S::from_u64(5), S::from_u64(6));
    let others: G = committee.round1[..2].iter().map(|m| m.commitments()[0]).sum();
    let rogue = craft_round1(&committee.params, 3, &[G::mul_generator(&x) - others], x, t);
    let refused = Error::ContributionProof { dealer: 3 };
    assert_eq!(rogue.verify(&committee.params), Err(refused.clone()));
    let messages = [&committee.round1[..2], &[rogue]].concat();
    let board = Round1Board::new(committee.params.clone(), messages).unwrap();
    assert_eq!((board.participants(), board.faults()), (vec![1, 2], &[refused][..]));
    // The same tools with an honest contribution are accepted.
    let honest = craft_round1(&committee.params, 3, &[G::mul_generator(&x)], x, t);
    assert_eq!(honest.verify(&committee.params), Ok(()));
}

#[test]
fn a_copied_contribution_or_transport_key_is_refused() {
    let committee = Committee::new(2, 3, CONTEXT);
    let mut copy = committee.round1[0].to_bytes();
    copy[..2].copy_from_slice(&3_u16.to_le_bytes());
    let copy = Round1Message::<G>::from_bytes(&copy).unwrap();
    assert_eq!(copy.verify(&committee.params), Err(Error::ContributionProof { dealer: 3 }));
    // An own contribution beside a copied transport key, with the copied proof of that key.
    let secret = S::from_u64(5);
    let commitments = [G::mul_generator(&secret), G::generator()];
    let own = craft_round1(&committee.params, 3, &commitments, secret, secret).to_bytes();
    let victim = committee.round1[0].to_bytes();
    let key = own.len() - 3 * POINT - 2 * 32;
    let mixed = [&own[..key], &victim[key..]].concat();
    let mixed = Round1Message::<G>::from_bytes(&mixed).unwrap();
    assert!(mixed.verify(&committee.params).is_err());
}

#[test]
fn malformed_contributions_are_named() {
    let params = DkgParams::new(2, 3, CONTEXT).unwrap();
    let (zero, one) = (S::zero(), S::one());
    let (o, g) = (G::identity(), G::generator());
    let verify = |trustee, commitments: &[G], contribution, transport| {
        craft_round1(&params, trustee, commitments, contribution, transport).verify(&params)
    };
    assert_eq!(verify(1, &[g, g], one, one), Ok(()));
    assert_eq!(verify(1, &[o, g], zero, one), Err(Error::IdentityCommitment { dealer: 1 }));
    assert_eq!(verify(1, &[g, g], one, zero), Err(Error::IdentityTransportKey { trustee: 1 }));
    for commitments in [&[g][..], &[g, g, g]] {
        let got = commitments.len();
        let refused = Error::CommitmentCount { dealer: 1, expected: 2, got };
        assert_eq!(verify(1, commitments, one, one), Err(refused));
    }
    for trustee in [0, 4] {
        let refused = Error::UnknownTrustee { trustee };
        assert_eq!(verify(trustee, &[g, g], one, one), Err(refused));
    }
}

#[test]
fn malformed_deals_are_named() {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board1();
    let one = S::one();
    let share = |j| (j, G::generator(), one, [0; 48]);
    let verify = |shares: &[_]| craft_round2(&board, 1, shares).verify(&board);
    assert_eq!(verify(&[share(2), share(3)]), Ok(()));
    for wrong in [&[][..], &[2], &[3], &[3, 2], &[1, 2, 3], &[2, 2], &[2, 3, 3], &[2, 4]] {
        let shares: Vec<_> = wrong.iter().copied().map(share).collect();
        assert_eq!(verify(&shares), Err(Error::Recipients { dealer: 1 }), "{wrong:?}");
    }
    let identity = (3, G::identity(), S::zero(), [0; 48]);
    let refused = Error::IdentityEphemeralKey { dealer: 1, recipient: 3 };
    assert_eq!(verify(&[share(2), identity]), Err(refused));
}

/// A dealer who repeats another dealer's E and has garbage complained about would have the other's
/// K revealed, and with it the other's share.
#[test]
fn a_copied_ephemeral_key_is_refused() {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board1();
    let mut messages = committee.deal(&board);
    let victim = ephemeral(&messages[0], 1);
    let guess = S::from_u64(5);
    let shares = [(1, G::mul_generator(&guess), guess, [0; 48]), (3, victim, guess, [0; 48])];
    messages[1] = craft_round2(&board, 2, &shares);
    let board = Round2Board::new(board, messages).unwrap();
    assert_eq!(board.faults(), [Error::EphemeralProof { dealer: 2 }]);
    assert_eq!(board.dealers(), [1, 3]);
    assert_eq!(committee.respond(&board)[2].accused().count(), 0);
}

#[test]
fn contradictory_messages_do_not_count() {
    let committee = Committee::new(1, 3, CONTEXT);
    let mut messages = committee.round1.clone();
    messages.push(dkg::commit(&committee.params, 2, &mut rng(77)).unwrap().1);
    let board = Round1Board::new(committee.params.clone(), messages).unwrap();
    assert_eq!(board.faults(), [Error::Contradiction { trustee: 2, round: 1 }]);
    assert_eq!(board.participants(), [1, 3]);
    let mut messages = committee.deal(&board);
    messages.push(dkg::deal(&board, committee.secret(1), &mut rng(77)).unwrap());
    let board = Round2Board::new(board, messages).unwrap();
    assert_eq!(board.faults(), [Error::Contradiction { trustee: 1, round: 2 }]);
    let refused = dkg::deal(board.round1(), committee.secret(2), &mut rng(0)).err();
    assert_eq!(refused, Some(Error::UnknownTrustee { trustee: 2 }));
}

#[test]
fn complaints_are_judged_by_their_proof() {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board1();
    let mut messages = committee.deal(&board);
    let base = ephemeral(&messages[0], 1);
    messages[1] = deal_plain(&board, 2, [0; 32]);
    let board = Round2Board::new(board, messages).unwrap();
    let secret = *committee.transport(3).scalar();
    let other = S::from_u64(7);
    let judge = |message| {
        let confirmations = [1, 2].map(|trustee| confirmation(&board, trustee));
        let outcome = dkg::conclude(&board, [&confirmations[..], &[message]].concat()).unwrap();
        assert!(outcome.keys.qualified().contains(&1));
        outcome.faults
    };
    // A wrong K would make any share look bad.
    let unproven = [Error::ComplaintProof { accuser: 3, dealer: 1 }];
    for (claimed, proven) in [(other, secret), (other, other), (secret, other)] {
        assert_eq!(judge(craft_complaint(&board, 3, 1, base, claimed, proven)), unproven);
    }
    for dealer in [0, 3, 4] {
        let message = craft_complaint(&board, 3, dealer, base, secret, secret);
        assert_eq!(judge(message), [Error::ComplaintTarget { accuser: 3, dealer }]);
    }
    // A justified complaint, in its author's name and in another's.
    let justified = committee.respond(&board).remove(2);
    assert_eq!(judge(justified.clone()), [Error::BadShare { dealer: 2, recipient: 3 }]);
    let mut bytes = justified.to_bytes();
    bytes[0] = 1;
    let stolen = Round3Message::from_bytes(&bytes).unwrap();
    let answers = vec![stolen, confirmation(&board, 2), confirmation(&board, 3)];
    let outcome = dkg::conclude(&board, answers).unwrap();
    assert_eq!(outcome.faults, [Error::ComplaintProof { accuser: 1, dealer: 2 }]);
}

/// A second key generation with the same trustees, seeds and parameters but for the context.
#[test]
fn messages_of_another_election_are_refused() {
    let (one, two) = (Committee::new(2, 3, b"one"), Committee::new(2, 3, b"two"));
    for (message, i) in one.round1.iter().zip(1..) {
        let refused = Error::ContributionProof { dealer: i };
        assert_eq!(message.verify(&two.params), Err(refused));
    }
    let (board_one, board_two) = (one.board2(), two.board2());
    let mut messages = two.deal(board_two.round1());
    messages[0] = one.deal(board_one.round1()).remove(0);
    let board = Round2Board::new(board_two.round1().clone(), messages).unwrap();
    assert_eq!(board.faults(), [Error::EphemeralProof { dealer: 1 }]);

    // A sealed share is bound to its election even under the right keys and a valid proof.
    let known = [S::from_u64(3), S::zero()];
    let commitments = known.map(|a| G::mul_generator(&a));
    let constant = craft_round1(&two.params, 1, &commitments, known[0], S::one());
    let round1 = [&[constant], &two.round1[1..]].concat();
    let board = Round1Board::new(two.params.clone(), round1).unwrap();
    for (session, accepted) in [(board.digest(), true), (board_one.round1().digest(), false)] {
        let share = |j: u16| {
            let e = S::from_u64(j.into());
            let sealed = seal(&board, session, 1, j, &e, Scalar::encode(&known[0]));
            (j, G::mul_generator(&e), e, sealed)
        };
        let mut messages = vec![craft_round2(&board, 1, &[2, 3].map(share))];
        let deal = |i| dkg::deal(&board, two.secret(i), &mut round_rng(i, 2)).unwrap();
        messages.extend([2, 3].map(deal));
        let board = Round2Board::new(board.clone(), messages).unwrap();
        assert_eq!(board.faults(), []);
        let respond = |i| dkg::respond(&board, two.secret(i), &mut round_rng(i, 3)).unwrap();
        let outcome = dkg::conclude(&board, [2, 3].map(respond).to_vec()).unwrap();
        assert_eq!(outcome.keys.qualified().contains(&1), accepted);
    }

    let mut answers = two.respond(&board_two);
    answers[0] = one.respond(&board_one).remove(0);
    let outcome = dkg::conclude(&board_two, answers).unwrap();
    assert_eq!(outcome.faults, [Error::ViewMismatch { trustee: 1 }]);
}

#[test]
fn secrets_belong_to_one_key() {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board2();
    let outcome = dkg::conclude(&board, committee.respond(&board)).unwrap();
    let (stranger, _) = dkg::commit::<G>(&committee.params, 1, &mut rng(77)).unwrap();
    let refused = Error::ForeignSecret { trustee: 1 };
    assert_eq!(dkg::deal(board.round1(), &stranger, &mut rng(0)).err(), Some(refused.clone()));
    assert_eq!(dkg::respond(&board, &stranger, &mut rng(0)).err(), Some(refused.clone()));
    let derived = KeyShare::derive(&outcome.keys, &board, &stranger).err();
    assert_eq!(derived, Some(refused.clone()));
    // Keys that left out a dealer are not this board's honest outcome.
    let board1 = committee.board1();
    let mut messages = committee.deal(&board1);
    messages.remove(2);
    let smaller = Round2Board::new(board1, messages).unwrap();
    let derived = KeyShare::derive(&outcome.keys, &smaller, committee.secret(1)).err();
    assert_eq!(derived, Some(Error::UnknownTrustee { trustee: 3 }));
}
