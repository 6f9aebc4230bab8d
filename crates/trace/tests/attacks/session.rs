//! Attacks on key, inputs, mix and decryption: of `docs/trace-attacks.md`, once per session.

use std::sync::Arc;

use crate::support::*;
use algebra::{Embed, Group, Scalar};
use shuffle::{
    Column, ShuffleError,
    decrypt::{Decryption, PartialDecryption},
    dkg::Round1Message,
    sigma::KnowledgeProof,
    threshold_error::ThresholdError,
    tw::{self, CommittedPermutation, ListMasks, ListStatement, Passage, Permutation},
};
use trace::{routed::*, *};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Encode};

fn world() -> World {
    World::new(Shape { servers: 3, threshold: 2, messages: &["a", "b", "a", "c"], seed: 11 })
}

/// A message of round 1 with commitments of the dealer's choice, and honest proofs about them.
fn craft_round1(rules: &Rules, server: u16, coefficients: &[S]) -> Round1Message<G> {
    let mut rng = rng(5);
    let params = rules.key_params().unwrap();
    let commitments: Vec<G> = coefficients.iter().map(G::mul_generator).collect();
    let transport = S::random(&mut rng);
    let transport_key = G::mul_generator(&transport);
    let mut transcript = Transcript::new(b"subrosa/dkg/round1/v1");
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb_u64(b"threshold", params.threshold().into());
    transcript.absorb_u64(b"trustees", params.trustees().into());
    transcript.absorb(b"context", params.context());
    transcript.absorb_u64(b"trustee", server.into());
    transcript.absorb(b"commitments", &G::encode_all(&commitments));
    transcript.absorb(b"transport key", &Group::encode(&transport_key));
    let contribution = &commitments[..1];
    let first = KnowledgeProof::prove(&mut transcript, contribution, &coefficients[..1], &mut rng);
    let second = KnowledgeProof::prove(&mut transcript, &[transport_key], &[transport], &mut rng);
    let mut bytes = server.to_bytes();
    (commitments.len() as u32).encode(&mut bytes);
    bytes.extend(G::encode_all(&commitments));
    bytes.extend(Group::encode(&transport_key));
    first.encode(&mut bytes);
    second.encode(&mut bytes);
    Round1Message::from_bytes(&bytes).unwrap()
}

#[test]
fn a_dealer_with_t_plus_one_points_is_named() {
    let seeds = seeds(3, 12);
    let rules = rules(&seeds, 2, 1, 1);
    let mut transcript = key_transcript(&rules, &seeds);
    let coefficients = S::random_many(3, &mut rng(1));
    transcript.round1[1] = craft_round1(&rules, 2, &coefficients);
    let refused = Session::establish(rules.clone(), transcript.clone()).unwrap_err();
    let count = ThresholdError::CommitmentCount { dealer: 2, expected: 2, got: 3 };
    assert_eq!(refused, TraceError::KeyGeneration(count));
    assert_eq!(refused.culprit(), Some(2));

    // With t points the crafted message itself is fine: it is the count that was refused.
    transcript.round1[1] = craft_round1(&rules, 2, &coefficients[..2]);
    assert!(KeyTranscript::board1(&rules, transcript.round1).is_ok());
}

#[test]
fn a_rogue_contribution_needs_its_logarithm() {
    let seeds = seeds(2, 13);
    let rules = rules(&seeds, 2, 1, 1);
    let mut transcript = key_transcript(&rules, &seeds);
    // Server 2 takes server 1's message for its own: the same contribution, without its logarithm.
    let mut bytes = transcript.round1[0].to_bytes();
    bytes[0] = 2;
    transcript.round1[1] = Round1Message::from_bytes(&bytes).unwrap();
    let refused = Session::establish(rules, transcript).unwrap_err();
    assert_eq!(refused, TraceError::KeyGeneration(ThresholdError::ContributionProof { dealer: 2 }));
}

#[test]
fn every_server_takes_part_in_every_round() {
    let seeds = seeds(3, 14);
    let rules = rules(&seeds, 2, 1, 1);
    let honest = key_transcript(&rules, &seeds);
    let missing = |what| TraceError::Missing { what, expected: 3, got: 2 };
    let refused = |cut: fn(&mut KeyTranscript<G>)| {
        let mut transcript = honest.clone();
        cut(&mut transcript);
        Session::establish(rules.clone(), transcript).unwrap_err()
    };
    assert_eq!(refused(|t| drop(t.round1.pop())), missing("messages of round 1"));
    assert_eq!(refused(|t| drop(t.round2.pop())), missing("messages of round 2"));
    assert_eq!(refused(|t| drop(t.round3.pop())), missing("messages of round 3"));
}

