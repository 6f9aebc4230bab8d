//! A coordinator who has a contributor multiply points of their choice.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Group};
use ceremony::{Error, Snapshot, tflsz::Round};

use super::{attacks::Contents, contribute, new, phase1, try_contribute, verify};

/// The sum `γβP_1 + γβ̂P̂_1` becomes `[γβ]₁`, which nobody may have: with it a commitment has a constant
/// part. The same secret answers twice, the second time for the string.
fn gamma_beta<E: Engine>() {
    let ptau = phase1::<E>(2, 1);
    let first = contribute::<E>(&new::<E>(&ptau, 2), Round::First, "Ana", 11);
    let mut evil = Contents::<E>::read(&first);
    evil.points.mixed[0] = evil.points.beta_chi[0];
    let evil = evil.write();
    let answer = Contents::<E>::read(&contribute::<E>(&evil, Round::Second, "Bob", 12));
    let honest = contribute::<E>(&first, Round::Second, "Bob", 12);
    verify::<E>(&honest, &ptau).unwrap();
    let honest = Contents::<E>::read(&honest);
    let gamma_beta: E::G1 = answer.points.mixed[0].into();
    assert!(E::is_neutral(&[
        (gamma_beta, E::G2::generator()),
        (-E::G1::generator(), honest.points.single_g2.beta2.into()),
    ]));

    let refused = try_contribute::<E>(&evil, &ptau, Round::Second, "Bob", 12);
    assert!(matches!(refused, Err(Error::Unrelated { index: 0, .. })), "{:?}", refused.err());
    // Another phase 1 than that of the ceremony.
    let other = phase1::<E>(2, 2);
    let refused = try_contribute::<E>(&first, &other, Round::Second, "Bob", 12);
    assert!(matches!(refused, Err(Error::OtherPhase1)), "{:?}", refused.err());
}

#[test]
fn the_summands_of_the_mixed_points_stay_together() {
    gamma_beta::<Bn254>();
    gamma_beta::<Bls12381>();
}

/// Every state takes contributions that verify it first, the first file included.
#[test]
fn whole_ceremonies_of_contributors_who_verify() {
    type E = Bn254;
    let ptau = phase1::<E>(2, 1);
    let turns = [(Round::First, "Ana"), (Round::First, "Bob"), (Round::Second, "Cyd")];
    let mut file = new::<E>(&ptau, 2);
    for (seed, (round, name)) in (11..).zip(turns.into_iter().chain([(Round::Second, "Dan")])) {
        let digest = Snapshot::take(Cursor::new(&file), &()).unwrap().digest();
        file = try_contribute::<E>(&file, &ptau, round, name, seed).unwrap();
        let info = verify::<E>(&file, &ptau).unwrap().info;
        assert_eq!(info.first.iter().chain(&info.second).last().unwrap().input, digest);
    }
}

/// Lists of several chunks of the file's reader and writer: `scripts/test --long` runs it.
#[test]
#[ignore = "takes minutes"]
fn long_tflsz() {
    type E = Bls12381;
    let ptau = phase1::<E>(15, 1);
    let file = try_contribute::<E>(&new::<E>(&ptau, 15), &ptau, Round::First, "Ana", 11).unwrap();
    let file = try_contribute::<E>(&file, &ptau, Round::Second, "Bob", 12).unwrap();
    assert!(verify::<E>(&file, &ptau).unwrap().is_complete());
    super::finish::<E>(&file).unwrap();
}
