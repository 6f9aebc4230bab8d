//! Senders whose parts are each proven but hold different values: ε and the shares of another
//! submission of the same sender, under a proof of the opening of γ that binds them. Nothing refuses
//! such a submission; it must hurt nobody but its sender. Shares of another sender open for nobody.

use algebra::{Group, Scalar};
use rand_chacha::ChaCha20Rng;
use shuffle::{sigma::KnowledgeProof, tw::Generators};
use trace::{Direction, IndexSet, MemoryJournal, TraceError};
use trace_db::*;
use transcript::{Transcript, TranscriptExt};
use wire::{Encode, Reader};

use super::support::*;

/// A sealed pair of shares: ephemeral key, its proof, length, two scalars, tag.
const SEALED_LEN: usize = 48 + KnowledgeProof::<G1>::ENCODED_LEN + 4 + 64 + 16;
/// The proof of the opening: an announcement and two responses.
const OPENING_LEN: usize = 48 + 64;
/// The sender's name, of one byte, and γ.
const HEAD_LEN: usize = 4 + 1 + 48;

/// What is taken from the other submission.
#[derive(Clone, Copy)]
enum Taken {
    Nothing,
    Encryptions,
    Shares,
}

/// A submission of a value with some parts of another, all proofs true.
fn craft(session: &Session, sender: u8, v: u64, other: &Submission, taken: Taken) -> Submission {
    let mut rng = rng(300 + u64::from(sender));
    // The sender knows its own blinding: the first scalar that it draws.
    let blinding = F::random(&mut rng.clone());
    let own = submission(session, sender, v, &mut rng);
    let commitment = *own.commitment();
    let [own, other] = [&own, other].map(Encode::to_bytes);
    let body = own.len() - OPENING_LEN;
    let shares = body - 4 - session.servers() * SEALED_LEN;
    let mut crafted = own[..body].to_vec();
    match taken {
        Taken::Nothing => {}
        Taken::Encryptions => {
            crafted[HEAD_LEN..shares].copy_from_slice(&other[HEAD_LEN..shares]);
        }
        Taken::Shares => crafted[shares..].copy_from_slice(&other[shares..body]),
    }
    let opening = prove(session, &crafted, commitment, [value(v), blinding]);
    crafted.extend(opening);
    let mut reader = Reader::new(&crafted);
    let submission = Submission::decode(&mut reader, session).unwrap();
    reader.finish().unwrap();
    submission
}

fn submission(session: &Session, sender: u8, v: u64, rng: &mut ChaCha20Rng) -> Submission {
    Submission::seal(session, session.paillier(), &[sender], &value(v), rng).unwrap()
}

/// The proof of the opening of γ, as the crate's documentation has it.
fn prove(session: &Session, body: &[u8], commitment: G1, secrets: [F; 2]) -> Vec<u8> {
    let h = G1::hash_to_group(b"subrosa/trace/db/H");
    let bases = [G1::generator(), h];
    let mut transcript = Transcript::new(b"subrosa/trace/db/submission/v1");
    transcript.absorb(b"session", session.id().as_bytes());
    transcript.absorb(b"ciphertext", body);
    transcript.absorb(b"proof", b"representations/v1");
    transcript.absorb(b"group", G1::NAME.as_bytes());
    transcript.absorb(b"bases", &G1::encode_all(&bases));
    transcript.absorb(b"points", &commitment.encode());
    let masks = [F::from_u64(11), F::from_u64(12)];
    let announcement = G1::msm(&masks, &bases);
    transcript.absorb(b"announcements", &announcement.encode());
    let c = F::from_wide(&transcript.challenge_wide(b"c"));
    let responses = [masks[0] - c * secrets[0], masks[1] - c * secrets[1]];
    [announcement.encode(), F::encode_all(&responses)].concat()
}

/// Three submissions of the values 4, 5, and `last`, of which the second is crafted with parts of a
/// submission of 9.
fn world(last: u64, taken: Taken, keys: Keys) -> World {
    let (session, shares) = session(2, keys);
    let mut rng = rng(31);
    let mut submissions = submit(&session, &[4, 5, last], &mut rng);
    let other = submission(&session, 1, 9, &mut rng);
    submissions[1] = craft(&session, 1, 5, &other, taken);
    World::with_submissions(session, shares, submissions, rng)
}

/// The output that shows a value.
fn output(world: &World, v: u64) -> u32 {
    world.outputs.values().iter().position(|own| *own == value(v)).unwrap() as u32
}

/// What both directions say about everything: yes and unproven; never no, as all is asked about.
fn ask(world: &mut World) -> [(IndexSet, IndexSet); 2] {
    let all = [0, 1, 2];
    [Direction::In, Direction::Out].map(|direction| {
        let verdict = world.trace(direction, &all, &all);
        assert_eq!(verdict.no, set(&[]), "a row that is not proven is no `no`");
        (verdict.yes, verdict.unproven)
    })
}

#[test]
fn the_senders_tool_is_sound() {
    let mut world = world(6, Taken::Nothing, Keys::Dealt);
    let everything = (set(&[0, 1, 2]), set(&[]));
    assert_eq!(ask(&mut world), [everything.clone(), everything]);
}