#[test]
fn impossible_rules_are_refused() {
    let seeds = seeds(2, 1);
    let names: Vec<_> = seeds.iter().map(|s| ServerSecret::from_seed(s).identity().id()).collect();
    let make = |context: &[u8], names: &[board::AuthorId], t, blocks, ballots| {
        Rules::new(context, names.to_vec(), t, blocks, ballots)
    };
    assert!(make(b"x", &names, 2, 1, 1).is_ok());
    assert!(make(b"", &names, 2, 1, 1).is_err());
    assert!(make(&[0; 257], &names, 2, 1, 1).is_err());
    assert!(make(b"x", &[], 1, 1, 1).is_err());
    assert!(make(b"x", &[names[0], names[0]], 2, 1, 1).is_err());
    for (t, blocks, ballots) in [(0, 1, 1), (3, 1, 1), (2, 0, 1), (2, 17, 1), (2, 1, 0)] {
        assert!(make(b"x", &names, t, blocks, ballots).is_err(), "{t} {blocks} {ballots}");
    }
}

struct Booth {
    session: Arc<Session<G>>,
    rng: rand_chacha::ChaCha20Rng,
}

impl Booth {
    fn new(blocks: u16) -> Self {
        Self { session: session(&seeds(2, 15), 2, blocks, 2), rng: rng(6) }
    }

    fn seal(&mut self, sender: &[u8], number: u32, text: &str) -> Submission<G> {
        let block = G::embed(text.as_bytes()).unwrap();
        let blocks = vec![block; self.session.rules().blocks()];
        Submission::seal(&self.session, sender, number, &blocks, &mut self.rng).unwrap()
    }

    fn collect(&self, submissions: Vec<Submission<G>>) -> Result<Inputs<G>, TraceError> {
        Inputs::collect(self.session.clone(), submissions)
    }
}

/// The submission with another sender and number around the same ballot.
fn under_name(submission: &Submission<G>, sender: &[u8], number: u32) -> Submission<G> {
    let bytes = submission.to_bytes();
    let ballot = &bytes[4 + submission.sender().len() + 4..];
    let mut forged = Vec::new();
    wire::put_bytes(&mut forged, sender);
    number.encode(&mut forged);
    forged.extend_from_slice(ballot);
    Submission::from_bytes(&forged).unwrap()
}

#[test]
fn a_copied_ballot_is_refused() {
    let mut booth = Booth::new(1);
    let victim = booth.seal(b"victim", 1, "secret");
    let copy = under_name(&victim, b"copycat", 1);
    let refused = booth.collect(vec![victim.clone(), copy]).unwrap_err();
    assert_eq!(refused, TraceError::Submission(ThresholdError::BallotProof { ballot: 1 }));
    assert!(booth.collect(vec![victim]).is_ok());
}

#[test]
fn an_old_ballot_of_the_same_sender_is_refused() {
    let mut booth = Booth::new(1);
    let (first, second) = (booth.seal(b"ann", 1, "a"), booth.seal(b"ann", 2, "b"));
    let expect = |submissions: Vec<Submission<G>>, expected, got| {
        let submission = submissions.len() - 1;
        let refused = booth.collect(submissions).unwrap_err();
        assert_eq!(refused, TraceError::BallotNumber { submission, expected, got });
    };
    // Replayed as it was, out of order, or once too often.
    expect(vec![first.clone(), first.clone()], 2, 1);
    expect(vec![second.clone()], 1, 2);
    expect(vec![first.clone(), second.clone(), under_name(&first, b"ann", 3)], 3, 3);
    // Replayed under a new number: the proof names the old one.
    let refused = booth.collect(vec![first.clone(), under_name(&first, b"ann", 2)]).unwrap_err();
    assert_eq!(refused, TraceError::Submission(ThresholdError::BallotProof { ballot: 1 }));
    assert_eq!(booth.collect(vec![first, second]).unwrap().rows(), 1);
}

#[test]
fn blocks_of_two_ballots_are_not_joined() {
    let mut booth = Booth::new(2);
    let (first, second) = (booth.seal(b"ann", 1, "a"), booth.seal(b"ann", 2, "b"));
    // Count of columns, then 64 bytes a block.
    let start = 4 + 3 + 4 + 4;
    let mut joined = second.to_bytes();
    joined[start..start + 64].copy_from_slice(&first.to_bytes()[start..start + 64]);
    let joined = Submission::from_bytes(&joined).unwrap();
    assert!(joined.verify(&booth.session).is_err());
    let refused = booth.collect(vec![first, joined]).unwrap_err();
    assert_eq!(refused, TraceError::Submission(ThresholdError::BallotProof { ballot: 1 }));
}

