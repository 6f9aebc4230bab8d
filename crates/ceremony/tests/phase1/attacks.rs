//! What a dishonest participant or coordinator might try.

use algebra::{Bls12381, Bn254, CurveGroup as _, Engine};
use ceremony::{
    Error, Relation,
    phase1::{self, Settings},
};
use circuit::{Attribution, ptau::Singular};

use crate::{beacon, contents::Contents, contribute, new, rng, verify};

/// Ana's file, and Bob's after it.
fn two<E: Engine>() -> (Contents<E>, Contents<E>) {
    let ana = contribute::<E>(&new::<E>(2), "Ana", 1);
    let bob = contribute::<E>(&ana, "Bob", 2);
    (Contents::read(&ana), Contents::read(&bob))
}

fn refused<E: Engine>(contents: &Contents<E>, index: usize, expected: Relation) {
    match verify::<E>(&contents.write()) {
        Err(Error::Contribution { index: found, relation }) => {
            assert_eq!((found, relation), (index, expected));
        }
        other => panic!("{other:?}"),
    }
}

fn different_secrets_in_both_groups<E: Engine>() {
    let (ana, bob) = two::<E>();

    let mut contents = bob.clone();
    contents.tau_g2.clone_from(&ana.tau_g2);
    contents.contributions[1].after.tau_g2 = ana.contributions[0].after.tau_g2;
    refused(&contents, 1, Relation::TauG2);

    let mut contents = bob.clone();
    contents.tau.clone_from(&ana.tau);
    contents.contributions[1].after.tau_g1 = ana.contributions[0].after.tau_g1;
    refused(&contents, 1, Relation::TauG1);

    let mut contents = bob.clone();
    contents.beta_g2.clone_from(&ana.beta_g2);
    contents.contributions[1].after.beta_g2 = ana.contributions[0].after.beta_g2;
    refused(&contents, 1, Relation::BetaG2);

    // Only in the section: the contribution says otherwise.
    let mut contents = bob;
    contents.beta_g2 = ana.beta_g2;
    let error = verify::<E>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::Singular { index: 0, .. }), "{error}");
}

#[test]
fn different_secrets_in_both_groups_are_found() {
    different_secrets_in_both_groups::<Bn254>();
    different_secrets_in_both_groups::<Bls12381>();
}

/// Who does not know the secrets of a state cannot claim it: Bob shows Ana's points as his own.
#[test]
fn a_contribution_cannot_be_taken_over() {
    let (_, bob) = two::<Bn254>();
    let mut contents = bob.clone();
    contents.contributions[1].public_key = bob.contributions[0].public_key.clone();
    refused(&contents, 1, Relation::KnowsTau);
}

#[test]
fn the_chain_can_be_neither_reordered_nor_cut() {
    let (_, bob) = two::<Bn254>();
    let third = contribute::<Bn254>(&bob.write(), "Eve", 3);
    let honest = Contents::<Bn254>::read(&third);

    let mut contents = honest.clone();
    contents.contributions.swap(0, 1);
    refused(&contents, 0, Relation::KnowsTau);

    let mut contents = honest.clone();
    contents.contributions.remove(1);
    refused(&contents, 1, Relation::KnowsTau);

    let mut contents = honest.clone();
    contents.contributions.remove(0);
    refused(&contents, 0, Relation::KnowsTau);

    let mut contents = honest.clone();
    contents.contributions.pop();
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::Singular { index: 1, .. }), "{error}");

    let mut contents = honest;
    contents.contributions.clear();
    assert!(matches!(verify::<Bn254>(&contents.write()), Err(Error::NoContributions)));
}

/// A coordinator starts over with points of its own, and keeps the contributions.
#[test]
fn other_points_than_those_of_the_last_contribution() {
    let (ana, bob) = two::<Bn254>();
    let contents = Contents { contributions: bob.contributions.clone(), ..ana };
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::Singular { index: 1, .. }), "{error}");

    // The initial state, claimed to be the outcome.
    let start = Contents::<Bn254>::read(&new::<Bn254>(2));
    let mut contributions = bob.contributions;
    contributions[1].after = Singular::initial();
    let contents = Contents { contributions, ..start };
    refused(&contents, 1, Relation::TauG1);
}

/// A list scaled as a whole is still a geometric progression.
#[test]
fn lists_begin_with_the_generator() {
    let (_, bob) = two::<Bn254>();
    let mut contents = bob.clone();
    contents.tau.rotate_left(1);
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::Generator { .. }), "{error}");

    let mut contents = bob;
    contents.tau_g2.fill(<Bn254 as algebra::Pairing>::G2::affine_generator());
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::Singular { index: 1, .. }), "{error}");
}

/// A participant poses as a beacon, or hides one.
#[test]
fn beacons_are_recomputed() {
    let (ana, bob) = two::<Bn254>();
    let mut contents = bob;
    contents.contributions[1].attribution = Attribution::beacon(None, 10, vec![1]);
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::BeaconKey { index: 1 }), "{error}");

    // And not at any price.
    contents.contributions[1].attribution = Attribution::beacon(None, 63, vec![1]);
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::BeaconTooLong { index: 1, exponent: 63, limit: 32 }));
    let mut settings = Settings::default();
    settings.max_iterations_exp = 9;
    let file = &mut std::io::Cursor::new(beacon::<Bn254>(&ana.write(), None));
    let error = phase1::verify::<Bn254>(file, &settings, &mut rng(1), &()).unwrap_err();
    assert!(matches!(error, Error::BeaconTooLong { index: 1, exponent: 10, limit: 9 }));
}

/// Everything moved to another ceremony: its first challenge is another.
#[test]
fn a_ceremony_of_another_power() {
    let (_, bob) = two::<Bn254>();
    let mut contents = bob;
    contents.header.ceremony_power = 3;
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::ResponseLen { index: 0 }), "{error}");
}
