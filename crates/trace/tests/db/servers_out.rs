//! Dishonest servers in DB-RSM, each named in every step where it can be.

use algebra::Group;
use trace::{
    db::{rsm::*, *},
    *,
};
use wire::{Decode, Digest, Encode, Reader};

use crate::support::*;

fn ready() -> (World, RsmQuery, BbsKey) {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 2], &[0, 1, 2]);
    let pass = world.pass(&query, Side::Asked);
    let (query, key) = world.rsm_query(pass);
    (world, query, key)
}

fn with<T: Clone>(honest: &[T], place: usize, forged: T) -> Vec<T> {
    let mut all = honest.to_vec();
    all[place] = forged;
    all
}

#[test]
fn in_fakes_turns_and_blindings() {
    let (mut world, query, _) = ready();
    let fakes = world.rsm_fakes(&query);
    let start = |fakes: &[RsmFakes]| RsmStart::verify(query.clone(), fakes);
    // One server's points as another's: their sum would be known to it.
    assert_eq!(culprit(start(&with(&fakes, 1, fakes[0].clone()))), Some(2));
    assert!(start(&fakes[..1]).is_err());
    for (position, forged) in mutants::<RsmFakes>(&fakes[1].to_bytes(), 11) {
        assert_eq!(culprit(start(&with(&fakes, 1, forged))), Some(2), "byte {position}");
    }
    let start = start(&fakes).unwrap();

    let turns = world.rsm_turns(&start);
    let session = world.session.clone();
    let route = |turns: Vec<RsmTurn>| RsmRouted::verify(start.clone(), turns);
    let turned = vec![turns[1].clone(), turns[0].clone()];
    assert_eq!(culprit(route(turned)), Some(1));
    let crossed = RsmTurn { points: turns[1].points.clone(), integers: turns[0].integers.clone() };
    assert_eq!(culprit(route(with(&turns, 1, crossed))), Some(2));
    let decode = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes);
        let turn = RsmTurn::decode(&mut reader, &session).ok()?;
        reader.finish().ok().map(|()| turn)
    };
    let bytes = turns[1].to_bytes();
    for (position, forged) in mutants_with(&bytes, bytes.len() / 24, decode) {
        assert_eq!(culprit(route(with(&turns, 1, forged))), Some(2), "byte {position}");
    }
    let routed = route(turns).unwrap();

    let (commitments, blindings) = world.rsm_blindings(&routed);
    let verify = |commitments: &[Digest], blindings: &[RsmBlinding]| {
        RsmBlinded::verify(routed.clone(), commitments, blindings)
    };
    let commit = |blinding: &RsmBlinding| {
        let server = 2_u16.to_le_bytes();
        let parts: [&[u8]; 3] = [routed.digest().as_bytes(), &server, &blinding.to_bytes()];
        digest_of("trace/db/rsm/blinding", &parts)
    };
    assert_eq!(commit(&blindings[1]), commitments[1]);
    let copied = with(&blindings, 1, blindings[0].clone());
    assert_eq!(culprit(verify(&commitments, &copied)), Some(2));
    let recommitted = with(&commitments, 1, commit(&blindings[0]));
    assert_eq!(culprit(verify(&recommitted, &copied)), Some(2), "replayed proof");
    let decode = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes);
        let blinding = RsmBlinding::decode(&mut reader, &session).ok()?;
        reader.finish().ok().map(|()| blinding)
    };
    let bytes = blindings[1].to_bytes();
    let mut rows = 0;
    for (position, forged) in mutants_with(&bytes, bytes.len() / 30, decode) {
        let recommitted = with(&commitments, 1, commit(&forged));
        let result = verify(&recommitted, &with(&blindings, 1, forged)).err().unwrap();
        assert_eq!(result.culprit(), Some(2), "byte {position}");
        rows += usize::from(matches!(result, TraceError::Step { row: Some(_), .. }));
    }
    assert!(rows > 0, "a false proof about numbers names its row");
}

