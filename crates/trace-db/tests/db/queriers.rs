//! Dishonest queriers: signatures that are none, of another pass, of another key; requests that
//! are not theirs.

use algebra::{Group, Scalar};
use trace::*;
use trace_db::{rsm::*, sm::*, *};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Encode};

use super::support::*;

/// Where the points of an encoded offer stand.
const Y2: usize = 96;
const Y1: usize = 48;

fn offer_error<T>(result: Result<T, TraceError>) -> Option<u32> {
    match result.err() {
        Some(TraceError::Offer { row, .. }) => row,
        other => panic!("{other:?}"),
    }
}

/// The offer with the querier's own signature over what was changed, as a dishonest querier makes
/// it.
fn resign(world: &World, pass: &Pass, bytes: &[u8], domain: &str, fixed: usize) -> Vec<u8> {
    let body = bytes.len() - 64;
    let mut covered = bytes[..fixed].to_vec();
    covered.extend(&bytes[fixed + 4..body]);
    let digest = digest_of(domain, &[pass.id().as_bytes(), &covered]);
    let mut out = bytes[..body].to_vec();
    out.extend(world.identity.sign(domain, digest));
    out
}

#[test]
fn invalid_signatures_going_in_are_refused_and_named() {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::In, &[0, 1, 2], &[0, 2]);
    let pass = world.pass(&query, Side::Asked);
    let values = world.outputs.values().to_vec();
    let key = BbKey::generate(&values, &mut world.rng);
    let offer = BbOffer::new(&pass, &key, &world.identity);
    let bytes = offer.to_bytes();
    let domain = "subrosa/trace/db/offer/v1";
    let verify = |bytes: &[u8]| SmQuery::verify(pass.clone(), BbOffer::from_bytes(bytes).unwrap());
    assert!(verify(&bytes).is_ok());
    assert!(verify(&resign(&world, &pass, &bytes, domain, Y2)).is_ok());

    // A point in place of a signature, for each of them.
    for (position, row) in [(0, 0), (1, 2)] {
        let start = Y2 + 4 + 48 * position;
        let mut forged = bytes.clone();
        forged[start..start + 48].copy_from_slice(&G1::hash_to_group(b"tag").encode());
        assert_eq!(offer_error(verify(&forged)), None, "not the querier's signature");
        let forged = resign(&world, &pass, &forged, domain, Y2);
        assert_eq!(offer_error(verify(&forged)), Some(row));
        let mut neutral = bytes.clone();
        neutral[start..start + 48].copy_from_slice(&G1::identity().encode());
        assert_eq!(offer_error(verify(&resign(&world, &pass, &neutral, domain, Y2))), Some(row));
    }
    // Another key; the neutral key, under which every point is a signature.
    for key in [G2::generator(), G2::identity()] {
        let mut forged = bytes.clone();
        forged[..Y2].copy_from_slice(&key.encode());
        offer_error(verify(&resign(&world, &pass, &forged, domain, Y2)));
    }
    // Too few.
    let mut short = bytes.clone();
    short.drain(Y2 + 4 + 48..Y2 + 4 + 96);
    short[Y2] = 1;
    assert_eq!(offer_error(verify(&resign(&world, &pass, &short, domain, Y2))), None);
    // The other side of the same query, whose set is another.
    let other = world.pass(&query, Side::Complement);
    offer_error(SmQuery::verify(other, offer));
}