#[test]
fn ballots_of_another_session_are_refused() {
    let mut booth = Booth::new(1);
    let ballot = booth.seal(b"ann", 1, "a");
    let other = session(&seeds(2, 16), 2, 1, 2);
    assert!(ballot.verify(&booth.session).is_ok());
    assert!(ballot.verify(&other).is_err());
    let short = Submission::seal(&other, b"ann", 1, &[], &mut booth.rng);
    assert!(matches!(short, Err(TraceError::Submission(_))));
    let block = G::generator();
    let nameless = Submission::seal(&other, b"", 1, &[block], &mut booth.rng);
    assert!(matches!(nameless, Err(TraceError::Sender { .. })));
    assert!(matches!(booth.collect(vec![]), Err(TraceError::Rows { rows: 0, .. })));
}

/// Servers who verify a mix again with some of its messages replaced.
fn verify_mix(
    world: &World,
    change: impl FnOnce(&mut Vec<PermutationMessage<G>>, &mut Vec<Turn<G>>),
) -> Result<Mixed<G>, TraceError> {
    let mixed = world.outputs.mixed();
    let (mut permutations, mut turns) = (mixed.messages().to_vec(), mixed.turns().to_vec());
    change(&mut permutations, &mut turns);
    Mixed::verify(mixed.inputs().clone(), permutations, turns, world.generators.clone())
}

#[test]
fn a_mix_by_another_permutation_than_committed_is_refused() {
    let world = world();
    assert!(verify_mix(&world, |_, _| {}).is_ok());
    // Server 2 moves and proves by another permutation, under its own name and place.
    let mixed = world.outputs.mixed();
    let session = *world.outputs.session().id();
    let mut rng = rng(8);
    let other = Permutation::random(4, &mut rng);
    let other = CommittedPermutation::commit(other, &world.generators, &mut rng).unwrap();
    let key = *world.outputs.session().keys().public_key();
    let before = &mixed.turns()[0].columns[0];
    let forward = tw::Direction::Forward;
    let moved = tw::shuffle_column(&other, forward, &key, before, &mut rng).unwrap();
    let passages = [Passage { key, before, after: &moved.column }];
    let purpose = mix_purpose(mixed.inputs(), mixed.messages());
    let context = tw::ListContext {
        study: session.as_bytes(),
        mix: b"trace",
        purpose: purpose.as_bytes(),
        mixer: 2,
        position: 2,
    };
    let statement = ListStatement { context, direction: forward, passages: &passages };
    let permutation = tw::PermutationContext { study: session.as_bytes(), mix: b"trace", mixer: 2 };
    let masks = ListMasks::prepare(4, &world.generators, &mut rng).unwrap();
    let proof =
        tw::prove_lists(&other, &permutation, &statement, &[&moved], masks, &mut rng).unwrap();
    let forged = Turn { columns: vec![moved.column.clone()], proof };
    let refused = verify_mix(&world, |_, turns| turns[1] = forged).err().unwrap();
    assert!(matches!(refused, TraceError::Shuffle { stage: "mix", server: 2, .. }), "{refused}");
}

/// List proofs are made when all permutations are proven: with another proof of the same permutation, even
/// an honest one, they prove nothing, in the mix and in a query about it.
#[test]
fn list_proofs_belong_to_finished_permutation_proofs() {
    let mut world = world();
    let (server, generators) = (&world.servers[1], &world.generators);
    let again = server.permutation(generators, &mut world.rng).unwrap();
    let mixed = world.outputs.mixed().clone();
    assert_eq!(again.commitment, mixed.messages()[1].commitment);
    assert_ne!(again.proof, mixed.messages()[1].proof);
    let refused = verify_mix(&world, |permutations, _| permutations[1] = again.clone());
    let refused = refused.err().unwrap();
    assert!(matches!(refused, TraceError::Shuffle { stage: "mix", server: 1, .. }), "{refused}");
    let few = server.mix(mixed.inputs(), &mixed.messages()[..2], &[], generators, &mut world.rng);
    assert!(matches!(few.err(), Some(TraceError::Missing { what: "permutations", .. })));
}

