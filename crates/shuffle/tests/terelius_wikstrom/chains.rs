//! Attacks of several mixers together, and on a mixer that uses masks twice.

use algebra::{Group, Ristretto255 as G, Scalar};
use shuffle::{
    Column, Equation, Mix, MixClaim, MixContext, PublicKey, SecretKey, ShuffleError,
    tw::{
        Direction, Generators, ListClaim, ListContext, ListMasks, ListStatement,
        PermutationContext, VerifiedPermutation, verify_chain, verify_permutation,
    },
    verify_mixes,
};

use super::{
    common::{encrypted_columns, rng, turn},
    equations::{
        ListDeviations, announce_lists, list_challenges, list_transcript, permutation_digest,
    },
    matrix::{Matrix, MatrixMixer},
    passage::{Mixer, Passed, passages, verify_passed_chain},
};

type S = <G as Group>::Scalar;

const N: usize = 4;

fn key_and_inputs(columns: u64) -> (PublicKey<G>, Vec<Column<G>>) {
    let mut rng = rng(100);
    let key = SecretKey::generate(&mut rng).public_key();
    (key, encrypted_columns(&key, N as u64, columns, &mut rng))
}

/// A mixer of the tests' own, with an accepted permutation.
fn matrix_mixer(mixer: u32, images: &[usize]) -> (MatrixMixer<G>, VerifiedPermutation<G>) {
    let mut rng = rng(mixer.into());
    let context = PermutationContext { study: b"study", mix: b"mix", mixer };
    let mixer = MatrixMixer::commit(context, Matrix::of_permutation(images), &mut rng);
    let proof = mixer.prove(&mut rng, |_| {});
    let generators = Generators::derive(N);
    let commitment = mixer.commitment.clone();
    let verified = verify_permutation(commitment, &proof, &generators, &context).unwrap();
    (mixer, verified)
}

fn list_context(mixer: u32) -> ListContext<'static> {
    ListContext { study: b"study", mix: b"mix", purpose: b"mix", mixer, position: mixer }
}

/// `after[i] = before[images[i]]`, re-encrypted, and the randomness by the input's index.
fn moved(key: &PublicKey<G>, before: &Column<G>, images: &[usize]) -> (Column<G>, Vec<S>) {
    let r = S::random_many(N, &mut rng(101));
    let rows = before.ciphertexts();
    let re_encrypt = |&j: &usize| rows[j] + key.encrypt(&G::identity(), &r[j]);
    (Column::new(&images.iter().map(re_encrypt).collect::<Vec<_>>()), r)
}

/// Mixer 1 moves its list by another permutation than it committed to, and mixer 2 shifts its
/// announcement by the error that this leaves in mixer 1's (L0). The errors cancel in a sum with
/// weights 1; weights drawn after all proofs keep them apart.
#[test]
fn errors_of_two_mixers_that_cancel_in_an_unweighted_sum() {
    let (key, inputs) = key_and_inputs(1);
    let ((first, first_verified), (second, second_verified)) =
        (matrix_mixer(1, &[1, 2, 3, 0]), matrix_mixer(2, &[3, 1, 0, 2]));
    let uncommitted = [0, 1, 3, 2];
    let (middle, r1) = moved(&key, &inputs[0], &uncommitted);
    let (outputs, r2) = moved(&key, &middle, &[3, 1, 0, 2]);
    let (middle, outputs) = ([middle], [outputs]);
    let (passages1, passages2) =
        (passages(&[key], &inputs, &middle), passages(&[key], &middle, &outputs));
    let direction = Direction::Forward;
    let statement1 = ListStatement { context: list_context(1), direction, passages: &passages1 };
    let statement2 = ListStatement { context: list_context(2), direction, passages: &passages2 };

    let mut rng = rng(102);
    let moved_by = Matrix::of_permutation(&uncommitted);
    let proof1 = first.prove_lists(&statement1, &moved_by, &[r1], &mut rng, |_| {});
    let a = first.commitment.points();
    let deviations1 = ListDeviations::new(&statement1, &first.digest(), a, &proof1);
    let moved_by = Matrix::of_permutation(&[3, 1, 0, 2]);
    let proof2 = second.prove_lists(&statement2, &moved_by, &[r2], &mut rng, |proof| {
        proof.opening -= deviations1.opening;
    });
    let a = second.commitment.points();
    let deviations2 = ListDeviations::new(&statement2, &second.digest(), a, &proof2);
    for deviations in [&deviations1, &deviations2] {
        assert_eq!(deviations.failing(), [Equation::ListOpening]);
    }
    assert!((deviations1.opening + deviations2.opening).is_identity(), "the errors cancel");

    let claims = [
        ListClaim { permutation: &first_verified, statement: statement1, proof: &proof1 },
        ListClaim { permutation: &second_verified, statement: statement2, proof: &proof2 },
    ];
    let equation = Equation::ListOpening;
    let refused = verify_chain(&claims, &Generators::derive(N));
    assert_eq!(refused, Err(ShuffleError::Equation { mixer: 1, equation }));
}

