//! What is not true is refused, and so is what is no proof, no key, no witness.

use algebra::{
    Affine, Bls12381, Bn254, CurveGroup, Dialect, Engine, Group, PointForm, Scalar, ScalarOf,
};
use circuit::synthesis::Circuit;
use snark::groth16::{Error, PreparedVerifyingKey, Proof, VerifyingKey, insecure_dealer};

use super::support::{Case, HONEST, Powers, prove, rng};

fn affine<G: CurveGroup>(point: G) -> Affine<G> {
    G::precompute(&[point])[0]
}

/// Points that are not `point`: another, its negative, the neutral one.
fn others<G: CurveGroup>(point: Affine<G>) -> [Affine<G>; 4] {
    let own: G = point.into();
    [own.double(), -own, G::generator(), G::identity()].map(affine)
}

fn is_invalid<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::Invalid | Error::ProofPoint { .. }))
}

/// Every element of the proof and every public input changed; elements exchanged between proofs.
fn mutations<E: Engine>() {
    let Case { key, verifier, public, proof } = Case::<E>::new(1);
    let refuses =
        |public: &[ScalarOf<E>], proof: &Proof<E>| is_invalid(verifier.verify(public, proof));
    assert!(!refuses(&public, &proof));
    for (a, b) in others::<E::G1>(proof.a).into_iter().zip(others::<E::G2>(proof.b)) {
        assert!(refuses(&public, &Proof { a, ..proof.clone() }));
        assert!(refuses(&public, &Proof { b, ..proof.clone() }));
    }
    for c in others::<E::G1>(proof.c) {
        assert!(refuses(&public, &Proof { c, ..proof.clone() }));
    }
    // Both signs at once say the same of A and B, and nothing else does.
    let negated = |a, b| Proof { a: affine::<E::G1>(a), b: affine::<E::G2>(b), ..proof.clone() };
    let (a, b): (E::G1, E::G2) = (proof.a.into(), proof.b.into());
    assert!(!refuses(&public, &negated(-a, -b)));

    let (_, other) = prove(&key, &Powers { tag: 6, ..HONEST });
    assert!(refuses(&public, &other));
    assert!(refuses(&public, &Proof { a: other.a, ..proof.clone() }));
    assert!(refuses(&public, &Proof { b: other.b, ..proof.clone() }));
    assert!(refuses(&public, &Proof { c: other.c, ..proof.clone() }));

    for index in 0..public.len() {
        for change in [ScalarOf::<E>::one(), -public[index], public[index]] {
            let mut changed = public.clone();
            changed[index] += change;
            assert!(refuses(&changed, &proof), "input {index}");
        }
    }
    let swapped: Vec<_> = public.iter().rev().copied().collect();
    assert!(refuses(&swapped, &proof));
    for len in [0, 2, 4] {
        let mut wrong = public.clone();
        wrong.resize(len, ScalarOf::<E>::zero());
        let refused = verifier.verify(&wrong, &proof);
        assert!(matches!(refused, Err(Error::PublicLen { expected: 3, got }) if got == len));
    }
}

#[test]
fn mutations_bn254() {
    mutations::<Bn254>();
}

#[test]
fn mutations_bls12_381() {
    mutations::<Bls12381>();
}

/// Points of the curve outside the subgroup, alone and added to a right one.
fn outside<G: CurveGroup>() -> Affine<G> {
    let form = PointForm::Compressed(Dialect::Snarkjs);
    let candidates = (1..=255_u8).map(|x| {
        let mut bytes = vec![0; G::form_len(form)];
        if let Some(last) = bytes.last_mut() {
            *last = x;
        }
        G::read_form(&bytes, form).ok().map(|points| points[0])
    });
    let outside = |point: &Affine<G>| G::check_subgroup(std::slice::from_ref(point)).is_err();
    candidates.flatten().find(outside).unwrap()
}

