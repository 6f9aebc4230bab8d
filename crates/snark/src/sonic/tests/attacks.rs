//! Known attacks, carried out in earnest.

use algebra::{Bls12381, Bn254, Engine, Group, Pairing, Scalar, ScalarOf};
use circuit::r1cs::{Constraint, R1csHeader};
use transcript::Transcript;

use super::{
    super::{
        accumulator::check,
        advice::{Openings, Round},
        field::Point,
        laurent::Laurent,
        pieces::Pieces,
        proof::Challenges,
        prove::{Prover, blinded, constraint_polynomial},
        verify::{equation, proof_equation},
        *,
    },
    Circuit, Setup, rng, system,
};
use crate::test_circuit::stray;

type E = Bn254;
type S = ScalarOf<E>;

/// `input = left · right` with private factors.
fn factors<S: Scalar>(witness: [u64; 4]) -> Circuit<S> {
    let one = S::one();
    let header = R1csHeader {
        wires: 4,
        public_inputs: 1,
        private_inputs: 2,
        constraints: 1,
        ..Default::default()
    };
    let constraint = Constraint { a: vec![(2, one)], b: vec![(3, one)], c: vec![(1, one)] };
    Circuit { header, constraints: vec![constraint], witness: witness.map(S::from_u64).to_vec() }
}

/// `input = factor · root · root` with a private root.
pub fn square(factor: u64, input: u64, root: u64) -> Circuit<S> {
    let one = S::one();
    let header = R1csHeader {
        wires: 3,
        public_inputs: 1,
        private_inputs: 1,
        constraints: 1,
        ..Default::default()
    };
    let constraint =
        Constraint { a: vec![(2, one)], b: vec![(2, S::from_u64(factor))], c: vec![(1, one)] };
    let witness = [1, input, root].map(S::from_u64).to_vec();
    Circuit { header, constraints: vec![constraint], witness }
}

/// The transcript of the published implementations: it begins with `R`.
fn weak_transcript(_: &[S]) -> Transcript {
    Transcript::new(b"weak")
}

/// Proves "input = left · right" without factors: takes any `r(X, 1)` and, when `y` is known,
/// solves `k(y)` for the input.
fn forge(setup: &Setup<E>, transcript: Transcript) -> (Proof<E>, S) {
    // Gates that no circuit would accept.
    let low = setup.system.shape().lowest();
    let length = setup.system.shape().slots() + BLINDERS;
    let mut coefficients = S::random_many(length, &mut rng(1));
    coefficients[low.unsigned_abs() as usize] = S::zero();
    let r = Laurent::new(low, coefficients);
    let mut input = S::zero();
    let solve = |y: &Point<S>| {
        let s = setup.system.in_x(y);
        let needed = constraint_polynomial(&r, y, &s, S::zero()).unwrap().constant();
        let k = |input| setup.system.constants(y, &[input]);
        input = (needed - k(S::zero())) * (k(S::one()) - k(S::zero())).invert().unwrap();
        k(input)
    };
    let Setup { srs, system, .. } = setup;
    let commit_r = |r: &Pieces<_, _>| srs.commit_bounded_pieces(r);
    let commit_t = |t: &Pieces<_, _>| srs.commit_pieces(t);
    let prover = Prover { srs, system, commit_r, commit_t };
    let proof = prover.prove(&r, solve, transcript, &mut rng(5)).unwrap();
    (proof, input)
}

/// The verifier, with a transcript of one's choice.
fn verify_on(setup: &Setup<E>, proof: &Proof<E>, input: S, transcript: Transcript) -> bool {
    let statement = Statement { inputs: &[input], proof };
    let equation = proof_equation(&setup.system, 0, &statement, transcript).unwrap();
    check(&setup.key.srs.bases(), &[equation], &mut rng(2)).is_ok()
}

#[test]
fn solving_for_the_inputs_works_only_if_challenges_do_not_depend_on_them() {
    let setup = Setup::<E>::new(factors([1, 21, 3, 7]), 2);
    let (proof, input) = forge(&setup, weak_transcript(&[]));
    assert!(verify_on(&setup, &proof, input, weak_transcript(&[input])));

    // Ours: whatever input the forger begins with, the one that fits is another, and it changes y.
    for guess in [S::zero(), input] {
        let (proof, input) = forge(&setup, setup.key.statement(&[guess]));
        assert_ne!(input, guess);
        assert!(verify_on(&setup, &proof, input, setup.key.statement(&[guess])));
        assert!(setup.verify(&[input], &proof).is_err());
        assert!(setup.verify(&[guess], &proof).is_err());
    }
}

/// A prover and a helper in league: a false witness, and another circuit under the digest of the
/// real one.
struct League {
    honest: Setup<E>,
    evil: GateSystem<S>,
    proof: Proof<E>,
    inputs: Vec<S>,
}

