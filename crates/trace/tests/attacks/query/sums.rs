//! Blinded sums of a query by value: blindings that hide a "yes", of others, kept, or that show the
//! count.

use algebra::{Group, Scalar};
use shuffle::{
    Ciphertext,
    decrypt::Decryption,
    sigma::{ExponentProof, ExponentStatement},
};
use trace::{routed::*, *};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Encode};

use super::{full, world};
use crate::support::*;

/// A blinding of every sum with a b of the server's choice, honestly proven where that is
/// possible.
fn craft_blinding(routed: &Routed<G>, server: u16, choose: impl Fn(usize) -> S) -> Blinding<G> {
    let pass = routed.pass();
    let session = *pass.ground().id();
    let sums = sums_of(routed);
    let mut bytes = (sums.len() as u32).to_le_bytes().to_vec();
    for (number, (total, base)) in sums.into_iter().enumerate() {
        let b = choose(number);
        let bases = [base, total.c1, total.c2];
        let images = bases.map(|base| base.mul(&b));
        let mut transcript = Transcript::new(b"subrosa/trace/blinding/v1");
        transcript.absorb(b"session", session.as_bytes());
        transcript.absorb(b"query", pass.query().id().as_bytes());
        transcript.absorb_u64(b"server", server.into());
        transcript.absorb_u64(b"sum", number as u64);
        let statement = ExponentStatement { bases, images };
        let proof = ExponentProof::prove(&mut transcript, &statement, &b, &mut rng(4));
        for point in [images[1], images[2], images[0]] {
            bytes.extend(Group::encode(&point));
        }
        proof.encode(&mut bytes);
    }
    Blinding::from_bytes(&bytes).unwrap()
}

/// `E_w` and `H_w` of every repeated value of the one question, in order of first occurrence.
fn sums_of(routed: &Routed<G>) -> Vec<(Ciphertext<G>, G)> {
    let outputs = routed.pass().ground();
    let list = routed.lists()[0].ciphertexts();
    let mut classes: Vec<u32> = outputs.class_of().to_vec();
    classes.sort_unstable();
    classes.dedup();
    let repeated = classes.into_iter().filter(|class| outputs.class(*class).len() > 1);
    repeated
        .map(|class| {
            let rows = outputs.class(class);
            let zero = Ciphertext::trivial(G::identity());
            let total = rows.iter().fold(zero, |sum, &row| sum + list[row as usize]);
            let value = G::encode_all(&outputs.values()[rows[0] as usize]);
            let id = routed.pass().query().id().as_bytes();
            let label = digest_of("trace/blinding/H", &[id, &0_u64.to_le_bytes(), &value]);
            (total, G::hash_to_group(label.as_bytes()))
        })
        .collect()
}

#[test]
fn blindings_that_hide_a_yes_are_refused() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let turns = world.turns(&query);
    let routed = || Routed::verify(world.pass(&query), turns.clone()).unwrap();
    let craft = |server: u16, b: S| craft_blinding(&routed(), server, move |_| b);
    let verify = |blindings| Blinded::verify(routed(), blindings).err();
    let (one, two, three) = (S::one(), S::from_u64(2), S::from_u64(3));

    // The tool is sound.
    assert_eq!(verify(vec![craft(1, one), craft(2, two), craft(3, three)]), None);
    // b = 0 names its server; a sum of 0 takes all of them.
    let refused = verify(vec![craft(1, one), craft(2, S::zero()), craft(3, three)]).unwrap();
    assert!(matches!(refused, TraceError::Blinding { sum: 0, server: 2, .. }));
    let cancelling = vec![craft(1, one), craft(2, two), craft(3, S::zero() - three)];
    assert_eq!(verify(cancelling), Some(TraceError::BlindingsCancel { sum: 0 }));
}

