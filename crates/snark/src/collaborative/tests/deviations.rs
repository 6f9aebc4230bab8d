//! Parties that deviate, and keys that betray: carried out, and refused.

use std::thread;

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Engine, Group, Pairing, Scalar};
use circuit::synthesis::Circuit as _;
use wire::Encode as _;

use super::{
    super::{
        run::{agreed, hello},
        *,
    },
    G1, G2, Power, S, World, finish, honest, mask, mesh, reveal,
};
use crate::{
    groth16::{self, PreparedVerifyingKey, ProvingKey, to_affine},
    test_circuit::{rng, stray},
};

/// Every field of the messages of the check.
#[test]
fn a_wrong_message_of_the_check_opens_nothing() {
    let world = World::<Bn254>::new();
    let changes: [fn(&mut MaskedShare<Bn254>); 2] =
        [|m| m.c += G1::generator(), |m| m.rho += <S as Scalar>::one()];
    for (change, fails) in changes.into_iter().zip([true, false]) {
        let (provers, first) = world.start(3, 44);
        let (checking, mut masked) = mask(provers, &first);
        change(&mut masked[1]);
        let (revealed, shares) = reveal(checking, &masked);
        // Another ρ is as good as the one.
        let results = finish(revealed, &shares, honest);
        let refused = |result: &Result<_, _>| matches!(result, Err(Error::Unsatisfied));
        assert!(results.iter().all(|result| refused(result) == fails));
    }
    let target = Bn254::pairing(&G1::generator(), &G2::generator());
    let changed_share = |share: &mut CheckShare<Bn254>| share.share += target;
    let changed_nonce = |share: &mut CheckShare<Bn254>| share.nonce[9] ^= 1;
    for change in [&changed_share as &dyn Fn(&mut _), &changed_nonce] {
        let (provers, first) = world.start(3, 45);
        let (checking, masked) = mask(provers, &first);
        let (revealed, mut shares) = reveal(checking, &masked);
        change(&mut shares[1]);
        let results = finish(revealed, &shares, honest);
        let named = |result: &Result<_, _>| matches!(result, Err(Error::Commitment { party: 2 }));
        assert!(results.iter().all(named));
    }
}

/// The value of the second factor on an odd power, for the witness of an `x`.
fn factor(world: &World<Bn254>, x: u64, row: usize) -> S {
    let (_, mut v) = world.key.row_values(&Power { x }.witness());
    world.key.to_odd_powers(&mut v);
    v[row]
}

/// Party 2 opens a factor with an error. Were C opened then, it would find the others' witness among
/// those that there can be.
#[test]
fn one_deviation_is_one_guess() {
    const ROW: usize = 5;
    let world = World::<Bn254>::new();
    let h = world.key.clone().g1_lists_mut()[3][ROW];
    let delta = world.key.verifying_key().delta_g2.into();
    let deviate = |seed| {
        let (provers, mut first) = world.start(3, seed);
        first[1].masked[0][ROW] += <S as Scalar>::one();
        let opened: (G1, G2) = (first.iter().map(|m| m.a).sum(), first.iter().map(|m| m.b).sum());
        (mask(provers, &first), opened)
    };
    let ((checking, _), (a, b)) = deviate(46);
    let c: G1 = checking.iter().map(Checking::share_of_c).sum();
    let verifier = PreparedVerifyingKey::new(world.key.verifying_key()).unwrap();
    let (excess, _) = verifier.excess(&world.public, (a, b, c));
    let at = |x| -(Bn254::pairing(&h.into(), &delta) * factor(&world, x, ROW));
    let found: Vec<_> = (0..10).filter(|&x| at(x) == excess).collect();
    assert_eq!(found, [3]);

    // As it is, it takes back what a guess makes of C: a right guess passes, no other does, and what is
    // opened then is another element each time.
    let mut sums = Vec::new();
    for (seed, guess) in [(46, 3), (46, 2), (47, 2), (48, 4)] {
        let ((checking, mut masked), _) = deviate(seed);
        let by = G1::from(h).mul(&factor(&world, guess, ROW));
        masked[1].c -= by;
        let (revealed, shares) = reveal(checking, &masked);
        sums.push(shares.iter().map(|share| share.share).sum::<<Bn254 as Pairing>::Target>());
        let results = finish(revealed, &shares, |second| {
            if let Some(message) = second.get_mut(1) {
                message.c -= by;
            }
        });
        let refused = |result: &Result<_, _>| matches!(result, Err(Error::Unsatisfied));
        assert!(results.iter().all(|result| refused(result) == (guess != 3)), "{guess}");
    }
    assert_eq!(sums[0], Default::default());
    assert!(sums[2] != sums[1] && sums[3] != sums[2] && !sums[1..].contains(&excess));
}

/// Party 2 waits for the others' shares of the check before it says its own.
#[test]
fn nobody_makes_the_check_come_out_afterwards() {
    let world = World::<Bn254>::new();
    let (provers, mut first) = world.start(2, 49);
    first[1].masked[0][0] += <S as Scalar>::one();
    let (checking, masked) = mask(provers, &first);
    let (revealed, mut shares) = reveal(checking, &masked);
    shares[1].share = -shares[0].share;
    let refused = revealed.into_iter().next().unwrap().second(&shares);
    assert!(matches!(refused, Err(Error::Commitment { party: 2 })));
}