fn outside_g2<E: Engine>() {
    let Case { key, verifier, public, proof } = Case::<E>::new(2);
    let stray: E::G2 = outside::<E::G2>().into();
    let honest: E::G2 = proof.b.into();
    for b in [stray, stray + honest] {
        let proof = Proof { b: affine(b), ..proof.clone() };
        let refused = verifier.verify(&public, &proof);
        assert!(matches!(refused, Err(Error::ProofPoint { point: "B" })));
        let refused = verifier.verify_batch(&[(&public, proof)], &mut rng(0));
        assert!(matches!(refused, Err(Error::Batch { index: 0, .. })));
    }
    let key = key.verifying_key();
    let bad = [
        VerifyingKey { beta_g2: affine(stray), ..key.clone() },
        VerifyingKey { gamma_g2: affine(stray), ..key.clone() },
        VerifyingKey { delta_g2: affine(stray), ..key.clone() },
        VerifyingKey { alpha_g1: E::G1::affine_identity(), ..key.clone() },
        VerifyingKey { delta_g2: E::G2::affine_identity(), ..key.clone() },
        VerifyingKey { ic: Vec::new(), ..key.clone() },
    ];
    for key in bad {
        let refused = PreparedVerifyingKey::new(&key).err();
        assert!(matches!(refused, Some(Error::KeyPoint { .. })));
    }
}

#[test]
fn outside_g2_bn254() {
    outside_g2::<Bn254>();
}

#[test]
fn outside_the_subgroups_bls12_381() {
    outside_g2::<Bls12381>();
    let Case { verifier, public, proof, .. } = Case::<Bls12381>::new(2);
    let stray = outside::<<Bls12381 as algebra::Pairing>::G1>();
    for (name, proof) in
        [("A", Proof { a: stray, ..proof.clone() }), ("C", Proof { c: stray, ..proof.clone() })]
    {
        let refused = verifier.verify(&public, &proof);
        assert!(matches!(refused, Err(Error::ProofPoint { point }) if point == name));
    }
}

/// A key of the same circuit from another ceremony, and a key of another circuit.
fn other_keys<E: Engine>() {
    let case = Case::<E>::new(3);
    let other = Case::<E>::new(4);
    assert!(is_invalid(other.verifier.verify(&case.public, &case.proof)));
    let bigger = Powers { squarings: 10, ..HONEST };
    let system = Circuit::<ScalarOf<E>>::constraint_system(&bigger);
    let key = insecure_dealer::<E>(&system, &mut rng(3)).unwrap();
    let verifier = PreparedVerifyingKey::new(key.verifying_key()).unwrap();
    assert!(is_invalid(verifier.verify(&case.public, &case.proof)));
    let refused = key.prove(&HONEST.witness(), &mut rng(0));
    assert!(matches!(refused, Err(Error::WitnessLen { .. })));
}

#[test]
fn other_keys_bn254() {
    other_keys::<Bn254>();
}

#[test]
fn other_keys_bls12_381() {
    other_keys::<Bls12381>();
}

/// No wire can be changed but the one that no constraint speaks of; and that changes the statement.
#[test]
fn wrong_witnesses() {
    let case = Case::<Bn254>::new(5);
    let witness = HONEST.witness();
    for wire in 0..witness.len() {
        let mut wrong = witness.clone();
        wrong[wire] += ScalarOf::<Bn254>::one();
        let result = case.key.prove(&wrong, &mut rng(6));
        match (wire, result) {
            (0, Err(Error::WireOne)) | (_, Err(Error::Unsatisfied)) => {}
            // The tag comes after two outputs.
            (3, Ok(proof)) => assert!(is_invalid(case.verifier.verify(&case.public, &proof))),
            (wire, other) => panic!("wire {wire}: {other:?}"),
        }
    }
}

