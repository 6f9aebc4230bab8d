//! The verifier.

use algebra::{Engine, Group, Scalar, ScalarOf, batch};
use rand_core::CryptoRng;

use super::{Error, Proof, VerifyingKey};

/// A proof about a circuit.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a, E: Engine> {
    /// The public inputs, outputs first, without the constant one.
    pub inputs: &'a [ScalarOf<E>],
    /// The proof.
    pub proof: &'a Proof<E>,
}

/// Checks a proof. `rng` draws the weights under which its two equations are checked together.
///
/// # Errors
/// [`Error::False`] if it does not hold, [`Error::Inputs`].
pub fn verify<E: Engine>(
    key: &VerifyingKey<E>,
    statement: Statement<'_, E>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    verify_batch(key, &[statement], rng)
}

/// Checks many proofs under one key, with a Miller loop for each and three for all of them.
///
/// # Errors
/// As [`verify`], naming the first proof that does not hold.
pub fn verify_batch<E: Engine>(
    key: &VerifyingKey<E>,
    statements: &[Statement<'_, E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    let (expected, all) = (key.public(), statements.iter().enumerate());
    for (index, statement) in all {
        let got = statement.inputs.len();
        if expected != got {
            return Err(Error::Inputs { index, expected, got });
        }
    }
    let checked = batch::check(statements.len(), |range| {
        // Parts of all statements, so that none is left out.
        hold(key, statements.get(range).unwrap_or_default(), rng)
    });
    checked.map_err(|index| Error::False { index })
}

/// With weights `ρ_j` and `σ_j` of 128 bits, the equations of all proofs
/// `e(A + [α]₁, B + [β]₂) = e([α]₁, [β]₂) · e(ψ, [γ]₂) · e(C, [1]₂)` and `e(A, [γ]₂) = e([γ]₁, B)`,
/// gathered by what they have in G2.
fn hold<E: Engine>(
    key: &VerifyingKey<E>,
    statements: &[Statement<'_, E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> bool {
    let zero = E::G1::identity();
    let (mut at_beta, mut at_gamma, mut at_one) = (zero, zero, zero);
    let mut query = vec![ScalarOf::<E>::zero(); key.query.len()];
    let mut pairs = Vec::with_capacity(statements.len() + 3);
    for Statement { inputs, proof } in statements {
        let [rho, sigma] = [(); 2].map(|()| weight::<E>(rng));
        let Proof { a, b, c } = proof;
        pairs.push(((*a + key.alpha).mul(&rho) - key.gamma_g1.mul(&sigma), *b));
        at_beta += a.mul(&rho);
        at_gamma += a.mul(&sigma);
        at_one -= c.mul(&rho);
        let values = [ScalarOf::<E>::one()];
        let values = values.iter().chain(*inputs);
        query.iter_mut().zip(values).for_each(|(sum, &value)| *sum += rho * value);
    }
    at_gamma -= E::G1::msm(&query, &key.query);
    pairs.extend([(at_beta, key.beta), (at_gamma, key.gamma_g2), (at_one, E::G2::generator())]);
    E::is_neutral(&pairs)
}

fn weight<E: Engine>(rng: &mut (impl CryptoRng + ?Sized)) -> ScalarOf<E> {
    let mut bytes = [0; 16];
    rng.fill_bytes(&mut bytes);
    ScalarOf::<E>::from_u128(u128::from_le_bytes(bytes))
}
