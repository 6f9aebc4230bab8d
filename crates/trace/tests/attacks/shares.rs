//! Attacks on shares, their proofs, their seals, and complaints: of `docs/trace-attacks.md`.

use crate::support::*;
use algebra::{Group, Scalar};
use shuffle::{
    Ciphertext, SecretKey,
    decrypt::{Decryption, PartialDecryption},
    sigma::{EqualityProof, EqualityStatement},
    threshold_error::ThresholdError,
};
use trace::{routed::*, *};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Digest, Encode};

const MESSAGES: [&str; 4] = ["a", "b", "a", "c"];

fn world(threshold: u16) -> World {
    World::new(Shape { servers: 3, threshold, messages: &MESSAGES, seed: 31 })
}

fn ask(world: &mut World) -> Agreed<G> {
    let question = question(&[0, 1], &[0, 1, 2, 3]);
    let query = world.ask(Direction::Out, By::Position, vec![question]);
    world.agreed(&query)
}

/// The last list: what a request by position about all rows opens.
fn opened(agreed: &Agreed<G>) -> Vec<Ciphertext<G>> {
    agreed.turns().last().unwrap().columns[0].ciphertexts()
}

fn decrypt(
    world: &World,
    agreed: &Agreed<G>,
    server: u16,
    ciphertexts: &[Ciphertext<G>],
) -> PartialDecryption<G> {
    let keys = world.outputs.session().keys();
    let context = share_context(agreed, 0);
    Decryption::new(keys, ciphertexts, &context)
        .decrypt_partially(&world.key_share(server), &mut rng(1))
        .unwrap()
        .message()
        .clone()
}

#[test]
fn fewer_than_t_shares_answer_nothing() {
    let mut world = world(2);
    let agreed = ask(&mut world);
    let shares = world.shares(&agreed, 0);
    let read = |shares: &[SealedShare<G>]| world.querier.read(&agreed, 0, shares).unwrap().answer;
    let few = |got| TraceError::Decryption(ThresholdError::TooFewPartials { needed: 2, got });
    assert_eq!(read(&[]), Err(few(0)));
    assert_eq!(read(&shares[..1]), Err(few(1)));
    // One server's share twice is one share.
    assert_eq!(read(&[shares[0].clone(), shares[0].clone()]), Err(few(1)));
    let answer = read(&shares).unwrap();
    for pair in [[0, 1], [0, 2], [1, 2]] {
        assert_eq!(read(&pair.map(|server: usize| shares[server].clone())), Ok(answer.clone()));
    }
}

#[test]
fn the_forgers_tool_is_sound() {
    let mut world = world(3);
    let agreed = ask(&mut world);
    let mut shares = world.shares(&agreed, 0);
    let honest = decrypt(&world, &agreed, 2, &opened(&agreed));
    shares[1] = world.forge(&agreed, 2, &honest);
    let reading = world.querier.read(&agreed, 0, &shares).unwrap();
    assert_eq!(reading.faults, []);
    assert!(reading.answer.is_ok());
}

#[test]
fn a_false_share_names_its_server_and_the_rest_suffices() {
    let mut world = world(2);
    let agreed = ask(&mut world);
    let mut shares = world.shares(&agreed, 0);
    let truth = world.querier.read(&agreed, 0, &shares).unwrap().answer.unwrap();
    let mut rows = opened(&agreed);

    // For another ciphertext, for one more than was asked, for one less.
    let generator = Ciphertext { c1: G::generator(), c2: G::identity() };
    rows[3] = generator;
    let other = decrypt(&world, &agreed, 2, &rows);
    rows = opened(&agreed);
    rows.push(generator);
    let more = decrypt(&world, &agreed, 2, &rows);
    rows.truncate(3);
    let less = decrypt(&world, &agreed, 2, &rows);
    for (partial, error) in [
        (other, ThresholdError::PartialProof { trustee: 2 }),
        (more, ThresholdError::PartialLength { trustee: 2, expected: 4, got: 5 }),
        (less, ThresholdError::PartialLength { trustee: 2, expected: 4, got: 3 }),
    ] {
        shares[1] = world.forge(&agreed, 2, &partial);
        let reading = world.querier.read(&agreed, 0, &shares).unwrap();
        assert_eq!(reading.faults, [TraceError::FalseShare { server: 2, error }]);
        assert_eq!(reading.faults[0].culprit(), Some(2));
        assert_eq!(reading.answer, Ok(truth.clone()));
        assert_eq!(reading.shares.len(), 2);
    }
    // Another server's share, signed as one's own.
    let third = decrypt(&world, &agreed, 3, &opened(&agreed));
    shares[1] = world.forge(&agreed, 2, &third);
    let reading = world.querier.read(&agreed, 0, &shares).unwrap();
    let error = ThresholdError::UnknownTrustee { trustee: 3 };
    assert_eq!(reading.faults, [TraceError::FalseShare { server: 2, error }]);
}

