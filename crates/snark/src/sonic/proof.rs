//! A proof and its challenges.

use algebra::{Engine, Group, Scalar, ScalarOf};
use transcript::{Transcript, TranscriptExt};

use super::{
    error::Error,
    field::Point,
    key::challenge,
    pieces::{R_PIECES, T_PIECES},
};

/// Seven points and two scalars: 400 bytes on BLS12-381. The paper (figure 2, without `s`) has four
/// points: it commits to `r` and `t` whole, and has an opening for each of two points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<E: Engine> {
    /// `R_k = [α x^{d−n+e_k} r_k(x)]₁` for the pieces of `r(X, 1)`.
    pub(crate) r: [E::G1; R_PIECES],
    /// `T_k = [α x^{e_k} t_k(x)]₁` for the pieces of `t(X, y)`.
    pub(crate) t: [E::G1; T_PIECES],
    /// `a = r(z, 1)`.
    pub(crate) a: ScalarOf<E>,
    /// `b = r(zy, 1) = r(z, y)`.
    pub(crate) b: ScalarOf<E>,
    /// `W`, opens `t + r₁·r` at `z` and `r` at `zy`.
    pub(crate) opening: E::G1,
}

/// The challenges of a proof, in the order in which they are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Challenges<S> {
    pub y: Point<S>,
    pub z: Point<S>,
    pub r1: S,
}

impl<E: Engine> Proof<E> {
    /// The challenges on a transcript that holds the statement.
    pub(crate) fn challenges(
        &self,
        mut transcript: Transcript,
    ) -> Result<Challenges<ScalarOf<E>>, Error> {
        let y = after_r::<E>(&mut transcript, &self.r)?;
        let z = after_t::<E>(&mut transcript, &self.t)?;
        let r1 = after_values::<E>(&mut transcript, &self.a, &self.b)?;
        Ok(Challenges { y, z, r1 })
    }
}

/// `y`, which is not one: `z` and `zy` are two points.
pub(crate) fn after_r<E: Engine>(
    transcript: &mut Transcript,
    r: &[E::G1],
) -> Result<Point<ScalarOf<E>>, Error> {
    r.iter().for_each(|piece| transcript.absorb(b"R", &piece.encode()));
    let y: Point<ScalarOf<E>> = challenge(transcript, b"y")?;
    if y.value == Scalar::one() { Err(Error::Challenge) } else { Ok(y) }
}

pub(crate) fn after_t<E: Engine>(
    transcript: &mut Transcript,
    t: &[E::G1],
) -> Result<Point<ScalarOf<E>>, Error> {
    t.iter().for_each(|piece| transcript.absorb(b"T", &piece.encode()));
    challenge(transcript, b"z")
}

pub(crate) fn after_values<E: Engine>(
    transcript: &mut Transcript,
    a: &ScalarOf<E>,
    b: &ScalarOf<E>,
) -> Result<ScalarOf<E>, Error> {
    transcript.absorb(b"a", &a.encode());
    transcript.absorb(b"b", &b.encode());
    Ok(challenge(transcript, b"r1")?.value)
}
