//! The prover (section 6.1 and figure 2).

use algebra::{Engine, FftScalar, Scalar, ScalarOf};
use rand_core::CryptoRng;
use transcript::Transcript;

use super::{
    error::Error,
    field::Point,
    key::VerifyingKey,
    laurent::Laurent,
    proof::{Proof, after_r, after_t, after_values},
    srs::Srs,
    system::{BLINDERS, GateSystem, Shape},
};

/// Proves that a witness (the values of all wires of the rank-1 constraint system, one first, then
/// the public ones) satisfies the circuit. Everything about the witness is erased afterwards.
///
/// Multi-scalar multiplications of `2n`, `4n`, `2n` and `4n` terms, if few variables are loose, in
/// variable time. The first has the witness's own numbers for scalars, which are often small.
///
/// # Errors
/// [`Error::Unsatisfied`] if it does not; [`Error::WitnessLength`]; [`Error::Circuit`] if the
/// reference string was cut out for circuits of another shape.
pub fn prove<E: Engine>(
    srs: &Srs<E>,
    system: &GateSystem<ScalarOf<E>>,
    witness: &[ScalarOf<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Proof<E>, Error> {
    let key = VerifyingKey::new(srs, system)?;
    let r = blinded(system, witness, rng)?;
    let inputs = witness.get(1..=system.public()).unwrap_or_default();
    let constants = |y: &Point<_>| system.constants(y, inputs);
    prove_polynomial(srs, system, r, constants, key.statement(inputs))
}

/// `r(X, 1) = Σ a_i X^i + b_i X^{−i} + Σ v_j X^{−n−j}`, with random coefficients below `X^{−n−h}`.
pub(crate) fn blinded<S: Scalar>(
    system: &GateSystem<S>,
    witness: &[S],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Laurent<S>, Error> {
    Ok(blind(system.shape(), &system.assign(witness)?, rng))
}

/// `r(X, 1)` from its coefficients, that of `X^n` first.
pub(crate) fn blind<S: Scalar>(
    shape: Shape,
    values: &[S],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Laurent<S> {
    let mut coefficients = Vec::with_capacity(BLINDERS + values.len());
    coefficients.extend((0..BLINDERS).map(|_| S::random(rng)));
    coefficients.extend(values.iter().rev());
    Laurent::new(lowest(shape), coefficients)
}

/// The lowest power of `r(X, 1)`.
pub(crate) fn lowest(shape: Shape) -> i64 {
    -((shape.gates + shape.loose + BLINDERS) as i64)
}

/// `t(X, y) = r(X, 1) · (r(X, y) + s(X, y)) − k(y)`. It has no constant term if, and for all but few
/// `y` only if, the gates and the linear constraints hold.
pub(crate) fn constraint_polynomial<S: FftScalar>(
    r: &Laurent<S>,
    y: &Point<S>,
    s: &Laurent<S>,
    k: S,
) -> Result<Laurent<S>, Error> {
    let mut factor = r.scale_argument(y).extended(s.high());
    factor.add_scaled(s, S::one());
    let mut t = r.multiply(&factor).map_err(|_| Error::CircuitSize)?;
    t.add_constant(-k);
    Ok(t)
}

/// Proves about `r(X, 1)`, on a transcript that holds the statement. `constants` is `k(Y)`.
pub(crate) fn prove_polynomial<E: Engine>(
    srs: &Srs<E>,
    system: &GateSystem<ScalarOf<E>>,
    r: Laurent<ScalarOf<E>>,
    constants: impl FnOnce(&Point<ScalarOf<E>>) -> ScalarOf<E>,
    mut transcript: Transcript,
) -> Result<Proof<E>, Error> {
    let commitment = srs.commit_bounded(&r)?;
    let y = after_r::<E>(&mut transcript, &commitment)?;

    let (s, k) = (system.in_x(&y), constants(&y));
    let mut t = constraint_polynomial(&r, &y, &s, k)?;
    let t_commitment = srs.commit(&t)?;
    let z = after_t::<E>(&mut transcript, &t_commitment)?;

    let a = r.evaluate(&z);
    let (b, w_b) = srs.open(&r, &z.times(&y))?;
    let r1 = after_values::<E>(&mut transcript, &a, &b)?;
    t.add_scaled(&r, r1);
    let (_, w_a) = srs.open(&t, &z)?;
    Ok(Proof { r: commitment, t: t_commitment, a, b, w_a, w_b })
}