/// A querier gets shares for the rows of its question and for no others, whatever it asks for again.
#[test]
fn only_the_rows_asked_about_are_opened() {
    let mut world = world(2);
    let query = world.ask(Direction::Out, By::Position, vec![question(&[0, 1], &[1, 3])]);
    let agreed = world.agreed(&query);
    let rows = opened(&agreed);
    let asked = [rows[1], rows[3]];
    // Before the partial decryption: server, query, digest, request. In it: server, count, points.
    let (before, points) = (2 + 32 + 32 + 4, 2 + 4 + 2 * 32);
    for (server, share) in (1..).zip(&world.shares(&agreed, 0)) {
        let message = partial_of(&world, &agreed, share);
        let expected = decrypt(&world, &agreed, server, &asked).to_bytes();
        assert_eq!(message[before..before + points], expected[..points]);
        assert_eq!(message.len(), before + expected.len() + 64);
    }
    let (server, journal) = (&mut world.servers[0], &mut world.journals[0]);
    assert!(server.share(&agreed, 1, journal, &mut world.rng).is_err());
}

/// A partial decryption with points and a proving exponent of the server's choice.
fn craft_partial(
    world: &World,
    agreed: &Agreed<G>,
    server: u16,
    points: &[G],
    exponent: impl Fn(&[u128]) -> S,
) -> PartialDecryption<G> {
    let keys = world.outputs.session().keys();
    let first: Vec<G> = opened(agreed).iter().map(|ciphertext| ciphertext.c1).collect();
    let public = *keys.verification_key(server).unwrap();
    let mut transcript = Transcript::new(b"subrosa/shuffle/decrypt/v1");
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"context", &share_context(agreed, 0));
    let digest = Digest::of("shuffle/keys", &keys.to_bytes());
    transcript.absorb(b"keys", digest.as_bytes());
    transcript.absorb(b"c1", &G::encode_all(&first));
    transcript.absorb_u64(b"trustee", server.into());
    transcript.absorb(b"X", &Group::encode(&public));
    transcript.absorb(b"D", &G::encode_all(points));
    let weights = transcript.challenge_shorts(b"w", points.len());
    let base = G::msm_short(&weights, &first);
    let image = G::msm_short(&weights, points);
    let statement = EqualityStatement { public, base, image };
    let proof = EqualityProof::prove(&mut transcript, &statement, &exponent(&weights), &mut rng(3));
    let mut bytes = server.to_bytes();
    (points.len() as u32).encode(&mut bytes);
    bytes.extend(G::encode_all(points));
    proof.encode(&mut bytes);
    PartialDecryption::from_bytes(&bytes).unwrap()
}

#[test]
fn colluding_servers_who_know_the_logarithms_cannot_flip_an_answer() {
    // One equation in a cyclic group always has some exponent: whoever knows the logarithm ρ_j of
    // every first component and shifts a share by G solves
    // `δ_0·X + Σ δ_j D_j = x'·(δ_0·G + Σ δ_j c1_j)` for x'. It proves with that x' and, for good
    // measure, with the one that fits the second equation alone.
    let mut world = world(3);
    let agreed = ask(&mut world);
    let shares = world.shares(&agreed, 0);
    let truth = world.querier.read(&agreed, 0, &shares).unwrap().answer.unwrap();

    // All keys and all randomness are known to the coalition: the same for a stand-in of known
    // logarithms shows that the folded equation holds for the flipped share.
    let mut generator = rng(6);
    let (secret, rho) = (S::random(&mut generator), S::random_many(4, &mut generator));
    let delta = S::random_many(5, &mut generator);
    let public = G::mul_generator(&secret);
    let firsts: Vec<G> = rho.iter().map(G::mul_generator).collect();
    let mut flipped: Vec<G> = firsts.iter().map(|first| first.mul(&secret)).collect();
    flipped[2] += G::generator();
    let base_log = delta[0] + (0..4).map(|j| delta[j + 1] * rho[j]).sum::<S>();
    let image_log = base_log * secret + delta[3];
    let folded = image_log * Scalar::invert(&base_log).unwrap();
    let base = G::mul_generator(&delta[0]) + G::msm(&delta[1..], &firsts);
    let image = public.mul(&delta[0]) + G::msm(&delta[1..], &flipped);
    assert_eq!(base.mul(&folded), image, "the folded equation is satisfied by a false share");

    // Against the two equations it is not: server 2's share, shifted, with any exponent.
    let honest = decrypt(&world, &agreed, 2, &opened(&agreed)).to_bytes();
    let mut points: Vec<G> =
        (0..4).map(|j| <G as Group>::decode(&honest[6 + 32 * j..][..32]).unwrap()).collect();
    let same = craft_partial(&world, &agreed, 2, &points, |_| S::one());
    assert_eq!(same.to_bytes()[..6 + 128], honest[..6 + 128], "the tool writes what servers write");
    points[2] += G::generator();
    for exponent in [folded, secret, S::one(), S::zero()] {
        let partial = craft_partial(&world, &agreed, 2, &points, |_| exponent);
        let mut forged = shares.clone();
        forged[1] = world.forge(&agreed, 2, &partial);
        let reading = world.querier.read(&agreed, 0, &forged).unwrap();
        let error = ThresholdError::PartialProof { trustee: 2 };
        assert_eq!(reading.faults, [TraceError::FalseShare { server: 2, error }]);
        assert!(reading.answer.is_err());
    }
    let reading = world.querier.read(&agreed, 0, &shares).unwrap();
    assert_eq!(reading.answer, Ok(truth));
}

