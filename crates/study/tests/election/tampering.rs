//! Boards that were changed by somebody with every signing key: the verifier says where and by whom.

use algebra::Ristretto255;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::election::{Booth, Message, Outcome, Role, SignedBallot};

use crate::common::{Honest, OPERATOR, Said, party, refused};

/// Edits the one batch of ballots.
fn ballots(script: &mut [Said], edit: impl FnOnce(&mut Vec<SignedBallot>)) {
    let batch = script.iter_mut().find(|said| said.kind == "ballots").unwrap();
    batch.edit(|message| match message {
        Message::Ballots(ballots) => edit(ballots),
        _ => unreachable!(),
    });
}

/// Edits the mix of a mixer.
fn mix(script: &mut [Said], mixer: u16, edit: impl FnOnce(&mut shuffle::Mix<Ristretto255>)) {
    let by = party(Role::Mixer, mixer);
    script.iter_mut().find(|said| said.by == by).unwrap().edit(|message| match message {
        Message::Mix(mix) => edit(mix),
        _ => unreachable!(),
    });
}

fn outcome(script: &mut [Said], edit: impl FnOnce(&mut Outcome)) {
    script.last_mut().unwrap().edit(|message| match message {
        Message::Outcome(outcome) => edit(outcome),
        _ => unreachable!(),
    });
}

/// A ballot for another choice, sealed with this voter's credential.
fn other_ballot(voter: u32, credential: usize) -> SignedBallot {
    let world = &Honest::get().world;
    let session = study::election::Session::open(world.boxed(), None).unwrap();
    let booth: Booth = session.election().booth().unwrap().clone();
    let ranking = booth.layout.ranking(0).unwrap().ranking([2]).unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(1000);
    booth.seal(voter, &world.credentials[credential], &ranking, &mut rng).unwrap()
}

#[test]
fn the_honest_election_verifies() {
    let honest = Honest::get();
    honest.verdict(&honest.entries, &honest.statement).unwrap();
    let signed_again = honest.world.forge(&honest.script);
    assert_eq!(signed_again, honest.entries, "forging is what the parties do");
}

#[test]
fn a_ballot_dropped() {
    let verdict = Honest::get().forged(|script| ballots(script, |batch| drop(batch.remove(3))));
    let why = ["7 ballots accepted and 0 refused", "the board has 6 and 0"];
    refused(verdict, "casting", OPERATOR, &why);
}

#[test]
fn a_ballot_doubled() {
    let verdict =
        Honest::get().forged(|script| ballots(script, |batch| batch.push(batch[2].clone())));
    let why = ["the board has 7 and 1", "ballot 7 of entry 12, V2", "voter of ballot 2"];
    refused(verdict, "casting", OPERATOR, &why);
}

#[test]
fn a_ballot_replaced_without_the_credential() {
    let mut forged = other_ballot(3, 4);
    forged.voter = 3;
    let verdict = Honest::get().forged(|script| ballots(script, |batch| batch[3] = forged));
    let why = ["the board has 6 and 1", "ballot 3 of entry 12, V3: the voter's signature is false"];
    refused(verdict, "casting", OPERATOR, &why);
}

#[test]
fn a_ballot_replaced_by_another_ciphertext_under_the_old_signature() {
    let other = other_ballot(3, 3);
    let verdict =
        Honest::get().forged(|script| ballots(script, |batch| batch[3].ballot = other.ballot));
    refused(verdict, "casting", OPERATOR, &["ballot 3 of entry 12, V3", "signature is false"]);
}

#[test]
fn a_ballot_replaced_with_the_help_of_its_voter() {
    let other = other_ballot(3, 3);
    let verdict = Honest::get().forged(|script| ballots(script, |batch| batch[3] = other));
    refused(verdict, "casting", OPERATOR, &["about other ballots, or another order"]);
}

#[test]
fn a_ballot_replaced_and_the_closing_with_it() {
    let other = other_ballot(3, 3);
    let honest = Honest::get();
    let mut script = honest.script.clone();
    ballots(&mut script, |batch| batch[3] = other);
    let casting = honest.places("ballots")[0];
    // The right closing for the wrong ballots, computed as the operator would.
    let world = crate::common::World::new(crate::common::draft(), 7);
    for (place, said) in script[..=casting].iter().enumerate() {
        let identity = world.identity(said.by);
        match place {
            0 => drop(
                board::Board::create(world.boxed(), &identity, &said.kind, &said.payload).unwrap(),
            ),
            _ => world.say(&mut world.session(), said),
        }
    }
    let closing = Message::Close(world.session().election().closing().unwrap());
    let verdict = honest.forged(|changed| {
        *changed = script;
        changed[casting + 1] = Said::new(OPERATOR, &closing);
    });
    refused(verdict, "mixing", party(Role::Mixer, 1), &["equation (L"]);
}

#[test]
fn two_ballots_swapped() {
    let verdict = Honest::get().forged(|script| ballots(script, |batch| batch.swap(1, 5)));
    refused(verdict, "casting", OPERATOR, &["about other ballots, or another order"]);
}

#[test]
fn a_ballot_handed_to_another_voter() {
    let verdict = Honest::get().forged(|script| ballots(script, |batch| batch[3].voter = 4));
    refused(verdict, "casting", OPERATOR, &["ballot 3 of entry 12, V4", "signature is false"]);
}

#[test]
fn two_outputs_of_a_mix_swapped() {
    for mixer in 1..=3 {
        let verdict = Honest::get().forged(|script| {
            mix(script, mixer, |mix| {
                let mut rows = mix.outputs[0].ciphertexts();
                rows.swap(0, 4);
                mix.outputs[0] = shuffle::Column::new(&rows);
            });
        });
        refused(verdict, "mixing", party(Role::Mixer, mixer), &["equation (L"]);
    }
}

