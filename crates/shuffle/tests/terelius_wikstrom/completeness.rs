//! Honest mixers convince: every size, number of columns, direction, chain length and group.

use std::collections::HashSet;

use algebra::{Bls12381G1, Bn254G1, Embed, Group, Ristretto255, Scalar};
use shuffle::{
    Ciphertext, Column, Mix, MixClaim, PreparedMix, PublicKey, SecretKey, ShuffleError,
    tw::{
        Direction, Generators, ListMasks, ListProof, Permutation, PermutationProof,
        prove_permutation,
    },
    verify_mixes,
};
use wire::{Decode, Encode, Reader};

use super::common::{encrypted_columns, rng, turn};
use super::passage::{Mixer, Passed, verify_passed_chain};

fn decrypt<G: Group>(secret: &SecretKey<G>, column: &Column<G>) -> Vec<G> {
    secret.decrypt_all(&column.ciphertexts())
}

/// The decrypted ballots in canonical order: one row of encodings for each.
fn ballots<G: Group>(secret: &SecretKey<G>, columns: &[Column<G>]) -> Vec<Vec<u8>> {
    let columns: Vec<_> = columns.iter().map(|column| decrypt(secret, column)).collect();
    let row = |i: usize| columns.iter().flat_map(|column| column[i].encode()).collect();
    let mut rows: Vec<Vec<u8>> = (0..columns[0].len()).map(row).collect();
    rows.sort();
    rows
}

/// Runs `mixers` mixers over fresh ballots, checks the chain and that every ballot came out whole.
fn mix_and_verify<G: Group>(rows: u64, columns: u64, mixers: u32) {
    let mut rng = rng(rows ^ columns << 32);
    let secret = SecretKey::<G>::generate(&mut rng);
    let key = secret.public_key();
    let generators = Generators::derive(rows as usize);
    let inputs = encrypted_columns(&key, rows, columns, &mut rng);
    let mut chain = Vec::<Mix<G>>::new();
    for mixer in 1..=mixers {
        let before = chain.last().map_or(&inputs, |mix| &mix.outputs);
        let mix = Mix::new(&key, before, &generators, &turn(mixer), &mut rng).unwrap();
        assert_eq!(mix.outputs == *before, rows == 0, "a mixer re-encrypts everything");
        assert_eq!(mix.proof.is_none(), rows == 0);
        assert_eq!(Mix::from_bytes(&mix.to_bytes()).unwrap(), mix);
        chain.push(mix);
    }
    let claims: Vec<_> =
        (1..).zip(&chain).map(|(mixer, mix)| MixClaim { context: turn(mixer), mix }).collect();
    assert_eq!(verify_mixes(&key, &inputs, &claims, &generators), Ok(()));
    assert_eq!(ballots(&secret, &inputs), ballots(&secret, &chain.last().unwrap().outputs));
}

/// Lists of several keys, forwards and backwards, through one committed permutation.
fn pass_both_ways<G: Group>(n: usize, columns: u64) {
    let mut rng = rng(n as u64);
    let generators = Generators::<G>::derive(n);
    let mixer = Mixer::random(1, n, &generators, &mut rng);
    let secrets: Vec<_> = (0..columns).map(|_| SecretKey::<G>::generate(&mut rng)).collect();
    let lists: Vec<_> = secrets
        .iter()
        .map(|secret| {
            let key = secret.public_key();
            (key, encrypted_columns(&key, n as u64, 1, &mut rng).remove(0))
        })
        .collect();
    let images = mixer.committed.permutation();
    let inverse = images.inverse();
    for (direction, mover) in [(Direction::Forward, images), (Direction::Backward, &inverse)] {
        let context = mixer.list_context(b"lists", 1);
        let passed = mixer.pass(context, direction, &lists, &generators, &mut rng);
        assert_eq!(passed.verify(&mixer.verified, &generators), Ok(()));
        for (secret, (before, after)) in secrets.iter().zip(passed.before.iter().zip(&passed.after))
        {
            assert_eq!(decrypt(secret, after), mover.apply(&decrypt(secret, before)));
        }
        let bytes = passed.proof.to_bytes();
        let points = 1 + 2 * columns as usize;
        let scalars = n + 1 + columns as usize;
        assert_eq!(bytes.len(), points * G::ENCODED_LEN + scalars * G::Scalar::ENCODED_LEN);
        let decoded = ListProof::decode(&mut Reader::new(&bytes), n, columns as usize);
        assert_eq!(decoded.unwrap(), passed.proof);
    }
}

#[test]
fn mixes_of_every_size() {
    for rows in [0, 1, 2, 3, 63, 64, 300] {
        mix_and_verify::<Ristretto255>(rows, 1, 1);
    }
}

