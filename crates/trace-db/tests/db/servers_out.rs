//! Dishonest servers in DB-RSM, each named in every step where it can be.

use algebra::Group;
use trace::*;
use trace_db::{rsm::*, *};
use wire::{Encode, Reader};

use super::support::*;

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
fn in_fakes_and_turns() {
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
    assert!(route(turns).is_ok());
}

#[test]
fn in_shares_and_proofs() {
    let (mut world, query, key) = ready();
    let routed = world.rsm_route(query.clone());
    let blinded = world.rsm_blind(routed);
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

    let (commitments, announcements) = world.rsm_announce(&opened);
    let copied = with(&announcements, 1, announcements[0].clone());
    assert_eq!(culprit(opened.challenge(&commitments, &copied)), Some(2));
    let announced = opened.challenge(&commitments, &announcements).unwrap();
    let responses = world.rsm_respond(&opened, &announced);
    let read = |responses: &[SealedResponse]| {
        let (statement, prints) = (opened.statement().clone(), announced.challenge().prints());
        Proof::open(statement, prints.to_vec(), &world.key, responses)
    };
    let expected: Vec<bool> = world.outputs.values().iter().map(|&v| v != value(5)).collect();
    assert_eq!(read(&responses).unwrap().read(&key).proven, expected);
    assert_eq!(culprit(read(&with(&responses, 1, responses[0].clone()))), Some(2));
    let bytes = responses[1].to_bytes();
    for (position, forged) in mutants(&bytes, bytes.len() / 12) {
        assert_eq!(culprit(read(&with(&responses, 1, forged))), Some(2), "byte {position}");
    }
}
