//! Servers that mark rows, and what the servers after them refuse or hide.

use std::sync::Arc;

use integer::Integer;
use shuffle::tw::Generators;
use trace::{routed::PermutationMessage, *};
use trace_db::{paillier::Ciphertexts, *};
use wire::{Encode, Reader};

use super::support::*;

struct Mixing {
    inputs: Arc<Inputs>,
    generators: Generators<G1>,
    servers: Vec<Server>,
    permutations: Vec<PermutationMessage<G1>>,
}

/// Two servers that are about to mix three rows.
fn mixing(keys: Keys) -> Mixing {
    let (session, shares) = session(2, keys);
    let inputs = Inputs::collect(session.clone(), submit(&session, &[1, 2, 3], &mut rng(1)));
    let (inputs, generators) = (Arc::new(inputs.unwrap()), Generators::derive(3));
    let policy = nobody();
    let (mut servers, mut permutations) = (Vec::new(), Vec::new());
    for (secret, share) in secrets(2).into_iter().zip(shares) {
        let mut server = Server::new(secret, session.clone(), share, policy.clone()).unwrap();
        let journal = &mut MemoryJournal::default();
        server.commit_permutation(&inputs, &generators, journal).unwrap();
        permutations.push(server.prove_permutation(&generators, &mut rng(2)).unwrap());
        servers.push(server);
    }
    Mixing { inputs, generators, servers, permutations }
}

impl Mixing {
    fn mix(
        &self,
        place: usize,
        before: &[PaillierTurn],
        seed: u64,
    ) -> Result<PaillierTurn, TraceError> {
        let Self { inputs, generators, servers, permutations } = self;
        servers[place].mix(inputs, permutations, before, generators, &mut rng(seed))
    }
}

/// The quotients of two lists, row by row, in increasing order.
fn quotients(session: &Session, left: &Ciphertexts, right: &Ciphertexts) -> Vec<Integer> {
    let cipher = session.paillier().cipher();
    let rows = left.components()[0].values().iter().zip(right.components()[0].values());
    let quotient = |(left, right)| cipher.mul(left, &cipher.invert(right).unwrap());
    let mut quotients: Vec<Integer> = rows.map(quotient).collect();
    quotients.sort();
    quotients
}

#[test]
fn no_server_mixes_after_a_turn_that_is_false() {
    for keys in [Keys::Dealt, Keys::Bcp] {
        let mixing = mixing(keys);
        let session = mixing.inputs.session();
        let first = mixing.mix(0, &[], 3).unwrap();
        assert!(mixing.mix(1, std::slice::from_ref(&first), 4).is_ok());
        // Row 0 of the list that server 1 publishes is marked: with a plaintext, with a square of
        // symbol +1.
        let key = session.paillier();
        let (cipher, bytes) = (key.cipher(), first.to_bytes());
        let element = &first.list().components()[0].values()[0];
        let n_th = Integer::from(key.plain().value() + 1_u32);
        for marked in [cipher.mul(element, &n_th), cipher.mul(element, &Integer::from(4))] {
            let mut forged = bytes.clone();
            forged[4..4 + cipher.encoded_len()].copy_from_slice(&cipher.encode(&marked));
            let forged = PaillierTurn::decode(&mut Reader::new(&forged), session).unwrap();
            assert_eq!(culprit(mixing.mix(1, &[forged], 4)), Some(1));
        }
        // By the permutation of another; without it.
        let Mixing { inputs, generators, servers, permutations } = &mixing;
        let mix = |permutations: &[_]| {
            let before = std::slice::from_ref(&first);
            servers[1].mix(inputs, permutations, before, generators, &mut rng(4))
        };
        assert_eq!(culprit(mix(&permutations[1..])), Some(1));
        assert!(matches!(mix(&[]), Err(TraceError::Missing { .. })));
    }
}