#[test]
fn permutations_belong_to_their_servers_and_their_session() {
    let world = world();
    let refused = verify_mix(&world, |permutations, _| permutations.swap(0, 1)).err().unwrap();
    assert!(matches!(refused, TraceError::Shuffle { stage: "permutation", server: 1, .. }));
    let refused = verify_mix(&world, |permutations, _| drop(permutations.pop())).err().unwrap();
    assert!(matches!(refused, TraceError::Missing { what: "permutations", .. }));
    let refused = verify_mix(&world, |_, turns| drop(turns.pop())).err().unwrap();
    assert!(matches!(refused, TraceError::Missing { what: "turns", .. }));
    let refused = verify_mix(&world, |_, turns| turns.swap(0, 1)).err().unwrap();
    assert!(matches!(refused, TraceError::Shuffle { stage: "mix", server: 1, .. }));

    let other =
        World::new(Shape { servers: 3, threshold: 2, messages: &["a", "b", "a", "c"], seed: 17 });
    let foreign = other.outputs.mixed().messages()[0].clone();
    let refused = verify_mix(&world, |permutations, _| permutations[0] = foreign).err().unwrap();
    assert!(matches!(refused, TraceError::Shuffle { stage: "permutation", server: 1, .. }));
}

#[test]
fn a_mixed_list_has_all_entries_once() {
    let world = world();
    let mut shorter = world.outputs.mixed().turns()[2].clone();
    let mut rows = shorter.columns[0].ciphertexts();
    rows.pop();
    shorter.columns[0] = Column::new(&rows);
    let refused = verify_mix(&world, |_, turns| turns[2] = shorter).err().unwrap();
    let length = ShuffleError::Length { what: "list", expected: 4, got: 3 };
    assert_eq!(refused, TraceError::Shuffle { stage: "mix", server: 3, error: length });

    let mut doubled = world.outputs.mixed().turns()[2].clone();
    let mut rows = doubled.columns[0].ciphertexts();
    rows[1] = rows[0];
    doubled.columns[0] = Column::new(&rows);
    let refused = verify_mix(&world, |_, turns| turns[2] = doubled).err().unwrap();
    assert!(matches!(refused, TraceError::Shuffle { stage: "mix", server: 3, .. }));
}

#[test]
fn nobody_decrypts_before_all_servers_signed_the_mix() {
    let mut world = world();
    let mixed = world.outputs.mixed().clone();
    let mut signatures: Vec<[u8; 64]> = world
        .servers
        .iter()
        .zip(&mut world.journals)
        .map(|(server, journal)| server.sign_mix(&mixed, journal).unwrap())
        .collect();
    signatures.swap(1, 2);
    let wrong = Agreement::new(signatures.clone());
    let refused = world.servers[0].decrypt(&mixed, &wrong, &mut world.rng).unwrap_err();
    assert_eq!(refused, TraceError::Disagreement { what: "mix", server: 2 });
    signatures.pop();
    let short = Agreement::new(signatures);
    let refused = world.servers[0].decrypt(&mixed, &short, &mut world.rng).unwrap_err();
    assert_eq!(refused, TraceError::Missing { what: "signatures", expected: 3, got: 2 });
    let partials = world.outputs.partials().to_vec();
    assert!(Outputs::open(mixed, short, partials).is_err());
}

#[test]
fn a_server_mixes_and_signs_once() {
    let mut world = world();
    let session = world.outputs.mixed().inputs().session().clone();
    // One ballot more: another input list in the same session.
    let mut submissions = world.outputs.mixed().inputs().submissions().to_vec();
    let block = G::embed(b"late").unwrap();
    submissions.push(Submission::seal(&session, b"late", 1, &[block], &mut world.rng).unwrap());
    let longer = Inputs::collect(session, submissions).unwrap();
    let generators = tw::Generators::derive(5);
    let refused = world.servers[0].commit(&longer, &generators, &mut world.journals[0]);
    assert_eq!(refused, Err(TraceError::Committed { server: 1, what: "the inputs" }));

    // The same inputs with another chain of the same permutations.
    let inputs = world.outputs.mixed().inputs().clone();
    let messages = world.outputs.mixed().messages().to_vec();
    let mut turns = Vec::new();
    for server in &world.servers {
        let (generators, rng) = (&world.generators, &mut world.rng);
        turns.push(server.mix(&inputs, &messages, &turns, generators, rng).unwrap());
    }
    let again = Mixed::verify(inputs, messages, turns, world.generators.clone()).unwrap();
    let refused = world.servers[0].sign_mix(&again, &mut world.journals[0]);
    assert_eq!(refused, Err(TraceError::Committed { server: 1, what: "the mix" }));
    let same = world.outputs.mixed().clone();
    assert!(world.servers[0].sign_mix(&same, &mut world.journals[0]).is_ok());
}

