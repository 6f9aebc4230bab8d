//! One circuit, its proofs in all systems, and bundles of them.

use std::path::Path;

use algebra::{Engine, Scalar, ScalarOf};
use circuit::{
    json::public_to_json,
    synthesis::{Circuit, ConstraintSystem, Synthesizer},
};
use claim::{Bundle, BundleWriter, Claim, Registry, Verdict, VerifyError};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::Value;
use snark::{
    FileFormat as _,
    claims::{CLAIM_KIND, Files, SnarkProofVerifier},
    gm17, groth16,
    sonic::{self, unhelped},
};

pub fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// "I know the factors of a number, which I do not say for whom I say it": the number and a `tag`.
#[derive(Clone, Copy)]
pub struct Factors {
    pub p: u64,
    pub q: u64,
    pub tag: u64,
}

pub const HONEST: Factors = Factors { p: 641, q: 6_700_417, tag: 9 };

impl<S: Scalar> Circuit<S> for Factors {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        cs.input(S::from_u64(self.tag));
        let (p, q) = (cs.private(S::from_u64(self.p)), cs.private(S::from_u64(self.q)));
        let product = cs.product(&p, &q);
        cs.expose(&product);
    }
}

pub fn system<E: Engine>() -> ConstraintSystem<ScalarOf<E>> {
    HONEST.constraint_system()
}

/// Public inputs as a statement has them.
pub fn public<E: Engine>(witness: &[ScalarOf<E>]) -> Vec<String> {
    serde_json::from_str(&public_to_json(&witness[1..=2]).unwrap()).unwrap()
}

fn names() -> Option<Vec<String>> {
    Some(["product", "tag"].map(str::to_owned).to_vec())
}

/// A key of Groth16 and a proof by it for each of these.
pub fn groth16<E: Engine>(statements: &[Factors]) -> Files {
    let key = groth16::insecure_dealer::<E>(&system::<E>(), &mut rng(1)).unwrap();
    let witnesses: Vec<_> = statements.iter().map(|one| one.witness()).collect();
    let prove = |witness: &Vec<_>| key.prove(witness, &mut rng(2)).unwrap().to_json().unwrap();
    Files {
        key: key.verifying_key().to_json().unwrap().into_bytes(),
        proofs: witnesses.iter().map(|witness| prove(witness).into_bytes()).collect(),
        public: witnesses.iter().map(|witness| public::<E>(witness)).collect(),
        names: names(),
        circuit: None,
    }
}

pub fn gm17<E: Engine>() -> Files {
    let (system, witness) = (system::<E>(), HONEST.witness());
    let rows = system.constraints().iter().cloned();
    let program = gm17::SquareProgram::from_r1cs(&system.header(), rows).unwrap();
    let key = gm17::insecure_dealer::<E>(&program, &mut rng(1)).unwrap();
    let proof = gm17::prove(&key, &program, &witness, &mut rng(2)).unwrap();
    Files {
        key: key.verifying_key().to_file(),
        proofs: vec![proof.to_file()],
        public: vec![public::<E>(&witness)],
        names: names(),
        circuit: None,
    }
}

pub fn sonic<E: Engine>() -> Files {
    let (system, witness) = (system::<E>(), HONEST.witness());
    let rows = system.constraints().iter().cloned();
    let gates = sonic::GateSystem::from_r1cs(&system.header(), rows).unwrap();
    let shape = gates.shape();
    let srs = sonic::Srs::<E>::insecure_dealer(shape, shape.degree() as u64, &mut rng(1)).unwrap();
    let proof = sonic::prove(&srs, &gates, &witness, &mut rng(2)).unwrap();
    let r1cs = system.write::<E, _>(std::io::Cursor::new(Vec::new())).unwrap().into_inner();
    Files {
        key: sonic::VerifyingKey::new(&srs, &gates).unwrap().to_file(),
        proofs: vec![proof.to_file()],
        public: vec![public::<E>(&witness)],
        names: names(),
        circuit: Some(r1cs),
    }
}

pub fn sonic_unhelped<E: Engine>() -> Files {
    let (system, witness) = (system::<E>(), HONEST.witness());
    let rows = system.constraints().iter().cloned();
    let permuted = unhelped::PermutedSystem::from_r1cs(&system.header(), rows).unwrap();
    let degree = permuted.degree() as u64;
    let srs = unhelped::Srs::<E>::insecure_dealer(&permuted, degree, &mut rng(1)).unwrap();
    let key = unhelped::VerifyingKey::new(&srs, &permuted).unwrap();
    let proof = unhelped::prove(&srs, &permuted, &key, &witness, &mut rng(2)).unwrap();
    Files {
        key: key.to_file(),
        proofs: vec![proof.to_file()],
        public: vec![public::<E>(&witness)],
        names: names(),
        circuit: None,
    }
}

/// What anybody could write: these objects under a statement that nobody checked.
pub fn forge(root: &Path, files: &Files, statement: Value, more: &[(&str, &[u8])]) -> Bundle {
    let mut writer = BundleWriter::create(root).unwrap();
    let mut add = |path: &str, bytes: &[u8]| writer.add_object(path, bytes).unwrap();
    let proofs = files.proofs.iter().enumerate();
    let proofs = proofs.map(|(index, proof)| add(&format!("proof-{index}"), proof)).collect();
    let mut objects = vec![("key", vec![add("key", &files.key)]), ("proof", proofs)];
    let circuit = files.circuit.as_deref().map(|circuit| ("circuit", circuit));
    for (role, bytes) in circuit.iter().chain(more) {
        objects.push((role, vec![add(role, bytes)]));
    }
    writer.add_claim(CLAIM_KIND, &Claim::new(CLAIM_KIND, 1, objects, statement)).unwrap();
    writer.finish().unwrap()
}

pub fn verify(bundle: &Bundle) -> Result<Verdict, VerifyError> {
    let verdicts = claim::verify(bundle, &Registry::new().with(SnarkProofVerifier), &())?;
    Ok(verdicts.into_iter().next().unwrap())
}