/// A key whose list B has another point in G1 than in G2: the shares of B that all parties send first
/// would show the wire's value to whoever tries the few that it can have.
#[test]
fn a_key_that_masks_nothing_is_refused_before_anything_is_sent() {
    let world = World::<Bn254>::new();
    let mut key = world.key.clone();
    let moved = &mut key.g1_lists_mut()[1][0];
    *moved = to_affine(&(G1::from(*moved) + G1::generator()));
    let shares = world.shares(3, 55);
    let [r, s] = [1, 2].map(|seed| <S as Scalar>::random(&mut rng(seed)));
    let sums = shares
        .iter()
        .map(|(share, _)| key.blinded_sums(&share.wires(), &r, &s, share.seat().party() == 1));
    let (mut b, mut b_g1) = (G2::identity(), G1::identity());
    sums.for_each(|(_, share, share_g1)| (b, b_g1) = (b + share, b_g1 + share_g1));
    let (one, two) = (G1::generator(), G2::generator());
    let betrayed = Bn254::multi_pairing(&[(b_g1, two), (-one, b)]);
    let values = (0..10).map(<S as Scalar>::from_u64);
    let found: Vec<_> = values.filter(|&x| Bn254::pairing(&one, &two) * x == betrayed).collect();
    assert_eq!(found, [world.witness[3]]);

    for (share, triples) in &shares {
        let refused = Prover::start(&key, &world.system, share, triples, &mut rng(1)).err();
        assert!(matches!(refused, Some(Error::Key(groth16::Error::KeyGroups))));
    }
    // In G2, too, and beta and delta likewise.
    let mut key = world.key.clone();
    let moved = &mut key.g2_list_mut()[0];
    *moved = to_affine(&(G2::from(*moved) + two));
    let (share, triples) = &shares[0];
    let start = |key| Prover::start(key, &world.system, share, triples, &mut rng(1)).err();
    assert!(matches!(start(&key), Some(Error::Key(groth16::Error::KeyGroups))));
    assert!(start(&world.key).is_none());
}

/// The last point of a list moved out of the subgroup: that of a private wire, or of a row.
fn corrupt<G: CurveGroup>(list: &mut [Affine<G>]) {
    let last = list.last_mut().unwrap();
    *last = to_affine(&(G::from_affine(last) + stray::<G>()));
}

/// What a party with this key says, and how many frames it sends to an honest one.
fn sent_with<E: Engine>(world: &World<E>, key: &ProvingKey<E>) -> (Error, usize) {
    let mut peers = mesh(2);
    let mut other = peers.remove(1).remove(0).channel;
    let mut own = peers.remove(0);
    let mut shares = world.shares(2, 95);
    let ((share_two, triples_two), (share, triples)) = (shares.remove(1), shares.remove(0));
    thread::scope(|scope| {
        let party = scope.spawn(move || {
            let (system, rng) = (&world.system, &mut rng(96));
            prove_with_peers(key, system, &share, triples, &mut own, rng).unwrap_err()
        });
        let (_, first) =
            Prover::start(&world.key, &world.system, &share_two, &triples_two, &mut rng(97))
                .unwrap();
        let greeting = hello(&agreed(&world.key, &share_two, &triples_two), 2, 1);
        let mut frames = 0;
        for reply in [greeting, first.to_bytes()] {
            frames += usize::from(other.receive().is_ok());
            other.send(&reply).ok();
        }
        frames += usize::from(other.receive().is_ok());
        (party.join().unwrap(), frames)
    })
}

/// What a malformed key's points have outside the subgroup is masked by nothing: no share is sent.
fn shares_outside_the_subgroup_stay_here<E: Engine>(g1: bool) {
    let world = World::<E>::new();
    let with = |change: &dyn Fn(&mut ProvingKey<E>)| {
        let mut key = world.key.clone();
        change(&mut key);
        sent_with(&world, &key)
    };
    let is_named = |error: &Error, what: &str| {
        let named =
            matches!(error, Error::Key(groth16::Error::KeyPoint { point }) if *point == what);
        named && !error.tells()
    };
    // The greeting only.
    let (error, frames) = with(&|key| corrupt::<E::G2>(key.g2_list_mut()));
    assert!(is_named(&error, "B"), "{error}");
    assert_eq!(frames, 1);
    let lists = [("A", 0), ("B in G1", 1), ("K", 2), ("H", 3)];
    for (what, list) in lists.into_iter().filter(|_| g1) {
        let (error, frames) = with(&|key| corrupt::<E::G1>(key.g1_lists_mut()[list]));
        assert!(is_named(&error, what), "{what}: {error}");
        assert_eq!(frames, 1, "{what}");
    }
}

#[test]
fn shares_outside_the_subgroup_stay_here_on_both_curves() {
    // All of BN254's curve over the base field is the group.
    shares_outside_the_subgroup_stay_here::<Bn254>(false);
    shares_outside_the_subgroup_stay_here::<Bls12381>(true);
}