#[test]
fn a_server_signs_no_mix_with_somebody_elses_permutation_in_its_name() {
    let mut world = world();
    let mixed = world.outputs.mixed().clone();
    let restarted = |world: &World| {
        let secret = ServerSecret::from_seed(&world.seeds[0]);
        let session = mixed.inputs().session().clone();
        Server::new(secret, session, world.policy.clone()).unwrap()
    };
    // After a restart without its permutation it signs nothing; with it, it goes on.
    let mut server = restarted(&world);
    let refused = server.sign_mix(&mixed, &mut world.journals[0]);
    assert_eq!(refused, Err(TraceError::ForeignPermutation { server: 1 }));
    server.commit(mixed.inputs(), &world.generators, &mut world.journals[0]).unwrap();
    assert!(server.sign_mix(&mixed, &mut world.journals[0]).is_ok());

    // The others put a permutation of theirs, honestly proven, where server 1's should be.
    let mut rng = rng(3);
    let theirs = Permutation::random(4, &mut rng);
    let theirs = CommittedPermutation::commit(theirs, &world.generators, &mut rng).unwrap();
    let session = *world.outputs.session().id();
    let context = tw::PermutationContext { study: session.as_bytes(), mix: b"trace", mixer: 1 };
    let proof = tw::prove_permutation(&theirs, &world.generators, &context, &mut rng).unwrap();
    let mut permutations = mixed.messages().to_vec();
    permutations[0] = PermutationMessage { commitment: theirs.commitment().clone(), proof };
    let key = *world.outputs.session().keys().public_key();
    let before = &mixed.inputs().columns()[0];
    let forward = tw::Direction::Forward;
    let moved = tw::shuffle_column(&theirs, forward, &key, before, &mut rng).unwrap();
    let passages = [Passage { key, before, after: &moved.column }];
    let purpose = mix_purpose(mixed.inputs(), &permutations);
    let list = tw::ListContext {
        study: session.as_bytes(),
        mix: b"trace",
        purpose: purpose.as_bytes(),
        mixer: 1,
        position: 1,
    };
    let statement = ListStatement { context: list, direction: forward, passages: &passages };
    let masks = ListMasks::prepare(4, &world.generators, &mut rng).unwrap();
    let proof = tw::prove_lists(&theirs, &context, &statement, &[&moved], masks, &mut rng).unwrap();
    let mut turns = vec![Turn { columns: vec![moved.column.clone()], proof }];
    for number in [1, 2] {
        let (server, inputs) = (&world.servers[number], mixed.inputs());
        let turn = server.mix(inputs, &permutations, &turns, &world.generators, &mut rng);
        turns.push(turn.unwrap());
    }
    let replaced =
        Mixed::verify(mixed.inputs().clone(), permutations, turns, world.generators.clone());
    let refused = server.sign_mix(&replaced.unwrap(), &mut world.journals[0]);
    assert_eq!(refused, Err(TraceError::ForeignPermutation { server: 1 }));
}

#[test]
fn a_false_decryption_share_is_named_and_the_rest_suffices() {
    let world = world();
    let mixed = world.outputs.mixed().clone();
    // Server 2 decrypts honestly, but another list.
    let share = world.key_share(2);
    let key = world.outputs.session().keys();
    let other = [key.public_key().encrypt(&G::generator(), &S::from_u64(5)); 4];
    let context = [b"trace/outputs".as_slice(), mixed.digest().as_bytes()].concat();
    let partial =
        Decryption::new(key, &other, &context).decrypt_partially(&share, &mut rng(2)).unwrap();
    let mut partials: Vec<PartialDecryption<G>> = world.outputs.partials().to_vec();
    partials[1] = partial.message().clone();
    let open = |partials: &[PartialDecryption<G>]| {
        Outputs::open(mixed.clone(), world.outputs.agreement().clone(), partials.to_vec())
    };
    let outputs = open(&partials).unwrap();
    assert_eq!(outputs.faults(), [ThresholdError::PartialProof { trustee: 2 }]);
    assert_eq!(outputs.values(), world.outputs.values());
    // Without the third, t = 2 are not left.
    let refused = open(&partials[..2]).err().unwrap();
    assert_eq!(refused.culprit(), Some(2));
    let refused = open(&partials[..1]).err().unwrap();
    let few = ThresholdError::TooFewPartials { needed: 2, got: 1 };
    assert_eq!(refused, TraceError::Decryption(few));
}