#[test]
fn invalid_signatures_going_out_are_refused_and_named() {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 2], &[0, 1, 2]);
    let pass = world.pass(&query, Side::Asked);
    let key = BbsKey::generate(&mut world.rng);
    let offer = BbsOffer::new(&pass, &key, &world.identity).unwrap();
    let bytes = offer.to_bytes();
    let (domain, keys) = ("subrosa/trace/db/offer/bbs/v1", Y2 + Y1);
    let verify =
        |bytes: &[u8]| RsmQuery::verify(pass.clone(), BbsOffer::from_bytes(bytes).unwrap());
    assert!(verify(&bytes).is_ok());
    assert!(verify(&resign(&world, &pass, &bytes, domain, keys)).is_ok());
    for (position, row) in [(0, 0), (1, 2)] {
        let start = keys + 4 + 48 * position;
        let mut forged = bytes.clone();
        forged[start..start + 48].copy_from_slice(&G1::hash_to_group(b"tag").encode());
        assert_eq!(offer_error(verify(&forged)), None, "not the querier's signature");
        assert_eq!(offer_error(verify(&resign(&world, &pass, &forged, domain, keys))), Some(row));
    }
    for (at, key) in [
        (0, G2::generator().encode()),
        (0, G2::identity().encode()),
        (Y2, G1::generator().encode()),
        (Y2, G1::identity().encode()),
    ] {
        let mut forged = bytes.clone();
        forged[at..at + key.len()].copy_from_slice(&key);
        assert_eq!(offer_error(verify(&resign(&world, &pass, &forged, domain, keys))), None);
    }
    offer_error(RsmQuery::verify(world.pass(&query, Side::Complement), offer));
}

/// `c, r̂` of every row, as they are hashed from the pass and a key.
fn numbers(pass: &Pass, key: &G2) -> Vec<[F; 2]> {
    let mut transcript = Transcript::new(b"subrosa/trace/db/bbs/numbers/v1");
    transcript.absorb(b"context", pass.id().as_bytes());
    transcript.absorb(b"y", &key.encode());
    let wides = transcript.challenge_wides(b"c, r", 2 * pass.outputs().rows());
    wides.as_chunks::<2>().0.iter().map(|pair| pair.each_ref().map(F::from_wide)).collect()
}

/// A querier who chose c before x could choose x with it; one who chooses c freely marks a row by
/// it. Signatures under numbers that do not come from this key are none.
#[test]
fn numbers_that_precede_the_key_are_refused() {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 2], &[0, 1, 2]);
    let pass = world.pass(&query, Side::Asked);
    let x = F::random(&mut world.rng.clone());
    let key = BbsKey::generate(&mut world.rng);
    let earlier = BbsKey::generate(&mut world.rng).public().0;
    let bytes = BbsOffer::new(&pass, &key, &world.identity).unwrap().to_bytes();
    let [f, h] =
        ["F", "H"].map(|label| G1::hash_to_group(format!("subrosa/trace/db/{label}").as_bytes()));
    let sign = |of: &G2, row: usize| {
        let [c, r] = numbers(&pass, of)[row];
        let committed = f + h.mul(&r) + world.outputs.commitments()[row];
        committed.mul(&(x + c).invert().unwrap()).encode()
    };
    for (position, row) in [(0, 0), (1, 2)] {
        let start = Y2 + Y1 + 4 + 48 * position;
        let own = sign(&key.public().0, row);
        assert_eq!(bytes[start..start + 48], own, "the tool signs what queriers sign");
        let mut forged = bytes.clone();
        forged[start..start + 48].copy_from_slice(&sign(&earlier, row));
        let forged = resign(&world, &pass, &forged, "subrosa/trace/db/offer/bbs/v1", Y2 + Y1);
        let offer = BbsOffer::from_bytes(&forged).unwrap();
        assert_eq!(offer_error(RsmQuery::verify(pass.clone(), offer)), Some(row as u32));
    }
}

