//! A dealer and a server who conspire for a false "no".
//!
//! One value is committed in I and once more outside. Its output from I is proven by the pass over I, and
//! a "no" needs a proof of it by the other pass, where its tuple is a point outside. So the dealer moves
//! the tuple of the other output there: without knowing either, it adds the quotient of the two routed
//! ciphertexts to the blindings of the server that conspires, which would sign and go on although this is
//! not its share. In the pass over I the same spoils the "yes". An earlier version of the engine took such
//! a dealing: every proof held, and the verdict was "no" for a value that I has.

use algebra::Group;
use trace::*;
use trace_db::{paillier::Ciphertexts, rsm::*, *};
use wire::{Encode, Reader};

use super::{
    dealing::{decode, resign},
    support::*,
};

/// The lists of a pass, with the last server's turn.
fn route(world: &mut World, query: &Query<G1>, side: Side) -> (RsmRouted, RsmTurn) {
    let (query, _) = world.rsm_query(world.pass(query, side));
    let fakes = world.rsm_fakes(&query);
    let start = RsmStart::verify(query, &fakes).unwrap();
    let turns = world.rsm_turns(&start);
    let last = turns.last().unwrap().clone();
    (RsmRouted::verify(start, turns).unwrap(), last)
}

/// Parts of a dealing with the blindings of server 1 changed so that row `to` opens to the tuple of row
/// `from`: both lists, or the points or the numbers alone.
fn moved(
    world: &World,
    parts: &[u8],
    last: &RsmTurn,
    [from, to]: [usize; 2],
    [points, numbers]: [bool; 2],
) -> Vec<u8> {
    let mut parts = parts.to_vec();
    let rows = last.points.columns[0].ciphertexts();
    let shifts = [rows[from].c1 - rows[to].c1, rows[from].c2 - rows[to].c2];
    for (component, shift) in shifts.iter().enumerate().filter(|_| points) {
        let place = 4 + 48 * (component * rows.len() + to);
        let own = G1::decode(&parts[place..place + 48]).unwrap();
        parts[place..place + 48].copy_from_slice(&(own + *shift).encode());
    }
    let start = 4 + 96 * rows.len();
    let key = world.session.paillier();
    let (cipher, size) = (key.cipher(), key.cipher().encoded_len());
    let own = Ciphertexts::decode(&mut Reader::new(&parts[start..]), key).unwrap();
    let components = own.components().iter().zip(last.integers.list().components());
    for (component, (own, list)) in components.enumerate().filter(|_| numbers) {
        let inverse = cipher.invert(&list.values()[to]).unwrap();
        let shift = cipher.mul(&list.values()[from], &inverse);
        let place = start + 4 + size * (component * rows.len() + to);
        let element = cipher.encode(&cipher.mul(&own.values()[to], &shift));
        parts[place..place + size].copy_from_slice(&element);
    }
    parts
}

fn verify(world: &World, routed: &RsmRouted, parts: &[u8]) -> Result<RsmBlinded, TraceError> {
    let dealing = decode(&world.session, &resign(world, routed, parts)).unwrap();
    RsmBlinded::verify(routed.clone(), &world.dealer.id(), dealing)
}

#[test]
fn a_dealer_and_a_server_cannot_prove_a_false_no() {
    for keys in [Keys::Dealt, Keys::Bcp] {
        let mut world = World::new(2, &[4, 5, 5], keys);
        let query = world.query(Direction::Out, &[0, 1], &[0, 1, 2]);
        let fives: Vec<usize> =
            (0..3).filter(|&row| world.outputs.values()[row] == value(5)).collect();
        for side in Side::BOTH {
            let (routed, last) = route(&mut world, &query, side);
            let bytes = deal(&routed, &world.dealer, &mut world.rng).unwrap().to_bytes();
            let parts = &bytes[..bytes.len() - 64];
            assert!(verify(&world, &routed, parts).is_ok());
            for which in [[true, true], [true, false], [false, true]] {
                let forged = moved(&world, parts, &last, [fives[1], fives[0]], which);
                let result = verify(&world, &routed, &forged);
                assert!(matches!(result.err(), Some(TraceError::Dealing(_))), "{which:?}");
            }
        }
    }
}

/// The proofs of one part serve no other: not another server's, other lists', another dealing's.
#[test]
fn proofs_of_openings_belong_to_their_part() {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 1], &[0, 1, 2]);
    let (routed, last) = route(&mut world, &query, Side::Asked);
    let (elsewhere, _) = route(&mut world, &query, Side::Complement);
    let mut dealt = |routed: &RsmRouted| {
        let bytes = deal(routed, &world.dealer, &mut world.rng).unwrap().to_bytes();
        bytes[..bytes.len() - 64].to_vec()
    };
    let (own, other, foreign) = (dealt(&routed), dealt(&routed), dealt(&elsewhere));
    // Behind the image stand the proof and the sealed share.
    let image = 4 + 2 * 48 * 3 + last.integers.list().to_bytes().len() + 48 * 3;
    let (first, second) = own.split_at(own.len() / 2);
    let with = |rest: &[u8]| [&first[..image], &rest[image..first.len()], second].concat();
    assert!(verify(&world, &routed, &with(first)).is_ok());
    for rest in [second, &other, &foreign] {
        let result = verify(&world, &routed, &with(rest));
        assert!(matches!(result.err(), Some(TraceError::Dealing(_))));
    }
    // Every part of the proof counts.
    let proof = 3 * 48 + 3 * 32 + world.session.paillier().cipher().encoded_len();
    for place in (image..image + proof + 400).step_by(13) {
        let mut forged = own.clone();
        forged[place] ^= 1;
        let dealing = decode(&world.session, &resign(&world, &routed, &forged));
        let verify = |dealing| RsmBlinded::verify(routed.clone(), &world.dealer.id(), dealing);
        let Some(dealing) = dealing else { continue };
        let accepted = verify(dealing).is_ok();
        assert!(!accepted || place >= first.len() - 300, "byte {place}");
    }
}