/// Under a key with `γ = δ`, a proof of anything. The verifier takes no such key.
fn forgery<E: Engine>() {
    let case = Case::<E>::new(7);
    let honest = case.key.verifying_key();
    let key = VerifyingKey { delta_g2: honest.gamma_g2, ..honest.clone() };
    let anything = [1, 2, 3].map(ScalarOf::<E>::from_u64);
    let combined = |key: &VerifyingKey<E>| -> E::G1 {
        let scalars = [&[ScalarOf::<E>::one()][..], &anything].concat();
        key.ic.iter().zip(scalars).map(|(&ic, x)| E::G1::mul(&ic.into(), &x)).sum()
    };
    let (a, b): (E::G1, E::G2) = (key.alpha_g1.into(), key.beta_g2.into());
    let (inputs, c) = (combined(&key), -combined(&key));
    // The equation holds.
    let (gamma, delta): (E::G2, E::G2) = (key.gamma_g2.into(), key.delta_g2.into());
    let equation = [(a, b), (-a, b), (-inputs, gamma), (-c, delta)];
    assert!(E::is_neutral(&equation));
    let forged = Proof { a: key.alpha_g1, b: key.beta_g2, c: affine(c) };
    assert!(is_invalid(case.verifier.verify(&anything, &forged)));
    assert!(matches!(PreparedVerifyingKey::new(&key), Err(Error::Forgeable { .. })));

    // A public input whose point is neutral: the proof is one of all its values.
    for index in 0..honest.ic.len() {
        let mut key = honest.clone();
        key.ic[index] = E::G1::affine_identity();
        assert!(matches!(PreparedVerifyingKey::new(&key), Err(Error::Forgeable { .. })));
    }
    let generator = E::G2::affine_generator();
    let opposite = affine(-E::G2::generator());
    let other = affine(E::G2::generator().double());
    for (gamma_g2, delta_g2) in
        [(other, generator), (generator, opposite), (other, opposite), (other, other)]
    {
        let key = VerifyingKey { gamma_g2, delta_g2, ..honest.clone() };
        assert!(matches!(PreparedVerifyingKey::new(&key), Err(Error::Forgeable { .. })));
    }
}

#[test]
fn forgery_bn254() {
    forgery::<Bn254>();
}

#[test]
fn forgery_bls12_381() {
    forgery::<Bls12381>();
}

/// The first wrong proof of a batch is named, wherever it is, and false ones do not cancel out.
#[test]
fn batches_name_the_first_wrong_proof() {
    let case = Case::<Bn254>::new(8);
    let statement = |tag| prove(&case.key, &Powers { tag, x: tag + 2, ..HONEST });
    let statements: Vec<_> = (0..7).map(statement).collect();
    let honest: Vec<_> = statements.iter().map(|(x, p)| (&x[..], p.clone())).collect();
    let refused = |batch: &[(&[_], _)]| match case.verifier.verify_batch(batch, &mut rng(9)) {
        Err(Error::Batch { index, .. }) => Some(index),
        Ok(()) => None,
        Err(other) => panic!("{other}"),
    };
    assert_eq!(refused(&honest), None);
    let point = <Bn254 as algebra::Pairing>::G1::generator();
    let shifted = |proof: &Proof<Bn254>, by| {
        let c: <Bn254 as algebra::Pairing>::G1 = proof.c.into();
        Proof { c: affine(c + by), ..proof.clone() }
    };
    for first in 0..honest.len() {
        let mut wrong = honest.clone();
        wrong[first].1 = shifted(&honest[first].1, point);
        assert_eq!(refused(&wrong), Some(first));
        // The errors of these two add up to nothing.
        if first + 1 < honest.len() {
            wrong[first + 1].1 = shifted(&honest[first + 1].1, -point);
            assert_eq!(refused(&wrong), Some(first));
        }
        let short = [case.public[0]];
        wrong[6].0 = &short;
        assert_eq!(refused(&wrong), Some(first));
    }
    let mut exchanged = honest.clone();
    exchanged.swap(2, 5);
    (exchanged[2].0, exchanged[5].0) = (exchanged[5].0, exchanged[2].0);
    assert_eq!(refused(&exchanged), Some(2));
}