/// With the same mask in two turns, quotients of outputs are quotients of inputs: they name every
/// row.
#[test]
fn one_seed_never_masks_two_lists_alike() {
    for keys in [Keys::Dealt, Keys::Bcp] {
        let mixing = mixing(keys);
        let session = mixing.inputs.session();
        let before = [3, 4].map(|seed| mixing.mix(0, &[], seed).unwrap());
        let after = before.each_ref().map(|turn| {
            let again = mixing.mix(1, std::slice::from_ref(turn), 5).unwrap();
            let once = mixing.mix(1, std::slice::from_ref(turn), 5).unwrap();
            assert_eq!(once, again);
            again
        });
        let of = |turns: &[PaillierTurn; 2]| quotients(session, turns[0].list(), turns[1].list());
        let (ins, outs) = (of(&before), of(&after));
        assert!(outs.iter().all(|quotient| !ins.contains(quotient)));
    }
}

/// The same in DB-RSM, and turns before that are false.
#[test]
fn numbers_of_quasi_signatures_pass_after_true_turns_only_and_under_fresh_masks() {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::Out, &[0, 2], &[0, 1, 2]);
    let (query, _) = world.rsm_query(world.pass(&query, Side::Asked));
    let fakes = world.rsm_fakes(&query);
    let start = rsm::RsmStart::verify(query, &fakes).unwrap();
    let World { session, servers, journals, .. } = &mut world;
    let mut pass = |place: usize, before: &[rsm::RsmTurn], seed: u64| {
        let rng = &mut rng(seed);
        servers[place].pass_quasi_signatures_on(&start, before, &journals[place], rng)
    };
    let before = [3, 4].map(|seed| pass(0, &[], seed).unwrap());
    let after = before.each_ref().map(|turn| pass(1, std::slice::from_ref(turn), 5).unwrap());
    let of = |turns: &[rsm::RsmTurn; 2]| {
        quotients(session, turns[0].integers.list(), turns[1].integers.list())
    };
    let (ins, outs) = (of(&before), of(&after));
    assert!(outs.iter().all(|quotient| !ins.contains(quotient)));

    // The lists of one turn with the proofs of the other.
    let [first, second] = &before;
    let points = rsm::RsmTurn { points: second.points.clone(), integers: first.integers.clone() };
    assert!(pass(1, &[points], 5).is_ok(), "both parts hold on their own");
    let len = session.paillier().cipher().encoded_len();
    let mut forged = first.integers.to_bytes();
    forged[4..4 + len].copy_from_slice(&second.integers.to_bytes()[4..4 + len]);
    let integers = PaillierTurn::decode(&mut Reader::new(&forged), session).unwrap();
    let forged = rsm::RsmTurn { points: first.points.clone(), integers };
    assert_eq!(culprit(pass(1, &[forged], 5)), Some(1));
    let mut forged = first.clone();
    forged.points.columns = second.points.columns.clone();
    assert_eq!(culprit(pass(1, &[forged], 5)), Some(1));
}

#[test]
fn signatures_pass_after_true_turns_only() {
    let mut world = World::new(2, &[4, 5, 6], Keys::Dealt);
    let query = world.query(Direction::In, &[0, 2], &[0, 1, 2]);
    let (query, _) = world.sm_query(world.pass(&query, Side::Asked));
    let World { servers, journals, .. } = &mut world;
    // Backwards: server 2 is first.
    let mut pass = |server: usize, before: &[routed::Turn<G1>], seed: u64| {
        let rng = &mut rng(seed);
        servers[server - 1].pass_signatures_on(&query, before, &journals[server - 1], rng)
    };
    let [first, second] = [3, 4].map(|seed| pass(2, &[], seed).unwrap());
    assert!(pass(1, std::slice::from_ref(&first), 5).is_ok());
    let mut forged = first;
    forged.columns = second.columns;
    assert_eq!(culprit(pass(1, &[forged], 5)), Some(2));
}
