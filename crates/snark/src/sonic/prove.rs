//! The prover (section 6.1 and figure 2).

use algebra::{Engine, FftScalar, Scalar, ScalarOf};
use rand_core::CryptoRng;
use transcript::Transcript;
use wire::{Decode, Encode, Reader};

use super::{
    error::Error,
    field::Point,
    key::VerifyingKey,
    laurent::Laurent,
    pieces::{Pieces, R_PIECES, T_PIECES},
    proof::{Proof, after_r, after_t, after_values},
    srs::Srs,
    system::{BLINDERS, GateSystem, Shape},
    verify::{Statement, verify},
};

/// Proves that a witness (the values of all wires of the rank-1 constraint system, one first, then
/// the public ones) satisfies the circuit. Everything about the witness is erased afterwards.
///
/// Seven multi-scalar multiplications of `n` terms each, if few variables are loose, in variable time.
/// Two have the witness's own numbers for scalars, which are often small.
///
/// The proof is verified as its bytes will be read before it is handed out: under a malformed reference
/// string it would tell small wires.
///
/// # Errors
/// [`Error::Unsatisfied`] if it does not; [`Error::WitnessLength`]; [`Error::Circuit`] if the
/// reference string was cut out for circuits of another shape; [`Error::Malformed`].
pub fn prove<E: Engine>(
    srs: &Srs<E>,
    system: &GateSystem<ScalarOf<E>>,
    witness: &[ScalarOf<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Proof<E>, Error> {
    let key = VerifyingKey::new(srs, system)?;
    let r = blinded(system, witness, rng)?;
    // The public wires are among those of the witness, whose number `blinded` has checked.
    let inputs = witness.get(1..=system.public()).unwrap_or_default();
    let commit_r = |r: &Pieces<_, _>| srs.commit_bounded_pieces(r);
    let commit_t = |t: &Pieces<_, _>| srs.commit_pieces(t);
    let prover = Prover { srs, system, commit_r, commit_t };
    let proof = prover.prove(&r, |y| system.constants(y, inputs), key.statement(inputs), rng)?;
    as_read(&proof, |proof| verify(&key, system, Statement { inputs, proof }, rng))
}

/// A proof from its own bytes, as everybody else will read it, once it has been verified.
pub(crate) fn as_read<P: Encode + Decode>(
    proof: &P,
    verify: impl FnOnce(&P) -> Result<(), Error>,
) -> Result<P, Error> {
    let bytes = proof.to_bytes();
    let proof = P::decode(&mut Reader::new(&bytes)).map_err(|_| Error::Malformed)?;
    verify(&proof).map_err(|_| Error::Malformed)?;
    Ok(proof)
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
    Laurent::new(shape.lowest(), coefficients)
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

/// A prover and how it commits: an honest one refuses what there is no commitment to.
pub(crate) struct Prover<'a, E: Engine, R, T> {
    pub srs: &'a Srs<E>,
    pub system: &'a GateSystem<ScalarOf<E>>,
    pub commit_r: R,
    pub commit_t: T,
}

impl<E: Engine, R, T> Prover<'_, E, R, T>
where
    R: Fn(&Pieces<ScalarOf<E>, R_PIECES>) -> Result<[E::G1; R_PIECES], Error>,
    T: Fn(&Pieces<ScalarOf<E>, T_PIECES>) -> Result<[E::G1; T_PIECES], Error>,
{
    /// Proves about `r(X, 1)`, on a transcript that holds the statement. `constants` is `k(Y)`.
    pub fn prove(
        &self,
        r: &Laurent<ScalarOf<E>>,
        constants: impl FnOnce(&Point<ScalarOf<E>>) -> ScalarOf<E>,
        mut transcript: Transcript,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Proof<E>, Error> {
        let shape = self.srs.shape();
        let r_pieces = Pieces::new(r, shape.cut_r(), rng);
        let r_commitments = (self.commit_r)(&r_pieces)?;
        let y = after_r::<E>(&mut transcript, &r_commitments)?;

        let (s, k) = (self.system.in_x(&y), constants(&y));
        let t = constraint_polynomial(r, &y, &s, k)?;
        let t_pieces = Pieces::new(&t, shape.cut_t(), rng);
        let t_commitments = (self.commit_t)(&t_pieces)?;
        let z = after_t::<E>(&mut transcript, &t_commitments)?;

        let zy = z.times(&y);
        let (r_at_z, r_at_zy) = (r_pieces.at(&z), r_pieces.at(&zy));
        let (a, b) = (r_at_z.evaluate(&z), r_at_zy.evaluate(&zy));
        let r1 = after_values::<E>(&mut transcript, &a, &b)?;
        let mut at_z = t_pieces.at(&z).extended(r_at_z.high());
        at_z.add_scaled(&r_at_z, r1);
        let (_, mut quotient) = at_z.divide(&z);
        quotient.add_scaled(&r_at_zy.divide(&zy).1, Scalar::one());
        let opening = self.srs.sum_powers(&quotient)?;
        Ok(Proof { r: r_commitments, t: t_commitments, a, b, opening })
    }
}
