//! The verifier that evaluates `s(z, y)` itself, in time proportional to the circuit.

use algebra::{Engine, Group, Scalar, ScalarOf};
use rand_core::CryptoRng;
use transcript::Transcript;

use super::{
    accumulator::{Base, Equation, check},
    error::{Claim, Error},
    key::VerifyingKey,
    proof::{Challenges, Proof},
    srs::PieceSrs,
    system::{GateSystem, Shape},
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

/// Checks many proofs about one circuit, with 16 Miller loops in all.
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
    let mut equations = Vec::with_capacity(statements.len());
    for (index, statement) in statements.iter().enumerate() {
        check_inputs(key, index, statement)?;
        let transcript = key.statement(statement.inputs);
        equations.push(proof_equation(system, index, statement, transcript)?);
    }
    check(&key.srs.bases(), &equations, rng)
}

pub(crate) fn check_inputs<E: Engine>(
    key: &VerifyingKey<E>,
    index: usize,
    statement: &Statement<'_, E>,
) -> Result<(), Error> {
    let (expected, got) = (key.public(), statement.inputs.len());
    if expected == got { Ok(()) } else { Err(Error::Inputs { index, expected, got }) }
}

/// What a proof claims, on a transcript that holds its statement.
pub(crate) fn proof_equation<E: Engine>(
    system: &GateSystem<ScalarOf<E>>,
    index: usize,
    statement: &Statement<'_, E>,
    transcript: Transcript,
) -> Result<Equation<E>, Error> {
    let challenges = statement.proof.challenges(transcript)?;
    let s = system.evaluate(&challenges.z, &challenges.y);
    let k = system.constants(&challenges.y, statement.inputs);
    Ok(equation(system.shape(), index, statement.proof, &challenges, s, k))
}

/// What a proof claims, given `s(z, y)` and `k(y)`: `t(z, y)` is what they make it. The equation is in
/// [`pieces`](super::pieces).
pub(crate) fn equation<E: Engine>(
    shape: Shape,
    index: usize,
    proof: &Proof<E>,
    challenges: &Challenges<ScalarOf<E>>,
    s: ScalarOf<E>,
    k: ScalarOf<E>,
) -> Equation<E> {
    let Challenges { y, z, r1 } = challenges;
    let zy = z.times(y);
    let at_z = proof.a * (proof.b + s) - k + *r1 * proof.a;

    // W·(X − z)(X − zy), and the values times (X − zy) and (X − z).
    let mut terms = vec![
        (PieceSrs::<E>::ALPHA_SQUARE, ScalarOf::<E>::one(), proof.opening),
        (Base::ALPHA_X, -(z.value + zy.value), proof.opening),
        (Base::ALPHA, z.value * zy.value, proof.opening),
        (Base::ALPHA_X, at_z + proof.b, E::G1::generator()),
    ];
    let generator = -(zy.value * at_z + z.value * proof.b);
    // Pieces times f·(X − zy) + g·(X − z), to be taken from that.
    let mut piece = |[low, high]: [Base; 2], commitment, f: ScalarOf<E>, g: ScalarOf<E>| {
        terms.push((low, f * zy.value + g * z.value, commitment));
        terms.push((high, -(f + g), commitment));
    };
    for (index, (shift, commitment)) in shape.cut_t().shifts().into_iter().zip(proof.t).enumerate()
    {
        piece(PieceSrs::<E>::t_bases(index), commitment, z.pow(shift), Scalar::zero());
    }
    for (index, (shift, commitment)) in shape.cut_r().shifts().into_iter().zip(proof.r).enumerate()
    {
        let (f, g) = (*r1 * z.pow(shift), zy.pow(shift));
        piece(PieceSrs::<E>::r_bases(index), commitment, f, g);
    }
    Equation { claim: Claim::Proof { index }, terms, generator }
}
