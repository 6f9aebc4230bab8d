//! Every point is what the trapdoors make it by definition.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Engine, Group, Pairing, Scalar, ScalarOf};
use ceremony::{
    Error, phase1,
    tflsz::{self, Round},
};
use circuit::native::{InsecureTflszDealer, TflszPoints};

use super::{contribute, finish, new, phase1 as make_phase1, rng, verify, whole};

/// The secrets that a contributor with this generator draws.
fn drawn<E: Engine, const N: usize>(seed: u8) -> [ScalarOf<E>; N] {
    let mut rng = rng(seed);
    [(); N].map(|()| ScalarOf::<E>::random(&mut rng))
}

fn deal<E, S>(trapdoors: InsecureTflszDealer<S>, log_size: u32) -> TflszPoints<E>
where
    S: Scalar,
    E: Engine + Pairing<G1: Group<Scalar = S>>,
{
    trapdoors.deal::<E>(log_size).unwrap()
}

fn ceremony_is_direct_evaluation<E, S>()
where
    S: Scalar,
    E: Engine + Pairing<G1: Group<Scalar = S>>,
{
    let one = S::one();
    let ptau = make_phase1::<E>(4, 1);
    // The first secret of phase 1 is its τ.
    let [chi] = drawn::<E, 1>(1);
    for log_size in [2, 3, 4] {
        let file = whole::<E>(&ptau, log_size);
        let [theta, beta, beta_hat, rho] = {
            let (ana, bob) = (drawn::<E, 4>(11), drawn::<E, 4>(12));
            std::array::from_fn(|i| ana[i] * bob[i])
        };
        let gamma = drawn::<E, 1>(13)[0] * drawn::<E, 1>(14)[0];
        let trapdoors = InsecureTflszDealer { chi, theta, beta, beta_hat, gamma, rho };
        let crs = finish::<E>(&file).unwrap();
        let crs = TflszPoints::<E>::read(&mut Cursor::new(crs)).unwrap();
        assert_eq!(crs, deal::<E, S>(trapdoors, log_size));
        tflsz::verify_key(&crs, &mut rng(5), &()).unwrap();
        assert!(verify::<E>(&file, &ptau).unwrap().is_complete());

        // Before round 2 γ is 1.
        let first = contribute::<E>(&new::<E>(&ptau, log_size), Round::First, "Ana", 11);
        let verified = verify::<E>(&first, &ptau).unwrap();
        assert!(!verified.is_complete());
        assert!(matches!(finish::<E>(&first), Err(Error::RoundEmpty { round: 2 })));
        let [theta, beta, beta_hat, rho] = drawn::<E, 4>(11);
        let trapdoors = InsecureTflszDealer { chi, theta, beta, beta_hat, gamma: one, rho };
        let crs = deal::<E, S>(trapdoors, log_size);
        let error = tflsz::verify_key(&crs, &mut rng(5), &()).unwrap_err();
        assert!(matches!(error, Error::NoSecret { index: 5, .. }), "{error}");
    }
}

#[test]
fn ceremonies_are_direct_evaluation() {
    ceremony_is_direct_evaluation::<Bn254, _>();
    ceremony_is_direct_evaluation::<Bls12381, _>();
}

/// The paper's own reference string has `γ = β`.
fn dealt<E, S>()
where
    S: Scalar,
    E: Engine + Pairing<G1: Group<Scalar = S>>,
{
    let trapdoors = InsecureTflszDealer::<S>::random(&mut rng(3));
    let paper = InsecureTflszDealer { gamma: trapdoors.beta, ..trapdoors };
    for trapdoors in [trapdoors, paper] {
        for log_size in [2, 5] {
            let points = deal::<E, S>(trapdoors, log_size);
            tflsz::verify_key(&points, &mut rng(5), &()).unwrap();
            let bytes = points.write(Vec::new()).unwrap();
            assert_eq!(TflszPoints::read(&mut Cursor::new(bytes)).unwrap(), points);
        }
    }
    let one = S::one();
    for trivial in [
        InsecureTflszDealer { theta: one, ..trapdoors },
        InsecureTflszDealer { beta: one, ..trapdoors },
        InsecureTflszDealer { beta_hat: one, ..trapdoors },
        InsecureTflszDealer { gamma: one, ..trapdoors },
        InsecureTflszDealer { rho: one, ..trapdoors },
    ] {
        let error = tflsz::verify_key(&deal::<E, S>(trivial, 2), &mut rng(5), &()).unwrap_err();
        assert!(matches!(error, Error::NoSecret { .. }), "{error}");
    }
    let zero = S::zero();
    let root = E::root_of_unity(2).unwrap();
    for degenerate in [
        InsecureTflszDealer { theta: zero, ..trapdoors },
        InsecureTflszDealer { rho: zero, ..trapdoors },
        InsecureTflszDealer { chi: root, ..trapdoors },
    ] {
        assert!(degenerate.deal::<E>(2).is_err());
    }
    assert!(trapdoors.deal::<E>(1).is_err());
    assert!(trapdoors.deal::<E>(60).is_err());
}

#[test]
fn dealt_strings_verify() {
    dealt::<Bn254, _>();
    dealt::<Bls12381, _>();
}

/// The reference string is the same from a prepared file.
#[test]
fn phase_1_may_be_prepared() {
    let raw = make_phase1::<Bn254>(3, 1);
    let mut prepared = Vec::new();
    phase1::prepare::<Bn254>(&mut Cursor::new(&raw), &mut prepared, &()).unwrap();
    assert_eq!(new::<Bn254>(&raw, 2), new::<Bn254>(&prepared, 2));
    verify::<Bn254>(&whole::<Bn254>(&raw, 3), &prepared).unwrap();
}

#[test]
fn what_a_ceremony_cannot_begin_with() {
    let ptau = make_phase1::<Bn254>(3, 1);
    let begin = |ptau: &[u8], log_size| {
        tflsz::new::<Bn254>(&mut Cursor::new(ptau), log_size, &mut Vec::new(), &()).unwrap_err()
    };
    assert!(matches!(begin(&ptau, 4), Error::Phase1TooSmall { needed: 4, power: 3 }));
    assert!(matches!(begin(&ptau, 1), Error::Size { size: 1 }));
    assert!(matches!(begin(&ptau, 0), Error::Size { size: 0 }));
    assert!(matches!(begin(&ptau, 29), Error::Size { .. }));
    assert!(matches!(begin(&ptau, 64), Error::Size { .. }));
    let mut empty = Vec::new();
    phase1::new::<Bn254>(&mut empty, 3, &()).unwrap();
    let Error::Phase1 { reason } = begin(&empty, 3) else { panic!("nobody contributed") };
    assert!(matches!(*reason, Error::NoContributions));
}
