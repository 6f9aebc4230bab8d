//! The verifier that evaluates `s(z, y)` itself, in time proportional to the circuit.

use algebra::{Engine, Scalar, ScalarOf};
use rand_core::CryptoRng;
use transcript::Transcript;

use super::{
    accumulator::{Bound, Opening, check},
    error::{Claim, Error},
    key::VerifyingKey,
    proof::{Challenges, Proof},
    system::GateSystem,
};

/// A proof about a circuit that both sides know.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a, E: Engine> {
    /// The public inputs, outputs first, without the constant one.
    pub inputs: &'a [ScalarOf<E>],
    /// The proof.
    pub proof: &'a Proof<E>,
}

/// Checks a proof. `rng` draws the weights under which its equations are checked together.
///
/// # Errors
/// [`Error::False`] if it does not hold, [`Error::Inputs`], [`Error::Circuit`].
pub fn verify<E: Engine>(
    key: &VerifyingKey<E>,
    system: &GateSystem<ScalarOf<E>>,
    statement: Statement<'_, E>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    verify_batch(key, system, &[statement], rng)
}

/// Checks many proofs about one circuit, with four Miller loops in all.
///
/// # Errors
/// As [`verify`], naming the first proof that does not hold.
pub fn verify_batch<E: Engine>(
    key: &VerifyingKey<E>,
    system: &GateSystem<ScalarOf<E>>,
    statements: &[Statement<'_, E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    key.check_circuit(system)?;
    let mut openings = Vec::with_capacity(2 * statements.len());
    for (index, statement) in statements.iter().enumerate() {
        check_inputs(key, index, statement)?;
        let transcript = key.statement(statement.inputs);
        openings.extend(proof_openings(system, index, statement, transcript)?);
    }
    check(&key.srs, &openings, rng)
}

pub(crate) fn check_inputs<E: Engine>(
    key: &VerifyingKey<E>,
    index: usize,
    statement: &Statement<'_, E>,
) -> Result<(), Error> {
    let (expected, got) = (key.public(), statement.inputs.len());
    if expected == got { Ok(()) } else { Err(Error::Inputs { index, expected, got }) }
}

/// The openings of a proof, on a transcript that holds its statement.
pub(crate) fn proof_openings<E: Engine>(
    system: &GateSystem<ScalarOf<E>>,
    index: usize,
    statement: &Statement<'_, E>,
    transcript: Transcript,
) -> Result<[Opening<E>; 2], Error> {
    let challenges = statement.proof.challenges(transcript)?;
    let s = system.evaluate(&challenges.z, &challenges.y);
    let k = system.constants(&challenges.y, statement.inputs);
    Ok(openings(index, statement.proof, &challenges, s, k))
}

/// The openings of a proof, given `s(z, y)` and `k(y)`: `t(z, y)` is what they make it.
pub(crate) fn openings<E: Engine>(
    index: usize,
    proof: &Proof<E>,
    challenges: &Challenges<ScalarOf<E>>,
    s: ScalarOf<E>,
    k: ScalarOf<E>,
) -> [Opening<E>; 2] {
    let Challenges { y, z, r1 } = challenges;
    let claim = Claim::Proof { index };
    let one = ScalarOf::<E>::one();
    let t = proof.a * (proof.b + s) - k;
    let at_z = Opening {
        claim,
        witness: proof.w_a,
        point: z.value,
        value: t + *r1 * proof.a,
        other: None,
        commitments: vec![(one, proof.t, Bound::None), (*r1, proof.r, Bound::Gates)],
    };
    let at_zy = Opening {
        claim,
        witness: proof.w_b,
        point: z.value * y.value,
        value: proof.b,
        other: None,
        commitments: vec![(one, proof.r, Bound::Gates)],
    };
    [at_z, at_zy]
}