/// Three honest mixers, forwards.
fn honest_chain(generators: &Generators<G>) -> (Vec<Mixer<G>>, Vec<Passed<G>>) {
    let mut rng = rng(103);
    let (key, inputs) = key_and_inputs(2);
    let mut lists: Vec<_> = inputs.into_iter().map(|list| (key, list)).collect();
    (1..=3)
        .map(|number| {
            let mixer = Mixer::random(number, N, generators, &mut rng);
            let context = mixer.list_context(b"mix", number);
            let passed = mixer.pass(context, Direction::Forward, &lists, generators, &mut rng);
            lists = passed.published();
            (mixer, passed)
        })
        .unzip()
}

#[test]
fn one_wrong_proof_in_a_chain_names_its_mixer() {
    let generators = Generators::derive(N);
    let (mixers, chain) = honest_chain(&generators);
    let verify = |chain: &[Passed<G>]| {
        let pairs: Vec<_> = mixers.iter().map(|mixer| &mixer.verified).zip(chain).collect();
        verify_passed_chain(&pairs, &generators)
    };
    assert_eq!(verify(&chain), Ok(()));
    for (index, mixer) in (0..3).zip(1..) {
        let mut changed = chain.clone();
        changed[index].proof.responses.columns[1] += S::one();
        let equation = Equation::ListColumn { column: 1, component: 1 };
        assert_eq!(verify(&changed), Err(ShuffleError::Equation { mixer, equation }));
        let mut changed = chain.clone();
        changed[index].proof.responses.challenges[0] += S::one();
        let equation = Equation::ListOpening;
        assert_eq!(verify(&changed), Err(ShuffleError::Equation { mixer, equation }));
    }
}

#[test]
fn mixers_left_out_or_exchanged_break_the_chain() {
    let generators = Generators::derive(N);
    let (mixers, chain) = honest_chain(&generators);
    let orders: [(&[usize], u32); 4] = [(&[0, 2], 3), (&[1, 0, 2], 1), (&[0, 0], 1), (&[2, 1], 2)];
    for (order, mixer) in orders {
        let pairs: Vec<_> = order.iter().map(|&i| (&mixers[i].verified, &chain[i])).collect();
        let broken = Err(ShuffleError::Broken { mixer });
        assert_eq!(verify_passed_chain(&pairs, &generators), broken);
    }
    let mut narrower = chain[1].clone();
    narrower.keys.pop();
    let pairs = [(&mixers[0].verified, &chain[0]), (&mixers[1].verified, &narrower)];
    let broken = Err(ShuffleError::Broken { mixer: 2 });
    assert_eq!(verify_passed_chain(&pairs, &generators), broken);
}

