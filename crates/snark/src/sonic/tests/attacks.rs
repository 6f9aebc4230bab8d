//! Known attacks, carried out in earnest.

use algebra::{Bn254, Group, Pairing, Scalar, ScalarOf};
use circuit::r1cs::{Constraint, R1csHeader};
use transcript::Transcript;

use super::{
    super::{
        accumulator::check,
        advice::{Openings, Round},
        field::Point,
        laurent::Laurent,
        pieces::Pieces,
        prove::{Prover, blinded, constraint_polynomial},
        verify::proof_equation,
        *,
    },
    Circuit, Setup, rng, system,
};

type E = Bn254;
type S = ScalarOf<E>;

/// `input = left · right` with private factors.
fn factors(witness: [u64; 4]) -> Circuit<S> {
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
fn square(factor: u64, input: u64, root: u64) -> Circuit<S> {
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