#[test]
fn an_output_of_a_mix_replaced() {
    let verdict = Honest::get().forged(|script| {
        mix(script, 2, |mix| {
            let mut rows = mix.outputs[0].ciphertexts();
            rows[6] = rows[5];
            mix.outputs[0] = shuffle::Column::new(&rows);
        });
    });
    refused(verdict, "mixing", party(Role::Mixer, 2), &["equation (L"]);
}

#[test]
fn an_output_of_a_mix_dropped() {
    let verdict = Honest::get().forged(|script| {
        let place = script.iter().position(|said| said.kind == "mix").unwrap();
        let payload = &mut script[place].payload;
        payload[0] -= 1;
    });
    refused(verdict, "mixing", party(Role::Mixer, 1), &["(entry 14)"]);
}

#[test]
fn a_permutation_proof_altered() {
    let verdict = Honest::get().forged(|script| {
        mix(script, 3, |mix| {
            let proof = mix.proof.as_mut().unwrap();
            let responses = &mut proof.permutation.responses;
            responses.challenges.swap(0, 1);
        });
    });
    refused(verdict, "mixing", party(Role::Mixer, 3), &["equation (P"]);
}

#[test]
fn the_entries_of_two_mixers_exchanged() {
    let honest = Honest::get();
    let [first, second, _] = honest.places("mix")[..] else { panic!() };
    let verdict = honest.forged(|script| script.swap(first, second));
    refused(verdict, "mixing", party(Role::Mixer, 2), &["`mix` is out of turn"]);
    let verdict = honest.forged(|script| {
        let mix = script[first].payload.clone();
        script[first].payload = std::mem::replace(&mut script[second].payload, mix);
    });
    refused(verdict, "mixing", party(Role::Mixer, 1), &["equation (P"]);
}

#[test]
fn one_point_of_a_trustees_share_altered() {
    let honest = Honest::get();
    for place in honest.places("decryption") {
        let by = honest.script[place].by;
        let verdict = honest.forged(|script| {
            // D_3 becomes D_2; trustee and count take 6 bytes.
            let payload = &mut script[place].payload;
            payload.copy_within(6 + 2 * 32..6 + 3 * 32, 6 + 3 * 32);
        });
        let why = ["the proof of correct partial decryption is false"];
        refused(verdict, "decryption", by, &why);
    }
}

#[test]
fn a_share_in_the_name_of_another_trustee() {
    let honest = Honest::get();
    let [first, second, ..] = honest.places("decryption")[..] else { panic!() };
    let by = honest.script[first].by;
    let verdict = honest.forged(|script| script[first].payload = script[second].payload.clone());
    refused(verdict, "decryption", by, &["in the name of another trustee"]);
    let verdict = honest.forged(|script| {
        let own = script[first].payload[..2].to_vec();
        script[first].payload = script[second].payload.clone();
        script[first].payload[..2].copy_from_slice(&own);
    });
    refused(verdict, "decryption", by, &["the proof of correct partial decryption is false"]);
}

#[test]
fn a_contribution_to_the_key_altered() {
    let honest = Honest::get();
    for place in honest.places("key/commitments") {
        let by = honest.script[place].by;
        // The last response of the proofs.
        let verdict = honest.forged(|script| {
            let payload = &mut script[place].payload;
            let end = payload.len();
            payload[end - 32] ^= 1;
        });
        let why = ["the proof of knowledge of the transport key is false"];
        refused(verdict, "key generation", by, &why);
    }
}

#[test]
fn the_closing_altered() {
    let honest = Honest::get();
    let place = honest.places("election/close")[0];
    let edits: [fn(&mut study::election::Close); 4] = [
        |close| close.accepted -= 1,
        |close| close.refused += 1,
        |close| close.ballots = wire::Digest::from([7; 32]),
        |close| (close.accepted, close.refused) = (close.refused, close.accepted),
    ];
    for edit in edits {
        let verdict = honest.forged(|script| {
            script[place].edit(|message| match message {
                Message::Close(close) => edit(close),
                _ => unreachable!(),
            });
        });
        refused(verdict, "casting", OPERATOR, &["the closing"]);
    }
}

#[test]
fn the_outcome_altered() {
    let honest = Honest::get();
    let verdict = honest.forged(|script| {
        outcome(script, |outcome| {
            let text = String::from_utf8(outcome.tally.clone()).unwrap();
            assert!(text.contains("\"blank\":1"));
            outcome.tally = text.replace("\"blank\":1", "\"blank\":0").into_bytes();
        });
    });
    refused(verdict, "decryption", OPERATOR, &["do not count to this tally"]);
    for faults in [vec![3], vec![99], vec![1, 2]] {
        let verdict = honest.forged(|script| outcome(script, |outcome| outcome.faults = faults));
        refused(verdict, "decryption", OPERATOR, &["other refused entries"]);
    }
}

#[test]
fn a_fault_that_nobody_published() {
    let honest = Honest::get();
    let garbage =
        Said { by: party(Role::Mixer, 2), kind: "mix".into(), payload: b"garbage".to_vec() };
    // The outcome does not know of it, or knows of another one.
    for published in [vec![], vec![5]] {
        let verdict = honest.forged(|script| {
            script.insert(4, garbage.clone());
            outcome(script, |outcome| outcome.faults = published);
        });
        refused(verdict, "key generation", party(Role::Mixer, 2), &["(entry 4)"]);
    }
}