#[test]
fn keys_off_the_polynomial_prove_nothing() {
    // Server 2 decrypts consistently under x' of its own choice, and proves log_A B = x'. The
    // verification key is the one that the dealers' commitments give, never a claimed one.
    let mut world = world(3);
    let agreed = ask(&mut world);
    let own = SecretKey::<G>::generate(&mut rng(7));
    let points: Vec<G> = opened(&agreed).iter().map(|c| c.c1.mul(own.scalar())).collect();
    let partial = craft_partial(&world, &agreed, 2, &points, |_| *own.scalar());
    let mut shares = world.shares(&agreed, 0);
    shares[1] = world.forge(&agreed, 2, &partial);
    let reading = world.querier.read(&agreed, 0, &shares).unwrap();
    assert_eq!(reading.faults[0].culprit(), Some(2));
    assert!(reading.answer.is_err());
}

#[test]
fn shares_belong_to_their_query_request_and_server() {
    let mut world = world(2);
    let (first, second) = (ask(&mut world), ask(&mut world));
    let shares = world.shares(&first, 0);
    // Another query's lists: the seal does not open, and counts as missing.
    let reading = world.querier.read(&second, 0, &shares).unwrap();
    assert_eq!(reading.faults[0], TraceError::UnreadableShare { server: 1 });
    assert_eq!(reading.faults.len(), 3);
    // Sent on as another server's own.
    let mut copied = shares[0].clone();
    copied.server = 2;
    let reading = world.querier.read(&first, 0, &[copied]).unwrap();
    assert_eq!(reading.faults, [TraceError::UnreadableShare { server: 2 }]);
    // Opened elsewhere and published again: the messages name their query.
    let messages: Vec<ShareMessage<G>> = world.querier.read(&first, 0, &shares).unwrap().shares;
    let reading = second.read(0, &messages).unwrap();
    assert_eq!(reading.faults[0], TraceError::DisputedShare { server: 1 });
    assert!(reading.answer.is_err());
    assert!(matches!(first.read(1, &messages), Err(TraceError::Query(_))));
    // A stranger reads nothing.
    let stranger = Querier::<G>::new(
        board::Identity::generate(&mut world.rng),
        SecretKey::generate(&mut world.rng),
    );
    let reading = stranger.read(&first, 0, &shares).unwrap();
    assert_eq!(reading.faults.len(), 3);
}

#[test]
fn a_server_sends_the_same_share_again() {
    let mut world = world(2);
    let agreed = ask(&mut world);
    let first = world.shares(&agreed, 0);
    let again = world.shares(&agreed, 0);
    assert_eq!(first, again);
    // Also after a restart from its secret, the board and its journal.
    let mixed = world.outputs.mixed().clone();
    let session = mixed.inputs().session().clone();
    let secret = ServerSecret::from_seed(&world.seeds[1]);
    let mut server = Server::new(secret, session, world.policy.clone()).unwrap();
    server.commit(mixed.inputs(), &world.generators, &mut world.journals[1]).unwrap();
    let restarted = server.share(&agreed, 0, &mut world.journals[1], &mut world.rng).unwrap();
    assert_eq!(restarted, first[1]);
}

#[test]
fn no_share_without_the_servers_own_signature() {
    let mut world = world(2);
    let agreed = ask(&mut world);
    // A journal that does not know the digest: lost, or of a restored snapshot.
    let mut lost = MemoryJournal::default();
    let refused = world.servers[0].share(&agreed, 0, &mut lost, &mut world.rng).err();
    assert_eq!(refused, Some(TraceError::Committed { server: 1, what: "the query" }));
}