#[test]
fn requests_are_for_the_session_its_rows_one_question_and_the_right_way() {
    let mut world = World::new(2, &[4, 5], Keys::Dealt);
    let other = session(3, Keys::Dealt).0;
    let refused = |world: &World, query: Query<G1>| {
        Pass::new(world.outputs.clone(), query, Side::Asked).err().unwrap()
    };
    let query = world.query(Direction::In, &[0, 2], &[0]);
    assert!(matches!(refused(&world, query), TraceError::IndexRange { index: 2, .. }));
    let request = |session, by, questions| Request {
        session,
        direction: Direction::In,
        by,
        questions,
        key: world.key.public_key(),
        querier: world.identity.id(),
        nonce: [0; 32],
    };
    let question = Question { inputs: set(&[0]), outputs: set(&[1]) };
    let (own, one) = (*world.session.id(), vec![question.clone()]);
    let two = vec![question.clone(), question];
    let requests = [
        request(*other.id(), By::Value, one.clone()),
        request(own, By::Position, one),
        request(own, By::Value, two),
    ];
    for request in requests {
        let signed = SignedRequest::sign(request, &world.identity, &mut world.rng);
        refused(&world, Query::new(vec![signed]).unwrap());
    }
    // A key of another pass proves nothing, and the engine's steps know their direction.
    let query = world.query(Direction::Out, &[0], &[0]);
    let pass = world.pass(&query, Side::Asked);
    let key = BbKey::generate(world.outputs.values(), &mut world.rng);
    let offer = BbOffer::new(&pass, &key, &world.identity);
    assert!(matches!(SmQuery::verify(pass, offer), Err(TraceError::Query(_))));
}

#[test]
fn a_key_of_another_pass_proves_nothing() {
    let mut world = World::new(2, &[4, 5], Keys::Dealt);
    let query = world.query(Direction::In, &[0, 1], &[0, 1]);
    let pass = world.pass(&query, Side::Asked);
    let (query, key) = world.sm_query(pass);
    let other = BbKey::generate(world.outputs.values(), &mut world.rng);
    let opened = world.sm_open(query);
    let (_, proof) = world.sm_proof(&opened);
    assert_eq!(proof.read(&key).proven, [true, true]);
    assert_eq!(proof.read(&other).proven, [false, false]);
}

/// With one key for both passes the servers hold signatures on everything.
#[test]
fn both_passes_under_one_key_are_refused() {
    let mut world = World::new(2, &[4, 5], Keys::Dealt);
    let query = world.query(Direction::In, &[0, 1], &[0]);
    let key = BbKey::generate(world.outputs.values(), &mut world.rng);
    let [asked, complement] = Side::BOTH.map(|side| world.pass(&query, side));
    let offered = |world: &World, pass: &Pass| {
        let offer = BbOffer::new(pass, &key, &world.identity);
        SmQuery::verify(pass.clone(), offer).unwrap()
    };
    let first = offered(&world, &asked);
    let opened = world.sm_open(first);
    let reading = world.sm_read(&opened, &key);
    // The querier, who made the key, gets no verdict.
    let none = Reading { proven: vec![false; 2], ..reading.clone() };
    assert!(matches!(Verdict::of(&asked, &reading, &none), Err(TraceError::Query(_))));

    // No server signs the second pass.
    let second = offered(&world, &complement);
    let turns = world.sm_turns(&second);
    let routed = SmRouted::verify(second, &turns).unwrap();
    let (commitments, blindings) = world.sm_blindings(&routed);
    let blinded = SmBlinded::verify(routed, &commitments, &blindings).unwrap();
    for (server, journal) in world.servers.iter_mut().zip(&mut world.journals) {
        let refused = server.sign_signatures(&blinded, journal);
        assert!(matches!(refused, Err(TraceError::Committed { what: "the key of a pass", .. })));
    }
}

/// A key of the servers' own making comes with their proofs, or not at all.
#[test]
fn a_key_of_the_servers_without_their_proofs_is_refused() {
    let (session, _) = session(2, Keys::Bcp);
    let base = base_session(2);
    let sealing: Vec<SealingKey> =
        secrets(2).iter().map(|secret| SealingKey::new(secret, &base).unwrap()).collect();
    let setup = PaillierSetup::Dealt(Box::new(session.paillier().clone()));
    let refused = Session::establish(base, &sealing, setup).err();
    assert!(matches!(refused, Some(TraceError::Rules(_))));
}
