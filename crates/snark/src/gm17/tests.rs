//! Completeness, soundness, hostile bytes, and the factor that arkworks' keys lack.

use std::fmt::Debug;

use algebra::{
    AffineGroup, Bls12381, Bls12381G1, Bn254, Engine, Group, Pairing, PointError, Scalar, ScalarOf,
};
use circuit::r1cs::Constraint;
use wire::DecodeError;

use super::{
    dealer::{Trapdoor, deal},
    prove::prove_unverified,
    *,
};
use crate::{
    FileFormat,
    test_circuit::{TestCircuit, rng, test_circuit},
};

type S = ScalarOf<Bn254>;

struct Setup<E: Engine> {
    circuit: TestCircuit<ScalarOf<E>>,
    program: SquareProgram<ScalarOf<E>>,
    key: ProvingKey<E>,
}

impl<E: Engine> Setup<E> {
    fn new(rounds: usize) -> Self {
        let circuit = test_circuit(rounds, &mut rng(1));
        let program = program(&circuit);
        let key = insecure_dealer(&program, &mut rng(2)).unwrap();
        Self { circuit, program, key }
    }

    fn prove(&self, seed: u8) -> Proof<E> {
        prove(&self.key, &self.program, &self.circuit.witness, &mut rng(seed)).unwrap()
    }

    fn verify(&self, inputs: &[ScalarOf<E>], proof: &Proof<E>) -> Result<(), Error> {
        verify(self.key.verifying_key(), Statement { inputs, proof }, &mut rng(99))
    }
}

fn program<S: algebra::FftScalar>(circuit: &TestCircuit<S>) -> SquareProgram<S> {
    SquareProgram::from_r1cs(&circuit.header, circuit.constraints.clone()).unwrap()
}

fn check_complete<E: Engine>(rounds: usize) {
    let setup = Setup::<E>::new(rounds);
    let constraints = setup.circuit.constraints.len();
    assert_eq!(setup.program.rows(), 2 * constraints + 2 * 2 + 1);
    assert_eq!(setup.program.wires(), setup.circuit.witness.len() + 2 + constraints);
    let proofs: Vec<_> = (0..3).map(|seed| setup.prove(seed)).collect();
    let statement = |proof| Statement { inputs: setup.circuit.inputs(), proof };
    for proof in &proofs {
        setup.verify(setup.circuit.inputs(), proof).unwrap();
    }
    for count in 0..=3 {
        let statements: Vec<_> = proofs.iter().take(count).map(statement).collect();
        verify_batch(setup.key.verifying_key(), &statements, &mut rng(3)).unwrap();
    }
}

#[test]
fn proofs_verify_alone_and_in_batches() {
    for rounds in [0, 1, 2, 7] {
        check_complete::<Bn254>(rounds);
    }
    check_complete::<Bls12381>(3);
}

#[test]
fn a_bad_witness_is_refused_by_the_prover() {
    let setup = Setup::<Bn254>::new(2);
    for wire in 1..setup.circuit.witness.len() {
        let mut witness = setup.circuit.witness.clone();
        witness[wire] += S::one();
        let proof = prove(&setup.key, &setup.program, &witness, &mut rng(1));
        assert!(matches!(proof, Err(Error::Unsatisfied { .. })), "wire {wire}");
    }
    for witness in [&setup.circuit.witness[1..], &[S::zero(); 12][..setup.circuit.witness.len()]] {
        let proof = prove(&setup.key, &setup.program, witness, &mut rng(1));
        assert!(matches!(proof, Err(Error::WitnessLength { .. })));
    }
}

