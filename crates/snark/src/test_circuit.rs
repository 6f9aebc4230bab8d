//! A circuit for the tests of all proof systems, and a point that none of them may accept.

use algebra::{CurveGroup, Dialect, PointForm, Scalar};
use circuit::r1cs::{Constraint, R1csHeader};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

pub fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// A point of the curve outside the prime-order subgroup.
pub fn stray<G: CurveGroup>() -> G {
    let form = PointForm::Compressed(Dialect::Snarkjs);
    let point = |x: u8| {
        let mut bytes = vec![0; G::form_len(form)];
        *bytes.last_mut()? = x;
        let points = G::read_form(&bytes, form).ok()?;
        G::check_subgroup(&points).is_err().then(|| points[0].into())
    };
    (1..=255).find_map(point).unwrap()
}

/// A rank-1 constraint system with a witness.
#[derive(Clone)]
pub struct TestCircuit<S> {
    pub header: R1csHeader,
    pub constraints: Vec<Constraint<S>>,
    pub witness: Vec<S>,
}

/// `rounds` times: a bit, a product of sums with a public input, an exclusive or whose result
/// stands nowhere alone, a linear constraint. The last product is the public output.
pub fn test_circuit<S: Scalar>(rounds: usize, rng: &mut ChaCha20Rng) -> TestCircuit<S> {
    let one = S::one();
    let factor = S::from_u64;
    // The constant one, output, input, a first private wire.
    let mut witness = vec![one, S::zero(), S::random(rng), S::random(rng)];
    let mut constraints = Vec::new();
    let mut last = 3;
    for round in 0..rounds {
        let wire = |offset: usize| (witness.len() + offset) as u32;
        let [bit, product, xor, double] = [0, 1, 2, 3].map(wire);
        let b = factor(round as u64 % 2);
        let left = witness[last as usize] + factor(3) * witness[2] + one;
        let value = left * (witness[last as usize] + b);
        let exclusive = b + value - factor(2) * b * value;
        let twice = factor(2) * (value + exclusive);
        witness.extend([b, value, exclusive, twice]);
        constraints.extend([
            Constraint { a: vec![(bit, one)], b: vec![(0, one), (bit, -one)], c: vec![] },
            Constraint {
                a: vec![(last, one), (2, factor(3)), (0, one)],
                b: vec![(last, one), (bit, one)],
                c: vec![(product, one)],
            },
            Constraint {
                a: vec![(bit, factor(2))],
                b: vec![(product, one)],
                c: vec![(bit, one), (product, one), (xor, -one)],
            },
            // Linear, and with a wire that appears twice.
            Constraint {
                a: vec![(product, one), (xor, one), (product, S::zero())],
                b: vec![(0, factor(2))],
                c: vec![(double, factor(3)), (double, -factor(2))],
            },
        ]);
        last = product;
    }
    witness[1] = witness[last as usize] * witness[2];
    constraints.push(Constraint { a: vec![(last, one)], b: vec![(2, one)], c: vec![(1, one)] });
    assert!(constraints.iter().all(|constraint| constraint.is_satisfied_by(&witness)));
    let header = R1csHeader {
        wires: witness.len() as u32,
        public_outputs: 1,
        public_inputs: 1,
        private_inputs: 1,
        labels: 0,
        constraints: constraints.len() as u32,
    };
    TestCircuit { header, constraints, witness }
}

impl<S: Scalar> TestCircuit<S> {
    pub fn inputs(&self) -> &[S] {
        &self.witness[1..=self.header.public() as usize]
    }
}
