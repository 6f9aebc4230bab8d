//! A circuit with its key, a statement and its proof.

use algebra::{Affine, CurveGroup, Dialect, Engine, PointForm, Scalar, ScalarOf};
use circuit::synthesis::{Circuit, Synthesizer};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use snark::groth16::{PreparedVerifyingKey, Proof, ProvingKey, insecure_dealer};

pub fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// "I know x and y with x·y = product, and x to the power of 2^squarings = power", for public
/// `product` and `power`, and a public input `tag` that nothing depends on.
#[derive(Clone, Copy)]
pub struct Powers {
    pub squarings: usize,
    pub tag: u64,
    pub x: u64,
    pub y: u64,
}

impl<S: Scalar> Circuit<S> for Powers {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        cs.input(S::from_u64(self.tag));
        let (x, y) = (cs.private(S::from_u64(self.x)), cs.private(S::from_u64(self.y)));
        let product = cs.product(&x, &y);
        cs.expose(&product);
        let power = (0..self.squarings).fold(x, |power, _| cs.product(&power, &power));
        cs.expose(&power);
    }
}

pub const HONEST: Powers = Powers { squarings: 9, tag: 5, x: 3, y: 7 };

/// Everything that the tests of one curve take.
pub struct Case<E: Engine> {
    pub key: ProvingKey<E>,
    pub verifier: PreparedVerifyingKey<E>,
    pub public: Vec<ScalarOf<E>>,
    pub proof: Proof<E>,
}

impl<E: Engine> Case<E> {
    pub fn new(seed: u8) -> Self {
        let system = HONEST.constraint_system();
        let key = insecure_dealer::<E>(&system, &mut rng(seed)).unwrap();
        let verifier = PreparedVerifyingKey::new(key.verifying_key()).unwrap();
        let (public, proof) = prove(&key, &HONEST);
        Self { key, verifier, public, proof }
    }
}

/// The public inputs and a proof.
pub fn prove<E: Engine>(key: &ProvingKey<E>, statement: &Powers) -> (Vec<ScalarOf<E>>, Proof<E>) {
    let witness = statement.witness();
    let proof = key.prove(&witness, &mut rng(statement.tag as u8)).unwrap();
    (witness[1..=key.public()].to_vec(), proof)
}

/// A point of the curve outside the subgroup: the first `x` that has one.
pub fn outside<G: CurveGroup>() -> Affine<G> {
    let point = |x: u64| {
        let mut bytes = vec![0; G::COORDINATE_LEN];
        let end = bytes.len();
        bytes[end - 8..].copy_from_slice(&x.to_be_bytes());
        let points = G::read_form(&bytes, PointForm::Compressed(Dialect::Snarkjs)).ok()?;
        G::check_subgroup(&points).is_err().then_some(points[0])
    };
    (1..).find_map(point).unwrap()
}