#[test]
fn every_element_and_every_input_counts() {
    type G1 = <Bn254 as Pairing>::G1;
    type G2 = <Bn254 as Pairing>::G2;
    let setup = Setup::<Bn254>::new(2);
    let (inputs, proof) = (setup.circuit.inputs(), setup.prove(1));
    let mut mutations = Vec::new();
    for change in [|p: G1| p + G1::generator(), |_| G1::identity(), |p: G1| -p] {
        mutations.push(Proof { a: change(proof.a), ..proof.clone() });
        mutations.push(Proof { c: change(proof.c), ..proof.clone() });
    }
    for change in [|p: G2| p + G2::generator(), |_| G2::identity(), |p: G2| -p] {
        mutations.push(Proof { b: change(proof.b), ..proof.clone() });
    }
    // What makes another proof from one of Groth16: (ρA, ρ⁻¹B, C).
    let half = S::from_u64(2).invert().unwrap();
    mutations.push(Proof { a: proof.a.double(), b: proof.b.mul(&half), c: proof.c });
    // A and B moved together keep the second equation.
    let (a, b) = (proof.a + setup.key.z_g1, proof.b + setup.key.z_g2);
    mutations.push(Proof { a, b, c: proof.c });
    for mutation in &mutations {
        assert_eq!(setup.verify(inputs, mutation), Err(Error::False { index: 0 }));
    }
    for index in 0..inputs.len() {
        let mut inputs = inputs.to_vec();
        inputs[index] += S::one();
        assert_eq!(setup.verify(&inputs, &proof), Err(Error::False { index: 0 }));
    }
    let expected = Err(Error::Inputs { index: 0, expected: 2, got: 1 });
    assert_eq!(setup.verify(&inputs[1..], &proof), expected);
}

#[test]
fn the_false_proof_of_a_batch_is_named() {
    let setup = Setup::<Bn254>::new(1);
    let honest: Vec<_> = (0..5).map(|seed| setup.prove(seed)).collect();
    for index in 0..honest.len() {
        let mut proofs = honest.clone();
        proofs[index].c += <Bn254 as Pairing>::G1::generator();
        let inputs = setup.circuit.inputs();
        let statements: Vec<_> = proofs.iter().map(|proof| Statement { inputs, proof }).collect();
        let result = verify_batch(setup.key.verifying_key(), &statements, &mut rng(3));
        assert_eq!(result, Err(Error::False { index }));
    }
}

/// Errors in two proofs that cancel under equal weights.
#[test]
fn errors_do_not_cancel() {
    let setup = Setup::<Bn254>::new(1);
    let mut proofs = [setup.prove(1), setup.prove(2)];
    let moved = <Bn254 as Pairing>::G1::generator();
    proofs[0].c += moved;
    proofs[1].c -= moved;
    let inputs = setup.circuit.inputs();
    let statements = proofs.each_ref().map(|proof| Statement { inputs, proof });
    let result = verify_batch(setup.key.verifying_key(), &statements, &mut rng(3));
    assert_eq!(result, Err(Error::False { index: 0 }));
}

#[test]
fn a_key_belongs_to_its_circuit() {
    let setup = Setup::<Bn254>::new(2);
    let mut other = setup.circuit.clone();
    other.constraints[1].a[1].1 += S::one();
    let proof = prove(&setup.key, &program(&other), &other.witness, &mut rng(1));
    assert_eq!(proof, Err(Error::Circuit));
    let stranger = insecure_dealer::<Bn254>(&setup.program, &mut rng(5)).unwrap();
    let proof = prove(&stranger, &setup.program, &setup.circuit.witness, &mut rng(1)).unwrap();
    assert!(setup.verify(setup.circuit.inputs(), &proof).is_err());

    let wire = setup.circuit.header.wires;
    let constraint = Constraint { a: vec![], b: vec![(wire, S::one())], c: vec![] };
    let refused = SquareProgram::from_r1cs(&setup.circuit.header, [constraint]);
    assert!(matches!(refused, Err(Error::Wire { constraint: 0, wire: w }) if w == wire));
}

#[test]
fn two_proofs_of_one_witness_share_no_element() {
    let setup = Setup::<Bn254>::new(2);
    let (one, other) = (setup.prove(1), setup.prove(2));
    assert!(one.a != other.a && one.b != other.b && one.c != other.c);
}

/// arkworks' gm17 0.3 computes the private query without the factor γ. That is right for γ = 1, the
/// only one that it ever draws, and for no other.
#[test]
fn the_private_query_needs_its_factor() {
    let circuit = test_circuit::<S>(2, &mut rng(1));
    let program = program(&circuit);
    for gamma in [1, 5].map(S::from_u64) {
        let [t, alpha, beta] = [3, 4, 5].map(|seed| S::random(&mut rng(seed)));
        let trapdoor = Trapdoor { t, alpha, beta, gamma };
        let mut key = deal::<Bn254>(&program, &trapdoor).unwrap();
        let holds = |key: &ProvingKey<Bn254>| {
            let proof = prove_unverified(key, &program, &circuit.witness, &mut rng(6)).unwrap();
            let statement = Statement { inputs: circuit.inputs(), proof: &proof };
            let holds = verify(key.verifying_key(), statement, &mut rng(7)).is_ok();
            let proven = prove(key, &program, &circuit.witness, &mut rng(6));
            assert_eq!(proven.err(), (!holds).then_some(Error::Key));
            holds
        };
        assert!(holds(&key));
        <Bn254 as Pairing>::G1::scale_all(&mut key.c, &gamma.invert().unwrap());
        assert_eq!(holds(&key), gamma == S::one());
    }
}