impl League {
    fn new() -> Self {
        let honest = Setup::<E>::new(square(1, 9, 3), 2);
        // "18 is the square of 3".
        let circuit = square(2, 18, 3);
        let evil = system(&circuit);
        assert_eq!(evil.shape(), honest.system.shape());
        let evil = evil.disguised(honest.system.digest());
        let proof = prove(&honest.srs, &evil, &circuit.witness, &mut rng(3)).unwrap();
        let inputs = circuit.inputs().to_vec();
        Self { honest, evil, proof, inputs }
    }

    fn verify(&self, advice: &Advice<E>, aggregate: &Aggregate<E>) -> Result<(), Error> {
        let statements = [Statement { inputs: &self.inputs, proof: &self.proof }];
        let advice = [advice.clone()];
        let Setup { key, system, .. } = &self.honest;
        verify_helped(key, system, &statements, &advice, aggregate, &mut rng(4))
    }
}

#[test]
fn a_helper_that_lies_about_the_circuit_is_refused() {
    let league = League::new();
    let Setup { srs, system, .. } = &league.honest;
    let statement = Statement { inputs: &league.inputs, proof: &league.proof };
    assert!(league.honest.verify(&league.inputs, &league.proof).is_err());

    // The proof and the false advice fit together ...
    let advice = advise(srs, &league.evil, statement).unwrap();
    for mode in [Mode::Batched, Mode::PerProof] {
        // ... a commitment to the false circuit does not have the value of the true one at w, ...
        let statements = [statement];
        let advices = std::slice::from_ref(&advice);
        let aggregate_of = |system| aggregate(srs, system, &statements, advices, mode).unwrap();
        let expected = match mode {
            Mode::Batched => Claim::Openings,
            Mode::PerProof => Claim::Circuit,
        };
        let result = league.verify(&advice, &aggregate_of(&league.evil));
        assert!(matches!(result, Err(Error::False(claim)) if claim == expected), "{result:?}");

        // ... and with one to the true circuit the false S cannot be opened at u.
        let result = league.verify(&advice, &aggregate_of(system));
        assert!(matches!(result, Err(Error::False(Claim::Signatures))), "{result:?}");
    }
}

/// As the one above, with the best opening that a helper can make of its own `S` at `u`: to the
/// value that `S` really has there.
#[test]
fn a_helper_that_opens_its_false_polynomial_honestly_is_refused() {
    let league = League::new();
    let Setup { srs, system, key, .. } = &league.honest;
    let statements = [Statement { inputs: &league.inputs, proof: &league.proof }];
    let advice = [advise(srs, &league.evil, statements[0]).unwrap()];
    let mut round = Round::new(key, &statements, &advice).unwrap();
    let u = round.u().unwrap();
    let f = system.in_y(&u);
    let circuit = srs.commit(&f).unwrap();
    let y = round.challenges[0].y;
    let (value, signatures) = srs.open(&league.evil.in_x(&y), &u).unwrap();
    assert_ne!(value, f.evaluate(&y));
    round.weights(&circuit, &[value]).unwrap();
    let w = round.w().unwrap();
    let (_, at_y) = srs.open(&f, &y).unwrap();
    let (_, at_w) = srs.open(&f, &w).unwrap();
    let openings = Openings::PerProof { at_y: vec![at_y], at_w };
    let aggregate = Aggregate { circuit, values: vec![value], signatures, openings };
    let result = league.verify(&advice[0], &aggregate);
    assert!(matches!(result, Err(Error::False(Claim::Opening { index: 0 }))), "{result:?}");
}

/// A reference string with one point moved, for the coefficient of `X^power` in `r(X, 1)`.
fn moved<E: Engine>(setup: &Setup<E>, power: i64, by: E::G1) -> Srs<E> {
    let mut srs = setup.srs.clone();
    srs.move_top(power, by);
    srs
}

/// What a prover says that does not look at its own proof.
fn unverified<E: Engine>(setup: &Setup<E>, srs: &Srs<E>) -> Proof<E> {
    let Setup { system, circuit, key, .. } = setup;
    let r = blinded(system, &circuit.witness, &mut rng(1)).unwrap();
    let commit_r = |r: &Pieces<_, _>| srs.commit_bounded_pieces(r);
    let commit_t = |t: &Pieces<_, _>| srs.commit_pieces(t);
    let (prover, inputs) = (Prover { srs, system, commit_r, commit_t }, circuit.inputs());
    let constants = |y: &Point<_>| system.constants(y, inputs);
    prover.prove(&r, constants, key.statement(inputs), &mut rng(2)).unwrap()
}

