//! What honest parties do works, at every size.

use algebra::Scalar;
use integer::{Integer, SecretInteger};
use shuffle::tw::Generators;
use trace_db::paillier::*;
use wire::{Encode, Reader};

use super::support::*;

#[test]
fn lists_of_any_length_decrypt_for_any_number_of_servers() {
    for servers in 1..=4 {
        for world in worlds(servers) {
            for values in [&[][..], &[5], &[0, 1, u64::MAX]] {
                let (list, _) = world.encrypt(values, 1);
                assert_eq!(world.open(&list), integers(values));
            }
        }
    }
}

#[test]
fn any_threshold_of_servers_opens_what_was_dealt() {
    let world = dealt(4, 2);
    let (list, _) = world.encrypt(&[7, 8, 9], 1);
    for a in 1..=4 {
        for b in (1..=4).filter(|&b| b != a) {
            let opened = world.key.open(SESSION, b"open", &list, &world.partials(&list, &[a, b]));
            assert_eq!(opened.unwrap(), integers(&[7, 8, 9]));
        }
        let one = world.partials(&list, &[a]);
        let refused = Err(PaillierError::TooFewShares { got: 1, needed: 2 });
        assert_eq!(world.key.open(SESSION, b"open", &list, &one), refused);
        let twice = [one[0].clone(), one[0].clone()];
        assert_eq!(world.key.open(SESSION, b"open", &list, &twice), refused);
    }
    let all = world.partials(&list, &[3, 1, 4, 2]);
    assert_eq!(world.key.open(SESSION, b"open", &list, &all).unwrap(), integers(&[7, 8, 9]));
    assert_eq!(dealt(3, 1).open(&dealt(3, 1).encrypt(&[6], 1).0), integers(&[6]));
}

#[test]
fn keys_with_and_without_tables_do_the_same() {
    for world in worlds(2) {
        let tabled = World { key: world.key.clone().with_tables(), shares: world.shares };
        let (list, _) = tabled.encrypt(&[1, 2, 3], 9);
        let plain = World { key: world.key, shares: tabled.shares };
        assert_eq!(list, plain.encrypt(&[1, 2, 3], 9).0);
        let (fresh, _) = tabled.key.rerandomize(&list, &mut rng(2));
        assert_ne!(fresh, list);
        assert_eq!(fresh, plain.key.rerandomize(&list, &mut rng(2)).0);
        assert_eq!(plain.open(&fresh), integers(&[1, 2, 3]));
    }
}

#[test]
fn ciphertexts_add_and_scale() {
    for world in worlds(2) {
        let key = &world.key;
        let (a, b) = (world.encrypt(&[1, 2, 3], 1).0, key.trivial(&integers(&[10, 20, 30])));
        assert_eq!(world.open(&key.add(&a, &b).unwrap()), integers(&[11, 22, 33]));
        let scaled = key.scale(&a, &[0, 5, u128::MAX]).unwrap();
        assert_eq!(world.open(&scaled), [0.into(), 10.into(), Integer::from(u128::MAX) * 3]);
        let negative = key.trivial(&[(-1).into(), 0.into(), 0.into()]);
        assert_eq!(world.open(&key.add(&a, &negative).unwrap()), integers(&[0, 2, 3]));

        let joined = Ciphertexts::concat(key, &[&a, &b]);
        assert_eq!(world.open(&joined.select(key, &[5, 0, 6])), integers(&[30, 1]));
        let short = key.trivial(&integers(&[1]));
        let mismatch = PaillierError::Length { what: "summands", expected: 3, got: 1 };
        assert_eq!(key.add(&a, &short), Err(mismatch));
        assert!(key.scale(&a, &[1]).is_err());
    }
}

#[test]
fn plaintexts_outside_the_integers_modulo_n_are_refused() {
    let world = dealt(1, 1);
    for bad in [Integer::from(-1), world.key.plain().value().clone()] {
        let plaintexts = [Integer::new(), bad].map(SecretInteger::new).into();
        let refused = world.key.encrypt(plaintexts, &mut rng(1)).map(|_| ());
        assert_eq!(refused, Err(PaillierError::Plaintext { index: 1 }));
    }
}