/// The shares prove for 9 what γ and ε hold for 5. DB-RSM takes no shares: γ and ε agree, and it holds.
#[test]
fn shares_of_another_value_make_their_row_unproven_going_in() {
    let mut world = world(6, Taken::Shares, Keys::Dealt);
    let [going_in, going_out] = ask(&mut world);
    assert_eq!(going_in, (set(&[0, 2]), set(&[1])));
    assert_eq!(going_out, (set(&[0, 1, 2]), set(&[])));
    // The pass over everything shows which row it is.
    let query = world.query(Direction::In, &[0, 1, 2], &[0, 1, 2]);
    let pass = world.pass(&query, Side::Asked);
    let reading = world.sm(pass);
    assert_eq!(reading.proven, [true, false, true]);
}

/// ε says 9, so that the output does; γ and the shares say 5. No direction proves anything about it.
#[test]
fn encryptions_of_another_value_make_their_row_unproven_both_ways() {
    let mut world = world(6, Taken::Encryptions, Keys::Bcp);
    let shown = output(&world, 9);
    let [going_in, going_out] = ask(&mut world);
    assert_eq!(going_in, (set(&[0, 2]), set(&[1])));
    let others: Vec<u32> = (0..3).filter(|&j| j != shown).collect();
    assert_eq!(going_out, (set(&others), set(&[shown])));
}

/// A "no" going out needs a proof for every output of the value: who encrypts another's value leaves
/// its "no" unproven. A "yes" stands, and going in nobody else is hurt.
#[test]
fn an_encryption_of_anothers_value_leaves_its_no_unproven_going_out() {
    let mut world = world(9, Taken::Encryptions, Keys::Dealt);
    let four = output(&world, 4);
    let nines: Vec<u32> = (0..3).filter(|&j| j != four).collect();
    let mut trace = |direction, inputs: &[u32], outputs: &[u32]| {
        let verdict = world.trace(direction, inputs, outputs);
        (verdict.yes, verdict.no, verdict.unproven)
    };
    let all = [0, 1, 2];
    let found = trace(Direction::Out, &[0], &all);
    assert_eq!(found, (set(&[four]), set(&[]), set(&nines)));
    let found = trace(Direction::Out, &[2], &all);
    assert_eq!(found, (set(&nines), set(&[four]), set(&[])));
    let found = trace(Direction::In, &all, &[four]);
    assert_eq!(found, (set(&[0]), set(&[2]), set(&[1])));
}

/// Who gets servers to use the victim's shares as its own learns the victim's value: the proof that
/// fails is about the known γ and the shared v. The copy is refused, with or without the victim's
/// submission: its shares are sealed for another name. So the victim's stands, although the copy may be
/// before it.
#[test]
fn sealed_shares_of_another_sender_open_for_nobody() {
    let (session, _) = session(2, Keys::Dealt);
    let victim = submission(&session, 0, 9, &mut rng(32));
    let copy = craft(&session, 1, 5, &victim, Taken::Shares);
    let both = Inputs::collect(session.clone(), vec![victim.clone(), copy.clone()]);
    assert!(matches!(both.err(), Some(TraceError::Ciphertext { submission: 1, .. })));
    let alone = Inputs::collect(session.clone(), vec![copy.clone()]);
    assert!(matches!(alone.err(), Some(TraceError::Ciphertext { submission: 0, .. })));
    let mut inputs = InputBox::new(session.clone());
    for submission in [copy.clone(), victim.clone()] {
        inputs.admit(submission).unwrap();
    }
    let (kept, refused) = inputs.close().unwrap();
    assert_eq!(kept.submissions(), [victim]);
    assert!(matches!(refused.as_slice(), [TraceError::Ciphertext { submission: 0, .. }]));

    let own = craft(&session, 1, 5, &copy, Taken::Nothing);
    let inputs = Inputs::collect(session.clone(), vec![own]).unwrap();
    let (_, shares) = super::support::session(2, Keys::Dealt);
    for (secret, share) in secrets(2).into_iter().zip(shares) {
        let mut server = Server::new(secret, session.clone(), share, nobody()).unwrap();
        let journal = &mut MemoryJournal::default();
        let unopened = server.commit_permutation(&inputs, &Generators::derive(1), journal);
        assert_eq!(unopened.unwrap(), [0_u32; 0]);
    }
}

/// A full box takes no more, and what it has is mixed.
#[test]
fn a_full_box_takes_no_more() {
    let (session, _) = session(2, Keys::Dealt);
    let seal = |sender| submission(&session, sender, 9, &mut rng(33 + u64::from(sender)));
    let mut inputs = InputBox::with_limit(session.clone(), 2);
    for sender in [0, 1] {
        inputs.admit(seal(sender)).unwrap();
    }
    assert_eq!(inputs.admit(seal(2)), Err(TraceError::Full { limit: 2 }));
    assert_eq!(inputs.close().unwrap().0.rows(), 2);
}