/// Whoever made the reference string tries what the wire could be: with the right value taken back, the
/// proof's equation holds.
#[test]
fn a_malformed_reference_string_does_not_betray_a_wire() {
    let setup = Setup::<E>::new(factors([1, 21, 3, 7]), 2);
    let by = <E as Pairing>::G1::hash_to_group(b"moved");
    let srs = moved(&setup, 1, by);
    let proof = unverified(&setup, &srs);
    let inputs = setup.circuit.inputs();
    let challenges = proof.challenges(setup.key.statement(inputs)).unwrap();
    let s = setup.system.evaluate(&challenges.z, &challenges.y);
    let k = setup.system.constants(&challenges.y, inputs);
    let holds = |piece: usize, wire: u64| {
        let mut proof = proof.clone();
        proof.r[piece] -= by.mul(&S::from_u64(wire));
        let equation = equation(setup.system.shape(), 0, &proof, &challenges, s, k);
        check(&setup.key.srs.bases(), &[equation], &mut rng(2)).is_ok()
    };
    let guesses = (0..2).flat_map(|piece| (0..10).map(move |wire| (piece, wire)));
    let found: Vec<_> = guesses.filter(|&(piece, wire)| holds(piece, wire)).collect();
    assert_eq!(found, [(1, 3)]);

    let refused = prove(&srs, &setup.system, &setup.circuit.witness, &mut rng(1));
    assert!(matches!(refused, Err(Error::Malformed)));
}

/// What a point has outside the subgroup no blinding reaches: the wire stands there, modulo the order
/// of what is outside.
#[test]
fn a_reference_string_outside_the_subgroup_does_not_betray_a_wire() {
    type G1 = <Bls12381 as Pairing>::G1;
    let setup = Setup::<Bls12381>::new(factors([1, 21, 3, 7]), 2);
    let by = stray::<G1>();
    let srs = moved(&setup, 1, by);
    let r = unverified(&setup, &srs).r[1];
    let is_inside = |point: G1| G1::decode(&point.encode()).is_ok();
    let outside = |wire: u64| (0..wire).fold(r, |point, _| point - by);
    let found: Vec<_> = (0..10).filter(|&wire| is_inside(outside(wire))).collect();
    assert_eq!(found, [3]);

    let refused = prove(&srs, &setup.system, &setup.circuit.witness, &mut rng(1));
    assert!(matches!(refused, Err(Error::Malformed)));
}

/// A key with a single other point, which anybody can make of the right one: `[αx]₂` for `[αx²]₂`. The
/// digests of reference string and circuit are the right ones, and everything has a proof.
#[test]
fn a_key_with_one_other_point_proves_everything_and_has_another_digest() {
    let mut setup = Setup::<E>::new(factors([1, 21, 3, 7]), 2);
    let honest = setup.key.clone();
    setup.key.srs.alpha_square = setup.key.srs.base.alpha_x;
    assert_eq!((honest.srs(), honest.circuit()), (setup.key.srs(), setup.key.circuit()));

    let zero = <E as Pairing>::G1::identity();
    let inputs = [S::from_u64(5)];
    let mut proof = Proof { r: [zero; 2], t: [zero; 4], a: S::zero(), b: S::zero(), opening: zero };
    // y and z do not depend on W and b, and with a = 0 nothing depends on the last challenge.
    let Challenges { y, z, .. } = proof.challenges(setup.key.statement(&inputs)).unwrap();
    let k = setup.system.constants(&y, &inputs);
    let one = S::one();
    let w = k * (one - y.value) * (one - z.value).invert().unwrap();
    proof.opening = <E as Pairing>::G1::mul_generator(&w);
    proof.b = w * z.value * y.value + y.value * k;
    assert!(setup.verify(&inputs, &proof).is_ok());

    assert!(
        verify(&honest, &setup.system, Statement { inputs: &inputs, proof: &proof }, &mut rng(3))
            .is_err()
    );
    assert_ne!(honest.digest(), setup.key.digest());
    assert_eq!(honest, VerifyingKey::new(&setup.srs, &setup.system).unwrap());
}

/// The reference string has no `[α]₁`: a polynomial with a constant term has no commitment.
#[test]
fn no_commitment_to_a_constant() {
    let setup = Setup::<E>::new(factors([1, 21, 3, 7]), 2);
    let mut f = blinded(&setup.system, &setup.circuit.witness, &mut rng(1)).unwrap();
    assert!(setup.srs.commit(&f).is_ok());
    f.add_constant(S::one());
    assert!(matches!(setup.srs.commit(&f), Err(Error::Unsatisfied)));
    // And a polynomial that is too long is refused rather than cut.
    let long = Laurent::new(0, S::random_many(1000, &mut rng(1)));
    assert!(matches!(setup.srs.sum_powers(&long), Err(Error::Polynomial)));
    assert!(matches!(setup.srs.commit_bounded(&long), Err(Error::Polynomial)));
}

#[test]
fn a_proof_of_neutral_elements_proves_nothing() {
    let setup = Setup::<E>::new(factors([1, 21, 3, 7]), 2);
    let zero = <E as Pairing>::G1::identity();
    let (a, b) = (S::zero(), S::zero());
    let proof = Proof { r: [zero; 2], t: [zero; 4], a, b, opening: zero };
    for input in [0, 1, 21].map(S::from_u64) {
        assert!(setup.verify(&[input], &proof).is_err());
    }
}
