//! Dishonest shuffles. Tests only.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use algebra::Bls12381G1 as G;
use integer::{SecretInteger, safe_prime};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use shuffle::tw::{
    CommittedPermutation, Permutation, PermutationContext, prove_permutation, verify_permutation,
};

use super::{prove::Masks, *};
use crate::paillier::{ModulusSize, Parties, dealt};

/// The group sees integers modulo q only. A prover whose integers differ by q between the two
/// equations satisfies both; its response is longer than 2^232.
#[test]
fn integers_that_agree_modulo_q_only_are_refused() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let primes = [safe_prime(512, &mut rng), safe_prime(512, &mut rng)];
    let dealt =
        dealt::deal_from_primes(&primes, ModulusSize::InsecureTest, Parties::all(1), &mut rng);
    let key = dealt.unwrap().0;
    let generators = Generators::<G>::derive(2);
    let permutation = Permutation::from_map(vec![1, 0]).unwrap();
    let committed = CommittedPermutation::commit(permutation, &generators, &mut rng).unwrap();
    let of_server_1 = PermutationContext { study: b"test", mix: b"1", mixer: 1 };
    let proof = prove_permutation(&committed, &generators, &of_server_1, &mut rng).unwrap();
    let commitment = committed.commitment().clone();
    let verified = verify_permutation(commitment, &proof, &generators, &of_server_1).unwrap();

    let context = Context { session: b"test", purpose: b"mix", server: 1 };
    let before = key.trivial(&[5.into(), 6.into()]);
    let shuffled = shuffle_ciphertexts(&key, &committed, &before, &mut rng).unwrap();
    let (transcript, e) =
        statement(&key, &context, committed.commitment(), &before, &shuffled.list);
    let witness = prove::Witness::new(&committed, &shuffled, &e);

    let minus_one = <G as Group>::Scalar::zero() - <G as Group>::Scalar::one();
    let q = Integer::from_digits(&minus_one.encode(), Order::Lsf) + 1_u32;
    let mut forge = |shift: Option<&Integer>| {
        let mut masks = [(); ROUNDS].map(|()| Masks::<G>::draw(&key, 2, &mut rng));
        if let Some(shift) = shift {
            let shifted = Integer::from(masks[0].challenges[0].expose() + shift);
            masks[0].challenges[0] = SecretInteger::new(shifted);
        }
        let mut rounds =
            masks.each_ref().map(|masks| masks.announce(&key, &generators, &shuffled.list));
        let challenges = round_challenges(&mut transcript.clone(), &rounds);
        for ((round, masks), c) in rounds.iter_mut().zip(&masks).zip(challenges) {
            masks.respond(c, &witness, round);
        }
        let proof = ShuffleProof { rounds };
        verify_shuffle(
            &key,
            &generators,
            &ShuffleClaim {
                context,
                permutation: &verified,
                before: &before,
                after: &shuffled.list,
                proof: &proof,
            },
        )
    };
    assert_eq!(forge(None), Ok(()));
    assert_eq!(forge(Some(&q)), Err(PaillierError::ShuffleRange { server: 1 }));
    assert_eq!(forge(Some(&-q)), Err(PaillierError::ShuffleRange { server: 1 }));
}