/// The key of a circuit with a chosen `γ`.
fn key_with_gamma(program: &SquareProgram<S>, gamma: S) -> ProvingKey<Bn254> {
    let [t, alpha, beta] = [3, 4, 5].map(|seed| S::random(&mut rng(seed)));
    deal(program, &Trapdoor { t, alpha, beta, gamma }).unwrap()
}

fn refused_field<T: FileFormat<Bn254> + Debug>(value: &T) -> &'static str {
    match T::from_file(&value.to_file()) {
        Err(DecodeError::Invalid { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

/// With `γ = ±1`, `C` takes up what belongs to the public inputs. The forgeries hold; no such key is
/// read.
#[test]
fn under_gamma_one_a_proof_is_one_of_every_statement() {
    let circuit = test_circuit::<S>(2, &mut rng(1));
    let program = program(&circuit);
    for gamma in [S::one(), -S::one()] {
        let key = key_with_gamma(&program, gamma);
        let vk = key.verifying_key();
        let psi = |inputs: &[S]| {
            let inputs: Vec<_> = [S::one()].iter().chain(inputs).copied().collect();
            <Bn254 as Pairing>::G1::msm(&inputs, &vk.query).mul(&gamma)
        };
        let holds = |inputs: &[S], proof: &Proof<Bn254>| {
            verify(vk, Statement { inputs, proof }, &mut rng(7)).is_ok()
        };
        let [honest, forged] = [circuit.inputs().to_vec(), vec![S::from_u64(5), S::from_u64(6)]];
        let mut proof = prove(&key, &program, &circuit.witness, &mut rng(6)).unwrap();
        proof.c += psi(&honest) - psi(&forged);
        assert!(holds(&forged, &proof));
        // And without any witness.
        let (a, b) = (<Bn254 as Pairing>::G1::identity(), <Bn254 as Pairing>::G2::identity());
        let empty = Proof { a, b, c: -psi(&forged) };
        assert!(holds(&forged, &empty));
        assert_eq!(refused_field(&empty), "A");
        assert_eq!(refused_field(vk), "[gamma]2");
        assert_eq!(refused_field(&key), "[gamma]2");
    }
}

#[test]
fn degenerate_keys_are_refused() {
    type G1 = <Bn254 as Pairing>::G1;
    type G2 = <Bn254 as Pairing>::G2;
    let setup = Setup::<Bn254>::new(1);
    let refused = |change: fn(&mut VerifyingKey<Bn254>)| {
        let mut key = setup.key.verifying_key().clone();
        change(&mut key);
        refused_field(&key)
    };
    assert_eq!(refused(|key| key.alpha = G1::identity()), "[alpha]1");
    assert_eq!(refused(|key| key.beta = G2::identity()), "[beta]2");
    assert_eq!(refused(|key| key.gamma_g1 = G1::identity()), "[gamma]1");
    assert_eq!(refused(|key| key.gamma_g2 = G2::identity()), "[gamma]2");
    assert_eq!(refused(|key| key.gamma_g1 += G1::generator()), "[gamma]1");
    for index in 0..3 {
        let mut key = setup.key.verifying_key().clone();
        key.query[index] = G1::identity();
        assert_eq!(refused_field(&key), "public inputs");
    }
    let mut key = setup.key.clone();
    key.alpha_beta_z = G1::identity();
    assert_eq!(refused_field(&key), "[(alpha + beta) gamma Z]1");
}

/// A key in which a wire has another point in G2 than in G1: with the proof, everybody finds the
/// wire's value if there are few that it can have. Nor does a key pass in which any other point is moved.
#[test]
fn a_malformed_key_does_not_betray_a_wire() {
    type G1 = <Bn254 as Pairing>::G1;
    type G2 = <Bn254 as Pairing>::G2;
    let setup = Setup::<Bn254>::new(2);
    let witness = &setup.circuit.witness;
    let moved =
        |point| <G2 as AffineGroup>::to_affine_all(&[G2::from_affine(&point) + G2::generator()])[0];
    // The bit of the second round.
    let wire = 8;
    assert_eq!(witness[wire], S::one());
    let mut key = setup.key.clone();
    key.b[wire] = moved(key.b[wire]);
    let proof = prove_unverified(&key, &setup.program, witness, &mut rng(1)).unwrap();
    let vk = key.verifying_key();
    let betrayed = Bn254::multi_pairing(&[(vk.gamma_g1, proof.b), (-proof.a, vk.gamma_g2)]);
    let base = Bn254::pairing(&vk.gamma_g1, &G2::generator());
    let found = (0..10).map(S::from_u64).find(|&value| base * value == betrayed);
    assert_eq!(found, Some(witness[wire]));
    let refused = |key: &ProvingKey<Bn254>| prove(key, &setup.program, witness, &mut rng(1)).err();
    assert_eq!(refused(&key), Some(Error::Key));

    for list in 0..3 {
        let mut key = setup.key.clone();
        let point = [&mut key.a, &mut key.c, &mut key.h][list].last_mut().unwrap();
        *point = G1::to_affine_all(&[G1::from_affine(point) + G1::generator()])[0];
        assert_eq!(refused(&key), Some(Error::Key), "{list}");
    }
    let mut key = setup.key.clone();
    key.z_g1 += G1::generator();
    assert_eq!(refused(&key), Some(Error::Key));
}

/// Whole files come back; cut short, with more behind, or of another curve or kind they do not.
fn check_file<E: Engine, T: FileFormat<E> + PartialEq + Debug>(value: &T, cuts: usize) {
    let bytes = value.to_file();
    assert_eq!(&T::from_file(&bytes).unwrap(), value);
    for len in (0..bytes.len()).step_by(bytes.len().div_ceil(cuts)) {
        assert!(T::from_file(&bytes[..len]).is_err(), "{len}");
    }
    assert_eq!(T::from_file(&[&bytes[..], &[0]].concat()), Err(DecodeError::Trailing(1)));
    for at in 0..22 + <E as Pairing>::NAME.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(T::from_file(&changed).is_err(), "{at}");
    }
}

#[test]
fn files_have_one_form() {
    fn check<E: Engine>() {
        let setup = Setup::<E>::new(1);
        check_file::<E, _>(&setup.prove(1), 1000);
        check_file::<E, _>(setup.key.verifying_key(), 1000);
        check_file::<E, _>(&setup.key, 100);
    }
    check::<Bn254>();
    check::<Bls12381>();
}

#[test]
fn points_are_in_the_subgroup() {
    let setup = Setup::<Bls12381>::new(0);
    let proof = setup.prove(1);
    let bytes = FileFormat::<Bls12381>::to_file(&proof);
    let outside = (0_u64..)
        .map(|x| {
            let mut bytes = vec![0; 48];
            bytes[0] = 0x80;
            bytes[40..].copy_from_slice(&x.to_be_bytes());
            bytes
        })
        .find(|bytes| matches!(Bls12381G1::decode(bytes), Err(PointError::Subgroup { .. })))
        .unwrap();
    for (what, point) in [("A", proof.a), ("C", proof.c)] {
        let encoded = point.encode();
        let at = bytes.windows(48).position(|window| window == encoded).unwrap();
        let mut changed = bytes.clone();
        changed[at..at + 48].copy_from_slice(&outside);
        let result = Proof::<Bls12381>::from_file(&changed);
        assert!(matches!(result, Err(DecodeError::Invalid { what: named, .. }) if named == what));
    }
}

#[test]
fn no_changed_byte_of_a_proof_passes() {
    let setup = Setup::<Bn254>::new(0);
    let bytes = FileFormat::<Bn254>::to_file(&setup.prove(1));
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x20;
        let Ok(changed) = Proof::<Bn254>::from_file(&changed) else { continue };
        assert!(setup.verify(setup.circuit.inputs(), &changed).is_err(), "{at}");
    }
}
