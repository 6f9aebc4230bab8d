//! What a dishonest participant or coordinator might try.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, CurveGroup as _, Dialect, Engine, Group as _, PointForm};
use ceremony::{
    Error, Relation,
    phase1::{self, Settings},
};
use circuit::{
    Attribution,
    ptau::{PowersPublicKey, SecretPoints},
};
use wire::Blake2b;

use super::{beacon, contents::Contents, contribute, new, prepare, rng, verify};

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
    contributions[1].after = SecretPoints::initial();
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

/// A coordinator who goes on without Bob's contribution makes a right file; only who kept Bob's sees
/// it.
#[test]
fn a_contributor_who_is_dropped_is_missed() {
    let ana = contribute::<Bn254>(&new::<Bn254>(2), "Ana", 1);
    let (bob, eve) = (contribute::<Bn254>(&ana, "Bob", 2), contribute::<Bn254>(&ana, "Eve", 3));
    verify::<Bn254>(&eve).unwrap();
    let records = |file: &[u8]| phase1::records::<Bn254>(&mut Cursor::new(file)).unwrap();
    let continues =
        |new: &[u8], old: &[u8], adds| records(new).require_continues(&records(old), adds);
    continues(&bob, &ana, 1).unwrap();
    continues(&bob, &bob, 0).unwrap();
    assert!(matches!(continues(&eve, &bob, 0), Err(Error::Replaced { index: 1 })));
    assert!(matches!(continues(&ana, &bob, 1), Err(Error::Dropped { index: 1 })));
    assert!(matches!(continues(&bob, &ana, 2), Err(Error::Added { expected: 2, got: 1 })));
    let mut renamed = Contents::<Bn254>::read(&bob);
    renamed.contributions[0].attribution = Attribution::participant(Some("Ann".to_owned()));
    assert!(matches!(continues(&renamed.write(), &ana, 1), Err(Error::Replaced { index: 0 })));
    let other = contribute::<Bn254>(&new::<Bn254>(3), "Ana", 1);
    assert!(matches!(continues(&other, &ana, 1), Err(Error::OtherCeremony)));
    // A cut file, and a prepared one, have the contributions of the whole.
    let mut cut = Vec::new();
    phase1::truncate::<Bn254>(&mut Cursor::new(&bob), &mut cut, 1).unwrap();
    continues(&prepare::<Bn254>(&bob), &ana, 1).unwrap();
    continues(&cut, &ana, 1).unwrap();
}

/// Everybody can compute the secrets of a file to which only beacons contributed.
#[test]
fn beacons_are_no_contributors() {
    let file = beacon::<Bn254>(&beacon::<Bn254>(&new::<Bn254>(2), None), None);
    assert!(matches!(verify::<Bn254>(&file), Err(Error::OnlyBeacons)));
    verify::<Bn254>(&contribute::<Bn254>(&file, "Ana", 1)).unwrap();
}

/// Thousands of beacons, each within the limit, kept a verifier busy for days; and a beacon was
/// hashed before the equations were looked at.
#[test]
fn beacons_are_counted_and_equations_checked_before_any_is_hashed() {
    let (_, bob) = two::<Bn254>();
    let honest = Contents::<Bn254>::read(&contribute::<Bn254>(&bob.write(), "Eve", 3));
    let mut contents = honest.clone();
    for one in &mut contents.contributions[1..] {
        one.attribution = Attribution::beacon(None, 32, vec![1]);
    }
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::BeaconsTooLong { index: 2, limit: 32 }), "{error}");

    let mut contents = honest;
    contents.contributions[2].public_key = contents.contributions[1].public_key.clone();
    contents.contributions[2].attribution = Attribution::beacon(None, 32, vec![1]);
    refused(&contents, 2, Relation::KnowsTau);
}

/// A contribution that everybody can make: proofs of knowledge of 1, and the points as they were.
#[test]
fn a_secret_of_one_is_no_contribution() {
    type G1 = <Bn254 as algebra::Pairing>::G1;
    type G2 = <Bn254 as algebra::Pairing>::G2;
    let (mut contents, _) = two::<Bn254>();
    let mut idle = contents.contributions[0].clone();
    let (challenge, s) = (idle.next_challenge, G1::affine_generator());
    let base = |personalization: u8| {
        let mut hashed = [&[personalization], &challenge[..]].concat();
        let form = PointForm::Uncompressed(Dialect::Snarkjs);
        G1::write_form(&[s, s], form, &mut hashed);
        G2::precompute(&[Bn254::hash_to_g2(&Blake2b::digest(&hashed))])[0]
    };
    idle.public_key = PowersPublicKey { s: [s; 3], sx: [s; 3], rx: [0, 1, 2].map(base) };
    contents.contributions.push(idle);
    let error = verify::<Bn254>(&contents.write()).unwrap_err();
    assert!(matches!(error, Error::Idle { index: 1, secret: "tau" }), "{error}");
}