#[test]
fn mixes_of_several_columns_keep_ballots_whole() {
    for (rows, columns) in [(0, 2), (1, 2), (2, 3), (3, 16), (64, 3)] {
        mix_and_verify::<Ristretto255>(rows, columns, 1);
    }
}

#[test]
fn chains_of_mixers() {
    for mixers in 1..=4 {
        for (rows, columns) in [(0, 1), (1, 1), (5, 2)] {
            mix_and_verify::<Ristretto255>(rows, columns, mixers);
        }
    }
}

#[test]
fn lists_pass_forwards_and_backwards() {
    for n in [1, 2, 3, 63, 300] {
        for columns in 1..=3 {
            pass_both_ways::<Ristretto255>(n, columns);
        }
    }
}

#[test]
fn pairing_groups() {
    mix_and_verify::<Bls12381G1>(3, 2, 2);
    mix_and_verify::<Bn254G1>(3, 2, 2);
    pass_both_ways::<Bls12381G1>(2, 2);
    pass_both_ways::<Bn254G1>(2, 2);
}

/// Markers on two outputs travel back through all mixers to the inputs those came from, and
/// forwards again to where they started.
#[test]
fn marker_lists_trace_outputs_to_inputs_and_back() {
    type G = Ristretto255;
    const N: usize = 9;
    let mut rng = rng(5);
    let generators = Generators::<G>::derive(N);
    let secret = SecretKey::generate(&mut rng);
    let key = secret.public_key();
    let mixers: Vec<_> =
        (1..=3).map(|mixer| Mixer::random(mixer, N, &generators, &mut rng)).collect();

    let inputs = encrypted_columns(&key, N as u64, 1, &mut rng).remove(0);
    let mut ballots = vec![(key, inputs.clone())];
    for mixer in &mixers {
        let context = mixer.list_context(b"mix", mixer.context.mixer);
        let passed = mixer.pass(context, Direction::Forward, &ballots, &generators, &mut rng);
        ballots = passed.published();
    }
    let [inputs, outputs] = [&inputs, &ballots[0].1].map(|column| decrypt(&secret, column));

    let marked = [2, 7];
    let marker = |set: &dyn Fn(usize) -> bool| {
        let row = |j| if set(j) { G::generator() } else { G::identity() };
        Column::new(&(0..N).map(|j| Ciphertext::trivial(row(j))).collect::<Vec<_>>())
    };
    // Two queries ride in one pass, as two columns.
    let queries = [marker(&|j| marked.contains(&j)), marker(&|j| j == 0)].map(|list| (key, list));
    let mut chain = Vec::new();
    let mut lists = queries.to_vec();
    for (position, mixer) in (1..).zip(mixers.iter().rev()) {
        let context = mixer.list_context(b"query 1", position);
        let passed = mixer.pass(context, Direction::Backward, &lists, &generators, &mut rng);
        lists = passed.published();
        chain.push((&mixer.verified, passed));
    }
    let verify = |chain: &[(_, Passed<G>)]| {
        let chain: Vec<_> = chain.iter().map(|(verified, passed)| (*verified, passed)).collect();
        verify_passed_chain(&chain, &generators)
    };
    assert_eq!(verify(&chain), Ok(()));
    let found = decrypt(&secret, &lists[0].1);
    let traced = inputs.iter().zip(&found).filter(|(_, mark)| **mark == G::generator());
    let traced: HashSet<_> = traced.map(|(message, _)| message.encode()).collect();
    assert_eq!(traced, marked.map(|j| outputs[j].encode()).into());
    assert_eq!(found.iter().filter(|mark| mark.is_identity()).count(), N - marked.len());

    let mut chain = Vec::new();
    for (position, mixer) in (1..).zip(&mixers) {
        let context = mixer.list_context(b"query 2", position);
        let passed = mixer.pass(context, Direction::Forward, &lists, &generators, &mut rng);
        lists = passed.published();
        chain.push((&mixer.verified, passed));
    }
    assert_eq!(verify(&chain), Ok(()));
    for ((_, returned), (_, query)) in lists.iter().zip(&queries) {
        assert_eq!(decrypt(&secret, returned), decrypt(&secret, query));
    }
}

#[test]
fn embedded_texts_survive_a_prepared_mix() {
    type G = Ristretto255;
    let mut rng = rng(6);
    let generators = Generators::<G>::derive(8);
    let secret = SecretKey::generate(&mut rng);
    let key = secret.public_key();
    let texts = ["yes", "no", ""].map(|text| G::embed(text.as_bytes()).unwrap());
    let encrypt = |text| key.encrypt(text, &Scalar::random(&mut rng));
    let inputs = [Column::new(&texts.iter().map(encrypt).collect::<Vec<_>>())];
    let prepared = PreparedMix::prepare(3, &generators, &turn(1), &mut rng).unwrap();
    let mix = prepared.mix(&key, &inputs, &turn(1), &mut rng).unwrap();
    let claims = [MixClaim { context: turn(1), mix: &mix }];
    assert_eq!(verify_mixes(&key, &inputs, &claims, &generators), Ok(()));
    let mut out: Vec<_> = decrypt(&secret, &mix.outputs[0]).iter().map(Embed::extract).collect();
    out.sort();
    let padded = |text: &[u8]| Some([text, &[0; 16][text.len()..]].concat());
    assert_eq!(out, [padded(b""), padded(b"no"), padded(b"yes")]);
}