#[test]
fn blindings_of_other_servers_values_or_queries_are_refused() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let turns = world.turns(&query);
    let routed = Routed::verify(world.pass(&query), turns.clone()).unwrap();
    let honest = world.blindings(&routed);
    let again = world.ask(Direction::Out, By::Value, vec![full()]);
    let other = world.routed(&again);
    let other = world.blindings(&other);
    let verify = |blindings: Vec<Blinding<G>>| {
        let routed = Routed::verify(world.pass(&query), turns.clone()).unwrap();
        Blinded::verify(routed, blindings).map(|_| ())
    };
    assert_eq!(verify(honest.clone()), Ok(()));
    let is_named = |blindings, expected| {
        let refused = verify(blindings).unwrap_err();
        assert!(matches!(refused, TraceError::Blinding { server, .. } if server == expected));
    };
    let mut copied = honest.clone();
    copied[1] = honest[0].clone();
    is_named(copied, 2);
    let mut foreign = honest.clone();
    foreign[2] = other[2].clone();
    is_named(foreign, 3);

    // "a" and "b" occur twice: exchange a server's blindings of the two.
    let bytes = honest[2].to_bytes();
    let (width, start) = ((bytes.len() - 4) / 2, 4);
    let swapped = [&bytes[..start], &bytes[start + width..], &bytes[start..start + width]].concat();
    let mut exchanged = honest.clone();
    exchanged[2] = Blinding::from_bytes(&swapped).unwrap();
    is_named(exchanged, 3);
    // Every byte of a blinding counts.
    for position in (4..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[position] ^= 1;
        let Ok(changed) = Blinding::from_bytes(&changed) else { continue };
        let mut forged = honest.clone();
        forged[2] = changed;
        is_named(forged, 3);
    }

    let mut shorter = honest.clone();
    shorter[0] = Blinding::from_bytes(&0_u32.to_le_bytes()).unwrap();
    is_named(shorter, 1);
    assert!(matches!(verify(honest[..2].to_vec()), Err(TraceError::Missing { .. })));
}

/// What a blinded sum opens to is a multiple by nobody's b alone: a count of two looks like a count
/// of one.
#[test]
fn a_blinded_sum_hides_the_count() {
    let mut world = world();
    let small: Vec<G> = (0..=5).map(|k| G::mul_generator(&S::from_u64(k))).collect();
    let all_but_one = Question { inputs: IndexSet::all(4), outputs: IndexSet::all(5) };
    // "a" and "b" occur twice: among all inputs both count 2, without the last one "b" counts 1.
    let opened = [(full(), [2, 2]), (all_but_one, [2, 1])].map(|(question, counts)| {
        let query = world.ask(Direction::Out, By::Value, vec![question]);
        let routed = world.routed(&query);
        let sums: Vec<_> = sums_of(&routed).into_iter().map(|(sum, _)| sum).collect();
        let mut plain = open(&world, &sums);
        plain.sort_by_key(Group::encode);
        let mut expected = counts.map(|count: usize| small[count]);
        expected.sort_by_key(Group::encode);
        assert_eq!(plain, expected, "the attack opens what it means to open");
        let blindings = world.blindings(&routed);
        let blinded = [0, 1].map(|sum: usize| {
            let parts = blindings.iter().map(|blinding| products(blinding)[sum]);
            let zero = Ciphertext::trivial(G::identity());
            parts.fold(zero, |total, [c1, c2]| total + Ciphertext { c1, c2 })
        });
        open(&world, &blinded)
    });
    // No small multiple of G, nor of what another sum of this or the other query opens to.
    let all: Vec<G> = opened.concat();
    for (place, point) in all.iter().enumerate() {
        assert!(!small.contains(point));
        for other in &all[place + 1..] {
            assert!(point != other && point.double() != *other && *point != other.double());
        }
    }
}

/// `b·E_w` of every sum.
fn products(blinding: &Blinding<G>) -> Vec<[G; 2]> {
    let bytes = blinding.to_bytes();
    let width = (bytes.len() - 4) / 2;
    let point = |at: usize| <G as Group>::decode(&bytes[at..at + 32]).unwrap();
    (0..2).map(|sum| 4 + sum * width).map(|at| [point(at), point(at + 32)]).collect()
}

/// What two servers, who suffice, decrypt.
fn open(world: &World, ciphertexts: &[Ciphertext<G>]) -> Vec<G> {
    let decryption = Decryption::new(world.outputs.session().keys(), ciphertexts, b"attack");
    let partial = |server: u16| {
        let share = world.key_share(server);
        decryption.decrypt_partially(&share, &mut rng(server.into())).unwrap()
    };
    decryption.combine(&[1, 2].map(partial)).unwrap()
}

/// Two openings with one honest b would differ by a known multiple of the count.
#[test]
fn no_blinding_is_kept_over_a_retry() {
    let mut world = world();
    let query = world.ask(Direction::Out, By::Value, vec![full()]);
    let routed = world.routed(&query);
    let [first, second] = [(); 2].map(|()| world.blindings(&routed));
    for (first, second) in first.iter().zip(&second) {
        for (first, second) in products(first).iter().zip(products(second)) {
            assert!(first[0] != second[0] && first[1] != second[1]);
        }
    }
}