#[test]
fn packed_masks_of_all_servers_come_off() {
    let mut rng = rng(1);
    for world in worlds(4) {
        let (high, low) = (S::random(&mut rng), S::random(&mut rng));
        let packed = pack(&integer_of(&high), &integer_of(&low));
        let (mut list, _) = world.key.encrypt(vec![packed], &mut rng).unwrap();
        let (mut high_sum, mut low_sum) = (high, low);
        for _ in 0..4 {
            let (b_high, b_low) = (S::random(&mut rng), S::random(&mut rng));
            let mask = pack(&mask_of(&b_high, &mut rng), &mask_of(&b_low, &mut rng));
            assert!(mask.expose().significant_bits() <= PACKED_BITS);
            let (mask, _) = world.key.encrypt(vec![mask], &mut rng).unwrap();
            list = world.key.add(&list, &mask).unwrap();
            (high_sum, low_sum) = (high_sum + b_high, low_sum + b_low);
        }
        assert_eq!(unpack::<S>(&world.open(&list)[0]), (high_sum, low_sum));
    }
    let minus_one = S::zero() - S::one();
    assert_eq!(scalar_of::<S>(integer_of(&minus_one).expose()), minus_one);
    assert_eq!(scalar_of::<S>(&Integer::from(-1)), minus_one);
}

#[test]
fn proofs_of_plaintexts_verify_in_batches_and_name_the_false_one() {
    for world in worlds(2) {
        let lists: Vec<_> = [0, 1, 3].iter().map(|&n| packed(&world, n, n as u64)).collect();
        let mut claims: Vec<_> = lists.iter().map(|(list, p)| plaintext_claim(list, p)).collect();
        assert_eq!(verify_plaintexts(&world.key, &claims), Ok(()));
        assert_eq!(verify_plaintexts(&world.key, &[]), Ok(()));

        let swapped = lists[2].0.select(&world.key, &[0, 2, 1]);
        claims[2].ciphertexts = &swapped;
        let named = Err(PaillierError::PlaintextProof { claim: 2, index: 0 });
        assert_eq!(verify_plaintexts(&world.key, &claims), named);
        claims[2].ciphertexts = &lists[1].0;
        let length = PaillierError::Length { what: "announcements", expected: 1, got: 3 };
        assert_eq!(verify_plaintexts(&world.key, &claims), Err(length));
    }
}

#[test]
fn shuffles_of_any_length_verify_and_permute() {
    for world in worlds(2) {
        for n in [1, 2, 3, 7] {
            let values: Vec<u64> = (0..n).collect();
            let passage = passage(&world, &values);
            verify_shuffle(&world.key, &passage.generators, &passage.claim()).unwrap();
            let rotated: Vec<u64> = (0..n).map(|i| (i + 1) % n).collect();
            assert_eq!(world.open(&passage.after), integers(&rotated));
        }
    }
}

#[test]
fn shuffles_of_nothing_or_beyond_the_generators_are_refused() {
    let world = dealt(1, 1);
    let passage = passage(&world, &[1, 2, 3]);
    let few = Generators::<G>::derive(2);
    let refused = Err(PaillierError::Generators { available: 2, needed: 3 });
    assert_eq!(verify_shuffle(&world.key, &few, &passage.claim()), refused);
    let empty = world.key.trivial(&[]);
    let claim = ShuffleClaim { after: &empty, ..passage.claim() };
    let length = PaillierError::Length { what: "list after", expected: 3, got: 0 };
    assert_eq!(verify_shuffle(&world.key, &passage.generators, &claim), Err(length));
    let refused = shuffle_ciphertexts(&world.key, &passage.committed, &empty, &mut rng(1));
    assert!(refused.is_err());
}

#[test]
fn encodings_decode_to_what_was_encoded() {
    for world in [dealt(3, 2), bcp(2)] {
        let key = &world.key;
        let bytes = key.to_bytes();
        assert!(PublicKey::decode(&mut Reader::new(&bytes), SIZE).unwrap() == *key);
        for share in &world.shares {
            let bytes = share.to_secret_bytes();
            let read = KeyShare::decode(&mut Reader::new(&bytes), key).unwrap();
            assert_eq!(read.to_secret_bytes(), bytes);
        }
        let passage = passage(&world, &[1, 2, 3]);
        let bytes = passage.before.to_bytes();
        assert_eq!(Ciphertexts::decode(&mut Reader::new(&bytes), key).unwrap(), passage.before);
        let bytes = passage.proof.to_bytes();
        let mut reader = Reader::new(&bytes);
        assert_eq!(ShuffleProof::decode(&mut reader, key, 3).unwrap(), passage.proof);
        reader.finish().unwrap();
        let partial = &world.partials(&passage.after, &[2])[0];
        let bytes = partial.to_bytes();
        assert_eq!(PartialDecryption::decode(&mut Reader::new(&bytes), key).unwrap(), *partial);
        let (_, proofs) = packed(&world, 2, 1);
        let bytes = proofs.to_bytes();
        let read = PlaintextProofs::decode(&mut Reader::new(&bytes), key, 2, PACKED_BITS);
        assert_eq!(read.unwrap(), proofs);
    }
}