#[test]
fn in_shares_products_and_proofs() {
    let (mut world, query, key) = ready();
    let routed = world.rsm_route(query.clone());
    let (commitments, blindings) = world.rsm_blindings(&routed);
    let blinded = RsmBlinded::verify(routed, &commitments, &blindings).unwrap();
    let agreed = world.rsm_agree(blinded);
    let partials = world.rsm_partials(&agreed);
    let open = |partials: Vec<RsmPartial>| RsmOpened::open(agreed.clone(), partials);
    let session = world.session.clone();
    let decode = |bytes: &[u8]| RsmPartial::decode(&mut Reader::new(bytes), &session).ok();
    let bytes = partials[1].to_bytes();
    // Points and numbers, the first row's included (B2).
    let mut points = bytes.clone();
    let share = G1::decode(&points[6..54]).unwrap() + G1::generator();
    points[6..54].copy_from_slice(&share.encode());
    let forged = decode(&points).unwrap();
    assert_eq!(culprit(open(with(&partials, 1, forged))), Some(2));
    for (position, forged) in mutants_with(&bytes, 101, decode) {
        let result = open(with(&partials, 1, forged));
        assert!(result.is_err(), "byte {position}");
    }
    let crossed =
        RsmPartial { points: partials[1].points.clone(), integers: partials[0].integers.clone() };
    assert!(open(with(&partials, 1, crossed)).is_err());
    let opened = open(partials).unwrap();

    // Triples of another pass; a second deal for this one.
    let triples = deal(opened.query().pass(), &mut world.rng);
    let other = world.query(Direction::Out, &[0], &[0, 1, 2]);
    let foreign = deal(&world.pass(&other, Side::Asked), &mut world.rng);
    let (server, journal) = (&world.servers[0], &mut world.journals[0]);
    let refused = server.multiply_blindings(&opened, &foreign[0], journal);
    assert!(matches!(refused.err(), Some(TraceError::Query(_))));
    let (commitments, factors) = world.rsm_factors(&opened, &triples);
    let second = deal(opened.query().pass(), &mut world.rng);
    let (server, journal) = (&world.servers[0], &mut world.journals[0]);
    let refused = server.multiply_blindings(&opened, &second[0], journal);
    assert!(matches!(refused.err(), Some(TraceError::Committed { server: 1, .. })));

    let multiply = |commitments: &[Digest], factors: &[RsmFactors]| {
        RsmMultiplied::verify(opened.clone(), commitments, factors)
    };
    let commit = |factors: &RsmFactors| {
        let server = 2_u16.to_le_bytes();
        let parts: [&[u8]; 3] = [opened.digest().as_bytes(), &server, &factors.to_bytes()];
        digest_of("trace/db/rsm/factors", &parts)
    };
    assert_eq!(commit(&factors[1]), commitments[1]);
    let copied = with(&factors, 1, factors[0].clone());
    assert_eq!(culprit(multiply(&commitments, &copied)), Some(2));
    let recommitted = with(&commitments, 1, commit(&factors[0]));
    assert_eq!(culprit(multiply(&recommitted, &copied)), Some(2), "replayed proof about Z_1");
    // What is proven of Z_1; the masked factors are proven by the equations that they enter.
    let bytes = factors[1].to_bytes();
    let proven = 4 + 3 * 48 + 48 + 2 * 32;
    let decode = |head: &[u8]| RsmFactors::from_bytes(&[head, &bytes[proven..]].concat()).ok();
    for (position, forged) in mutants_with(&bytes[..proven], 7, decode) {
        let recommitted = with(&commitments, 1, commit(&forged));
        let result = multiply(&recommitted, &with(&factors, 1, forged));
        assert_eq!(culprit(result), Some(2), "byte {position}");
    }

    let multiplied = multiply(&commitments, &factors).unwrap();
    let (commitments, announcements) = world.rsm_announce(&multiplied);
    let copied = with(&announcements, 1, announcements[0].clone());
    assert_eq!(culprit(multiplied.challenge(&commitments, &copied)), Some(2));
    let announced = multiplied.challenge(&commitments, &announcements).unwrap();
    let responses = world.rsm_respond(&multiplied, &triples, &announced);
    let read = |responses: &[SealedResponse]| {
        let (statement, sums) = (multiplied.statement().clone(), announced.sums().clone());
        Proof::open(statement, sums, &world.key, responses)
    };
    let expected: Vec<bool> = world.outputs.values().iter().map(|&v| v != value(5)).collect();
    assert_eq!(read(&responses).unwrap().read(&key, &mut rng(1)).proven, expected);
    assert_eq!(culprit(read(&with(&responses, 1, responses[0].clone()))), Some(2));
    let bytes = responses[1].to_bytes();
    for (position, forged) in mutants(&bytes, bytes.len() / 12) {
        assert_eq!(culprit(read(&with(&responses, 1, forged))), Some(2), "byte {position}");
    }
}

#[test]
fn false_products_prove_nothing() {
    // Server 2 shifts each masked factor of row 0 in turn: the product is wrong, the proof of the
    // row fails, no other row's does.
    for masked in 0..4 {
        let (mut world, _, _) = ready();
        let query = world.query(Direction::Out, &[0, 1, 2], &[0, 1, 2]);
        let pass = world.pass(&query, Side::Asked);
        let (query, key) = world.rsm_query(pass);
        let opened = world.rsm_open(query);
        let triples = deal(opened.query().pass(), &mut world.rng);
        let (mut commitments, mut factors) = world.rsm_factors(&opened, &triples);
        let mut bytes = factors[1].to_bytes();
        let at = 4 + 3 * 48 + 48 + 2 * 32 + masked * 3 * 32;
        bytes[at] ^= 1;
        factors[1] = RsmFactors::from_bytes(&bytes).unwrap();
        let parts: [&[u8]; 3] = [opened.digest().as_bytes(), &2_u16.to_le_bytes(), &bytes];
        commitments[1] = digest_of("trace/db/rsm/factors", &parts);
        let multiplied = RsmMultiplied::verify(opened, &commitments, &factors).unwrap();
        let (commitments, announcements) = world.rsm_announce(&multiplied);
        let announced = multiplied.challenge(&commitments, &announcements).unwrap();
        let responses = world.rsm_respond(&multiplied, &triples, &announced);
        let (statement, sums) = (multiplied.statement().clone(), announced.sums().clone());
        let proof = Proof::open(statement, sums, &world.key, &responses).unwrap();
        let reading = proof.read(&key, &mut world.rng);
        assert_eq!(reading.proven, [false, true, true], "factor {masked}");
        assert_eq!(reading.inconsistent, [0], "factor {masked}");
        assert_eq!(proof.read_with_public_key(&mut world.rng), reading);
    }
}