#[test]
fn every_signature_under_the_agreed_digest_counts() {
    let mut world = world(2);
    let agreed = ask(&mut world);
    let record = QueryRecord::of(&agreed);
    let honest = record.agreement.to_bytes();
    for server in 0..3 {
        let mut bytes = honest.clone();
        bytes[2 + 64 * server + 40] ^= 1;
        let agreement = Agreement::from_bytes(&bytes).unwrap();
        let forged = QueryRecord { agreement, ..record.clone() };
        let refused = forged.verify(world.outputs.ground()).err().unwrap();
        assert_eq!(refused.culprit(), Some(server as u16 + 1));
    }
    let short = Agreement::new(vec![]);
    let forged = QueryRecord { agreement: short, ..record };
    assert!(matches!(forged.verify(world.outputs.ground()), Err(TraceError::Missing { .. })));
}

#[test]
fn a_complaint_shows_a_false_share_and_nothing_else() {
    let mut world = world(2);
    let agreed = ask(&mut world);
    let shares = world.shares(&agreed, 0);
    let mut rows = opened(&agreed);
    rows[0] = Ciphertext { c1: G::generator(), c2: G::identity() };
    let partial = decrypt(&world, &agreed, 2, &rows);
    let forged = world.forge(&agreed, 2, &partial);
    let complaint = world.querier.complain(&agreed, 0, &forged, &mut world.rng).unwrap();
    let fault = complaint.judge(&agreed).unwrap();
    assert!(matches!(fault, TraceError::FalseShare { server: 2, .. }));
    let complaint = Complaint::<G>::from_bytes(&complaint.to_bytes()).unwrap();
    assert!(complaint.judge(&agreed).is_ok());

    // Nothing is wrong with an honest server's message: no complaint leaves the querier, and one
    // that is made by hand shows nothing.
    let refused = world.querier.complain(&agreed, 0, &shares[0], &mut world.rng);
    assert!(matches!(refused, Err(TraceError::Complaint { server: 1, .. })));
    let splice = |share: &SealedShare<G>| {
        let old = forged.to_bytes();
        let bytes = complaint.to_bytes();
        let mut spliced = bytes[..4].to_vec();
        share.encode(&mut spliced);
        spliced.extend_from_slice(&bytes[4 + old.len()..]);
        Complaint::<G>::from_bytes(&spliced).unwrap()
    };
    assert!(matches!(splice(&shares[0]).judge(&agreed), Err(TraceError::Complaint { .. })));
    // About another query it shows nothing either.
    let other = ask(&mut world);
    assert!(matches!(complaint.judge(&other), Err(TraceError::Complaint { server: 2, .. })));
}

#[test]
fn nobody_gets_an_honest_message_published_by_a_complaint() {
    let mut world = world(2);
    let agreed = ask(&mut world);
    let shares = world.shares(&agreed, 0);
    let unreadable = TraceError::UnreadableShare { server: 2 };
    // Server 2 sends server 1's message as its own, as it is or renamed inside.
    let mut copied = shares[0].clone();
    copied.server = 2;
    let refused = world.querier.complain(&agreed, 0, &copied, &mut world.rng);
    assert_eq!(refused, Err(unreadable.clone()));
    // Server 2 seals server 1's opened message: it opens as sent by 2, but is signed by 1.
    let inner = partial_of(&world, &agreed, &shares[0]);
    let context = seal_context(&agreed, 0, 2);
    let resealed = seal(&world.querier_key.clone(), &context, 2, &inner, &mut world.rng);
    let refused = world.querier.complain(&agreed, 0, &resealed, &mut world.rng);
    assert_eq!(refused, Err(unreadable));
    // An honest server that was shown another D_m names another digest.
    let honest = decrypt(&world, &agreed, 2, &opened(&agreed));
    let message = world.forge_message(&agreed, 2, Digest::from([9; 32]), &honest);
    let bytes = message.to_bytes();
    let disputed = seal(&world.querier_key.clone(), &context, 2, &bytes, &mut world.rng);
    let refused = world.querier.complain(&agreed, 0, &disputed, &mut world.rng);
    assert_eq!(refused, Err(TraceError::DisputedShare { server: 2 }));
}

#[test]
fn an_ephemeral_key_made_from_another_messages_is_refused() {
    // Server 2 doubles server 1's ephemeral key: a complaint about it would reveal 2·K_1.
    let mut world = world(2);
    let agreed = ask(&mut world);
    let shares = world.shares(&agreed, 0);
    let bytes = shares[0].to_bytes();
    let ephemeral = <G as Group>::decode(&bytes[2..34]).unwrap();
    let mut doubled = bytes.clone();
    doubled[0] = 2;
    doubled[2..34].copy_from_slice(&Group::encode(&ephemeral.double()));
    let share = SealedShare::from_bytes(&doubled).unwrap();
    let refused = world.querier.complain(&agreed, 0, &share, &mut world.rng);
    assert_eq!(refused, Err(TraceError::UnreadableShare { server: 2 }));
}