#[test]
fn lists_that_do_not_match_are_not_mixed() {
    type G = Ristretto255;
    let mut rng = rng(7);
    let generators = Generators::<G>::derive(4);
    let key = SecretKey::generate(&mut rng).public_key();
    let mut columns = |rows| encrypted_columns::<G>(&key, rows, 1, &mut rng).remove(0);
    let [none, three, four, five] = [columns(0), columns(3), columns(4), columns(5)];
    let mut mix = |inputs: &[Column<G>]| Mix::new(&key, inputs, &generators, &turn(1), &mut rng);
    let length = |expected, got| ShuffleError::Length { what: "list", expected, got };
    assert_eq!(mix(&[]), Err(ShuffleError::Empty));
    assert_eq!(mix(&[three.clone(), four.clone()]), Err(length(3, 4)));
    assert_eq!(mix(&[four, none.clone()]), Err(length(4, 0)));
    assert_eq!(mix(&[none, three]), Err(ShuffleError::Empty));
    assert_eq!(mix(&[five]), Err(ShuffleError::Generators { available: 4, needed: 5 }));
    let nothing = ListMasks::prepare(0, &generators, &mut rng).err();
    assert_eq!(nothing, Some(ShuffleError::Empty));
}

#[test]
fn the_proof_is_a_function_of_statement_and_randomness() {
    let mix = |seed| {
        let mut inputs_rng = rng(8);
        let generators = Generators::<Ristretto255>::derive(6);
        let key = SecretKey::generate(&mut inputs_rng).public_key();
        let inputs = encrypted_columns(&key, 6, 2, &mut inputs_rng);
        Mix::new(&key, &inputs, &generators, &turn(1), &mut rng(seed)).unwrap().to_bytes()
    };
    assert_eq!(mix(1), mix(1));
    assert_ne!(mix(1), mix(2));
}

#[test]
fn permutation_proofs_are_160_bytes_a_row_with_the_commitment() {
    type G = Ristretto255;
    let mut rng = rng(9);
    let generators = Generators::<G>::derive(7);
    let mixer = Mixer::random(1, 7, &generators, &mut rng);
    let bytes = mixer.proof.to_bytes();
    assert_eq!(mixer.verified.commitment().encoding().len() + bytes.len(), 160 * 7 + 192);
    assert_eq!(PermutationProof::decode(&mut Reader::new(&bytes), 7).unwrap(), mixer.proof);
    let again = prove_permutation(&mixer.committed, &generators, &mixer.context, &mut rng).unwrap();
    assert_ne!(again, mixer.proof, "masks are fresh");
}

#[test]
fn shorter_generator_lists_are_prefixes() {
    let long = Generators::<Ristretto255>::derive(20);
    let mut short = Generators::<Ristretto255>::derive(3);
    assert_eq!(short.list(3), &long.list(20)[..3]);
    assert_eq!(short.blinding().base(), long.blinding().base());
    short.extend_to(20);
    assert_eq!(short.list(20), long.list(20));
    short.extend_to(5);
    assert_eq!(short.len(), 20, "extending never shortens");
    let all = [long.basepoint().base(), long.blinding().base()];
    let distinct: HashSet<_> = all.iter().chain(long.list(20)).map(Group::encode).collect();
    assert_eq!(distinct.len(), 22);
}

#[test]
fn permutations_are_bijections() {
    let permutation = Permutation::from_map(vec![2, 0, 3, 1]).unwrap();
    assert_eq!(permutation.apply(&['a', 'b', 'c', 'd']), ['c', 'a', 'd', 'b']);
    assert_eq!(permutation.inverse().images(), [1, 3, 0, 2]);
    assert_eq!(permutation.inverse().apply(permutation.images()), [0, 1, 2, 3]);
    for not_one in [vec![0, 0], vec![1], vec![0, 2]] {
        assert!(Permutation::from_map(not_one).is_none());
    }
    let mut rng = rng(10);
    let drawn: HashSet<_> =
        (0..200).map(|_| Permutation::random(3, &mut rng).images().to_vec()).collect();
    assert_eq!(drawn.len(), 6, "every order of three occurs");
}

#[test]
fn the_neutral_element_is_no_key() {
    assert!(PublicKey::new(Ristretto255::identity()).is_none());
    assert!(SecretKey::<Ristretto255>::new(Scalar::zero()).is_none());
}