#[test]
fn mixes_checked_in_another_place_of_the_chain() {
    let mut rng = rng(104);
    let generators = Generators::derive(N);
    let (key, inputs) = key_and_inputs(2);
    let first = Mix::new(&key, &inputs, &generators, &turn(1), &mut rng).unwrap();
    let second = Mix::new(&key, &first.outputs, &generators, &turn(2), &mut rng).unwrap();
    let verify = |claims: [(MixContext<'static>, &Mix<G>); 2]| {
        let claims = claims.map(|(context, mix)| MixClaim { context, mix });
        verify_mixes(&key, &inputs, &claims, &generators)
    };
    assert_eq!(verify([(turn(1), &first), (turn(2), &second)]), Ok(()));

    let fails = |mixer, equation| Err(ShuffleError::Equation { mixer, equation });
    let late = MixContext { position: 3, ..turn(2) };
    assert_eq!(verify([(turn(1), &first), (late, &second)]), fails(2, Equation::ListOpening));
    let other = MixContext { mixer: 5, ..turn(2) };
    assert_eq!(verify([(turn(1), &first), (other, &second)]), fails(5, Equation::RowSums));
    let exchanged = verify([(turn(1), &second), (turn(2), &first)]);
    assert_eq!(exchanged, fails(1, Equation::RowSums));
    let twice = verify([(turn(1), &first), (turn(2), &first)]);
    assert_eq!(twice, fails(2, Equation::RowSums));
}

#[test]
fn mixes_with_missing_columns_rows_or_proofs() {
    let mut rng = rng(105);
    let generators = Generators::derive(N);
    let (key, inputs) = key_and_inputs(2);
    let honest = Mix::new(&key, &inputs, &generators, &turn(1), &mut rng).unwrap();
    let verify = |inputs: &[Column<G>], mix: &Mix<G>| {
        verify_mixes(&key, inputs, &[MixClaim { context: turn(1), mix }], &generators)
    };
    let length = |what, expected, got| Err(ShuffleError::Length { what, expected, got });

    let mut fewer = honest.clone();
    fewer.outputs.pop();
    assert_eq!(verify(&inputs, &fewer), length("columns", 2, 1));
    let none = Mix { outputs: vec![], proof: None };
    assert_eq!(verify(&inputs, &none), length("columns", 2, 0));
    assert_eq!(verify(&[], &none), length("columns", 0, 0));
    let unproved = Mix { proof: None, ..honest.clone() };
    assert_eq!(verify(&inputs, &unproved), Err(ShuffleError::Proof { mixer: 1, rows: true }));

    let empty = vec![Column::new(&[]); 2];
    let emptied = Mix { outputs: empty.clone(), proof: None };
    assert_eq!(verify(&empty, &emptied), Ok(()));
    assert_eq!(verify(&inputs, &emptied), length("list", N, 0));
    let proved = Mix { outputs: empty.clone(), ..honest.clone() };
    assert_eq!(verify(&empty, &proved), Err(ShuffleError::Proof { mixer: 1, rows: false }));
    assert_eq!(verify(&inputs, &proved), length("list", N, 0));
    assert_eq!(verify(&empty, &honest), length("list", 0, N));

    // Ballots that appear out of nothing, behind a mixer of nothing.
    let claims =
        [MixClaim { context: turn(1), mix: &emptied }, MixClaim { context: turn(2), mix: &honest }];
    assert_eq!(verify_mixes(&key, &empty, &claims, &generators), length("list", 0, N));
}

/// `z_i − z'_i = c'·e''_i − c·e'_i`, so whoever sees two proofs from the same masks reads the
/// permutation off them. [`ListMasks`] are consumed by value and cannot be cloned; a mixer that
/// restores a backup draws the same ones again all the same, as this one does.
#[test]
fn masks_used_twice_reveal_the_permutation() {
    let generators = Generators::derive(N);
    let (key, inputs) = key_and_inputs(1);
    let mixer = Mixer::random(1, N, &generators, &mut rng(106));
    let mut seed = 107;
    let mut prove = |purpose, restored: bool| {
        seed += 1;
        let backup = if restored { 0 } else { seed };
        let masks = ListMasks::prepare(N, &generators, &mut rng(backup)).unwrap();
        let context = mixer.list_context(purpose, 1);
        let lists = [(key, inputs[0].clone())];
        let direction = Direction::Forward;
        let mut rng = rng(seed);
        let passed = mixer.pass_tampering(context, direction, &lists, masks, &mut rng, |_| {});
        assert_eq!(passed.verify(&mixer.verified, &generators), Ok(()));
        passed
    };
    let restored = [prove(b"query 1", true), prove(b"query 2", true)];
    let fresh = [prove(b"query 1", false), prove(b"query 2", false)];
    let images = mixer.committed.permutation().images();
    let digest = permutation_digest(&mixer.context, mixer.verified.commitment().points());
    assert_eq!(
        permutation_from_two_proofs(&restored, &digest),
        images.iter().map(|&i| Some(i)).collect::<Vec<_>>()
    );
    assert_eq!(permutation_from_two_proofs(&fresh, &digest), [None; N]);
}

/// For every output the input that explains the difference of the two responses, if there is one.
fn permutation_from_two_proofs(proofs: &[Passed<G>; 2], digest: &[u8; 64]) -> Vec<Option<usize>> {
    let public = proofs.each_ref().map(|passed| {
        let passages = passed.passages();
        let mut transcript = list_transcript(&passed.statement(&passages), digest);
        let e: Vec<S> = list_challenges(&mut transcript, N);
        let c = announce_lists(&mut transcript, &passed.proof);
        (e, c, &passed.proof.responses.challenges)
    });
    let [(e1, c1, z1), (e2, c2, z2)] = public;
    let explains = |i: usize, j: usize| z1[i] - z2[i] == c2 * e2[j] - c1 * e1[j];
    (0..N).map(|i| (0..N).find(|&j| explains(i, j))).collect()
}
