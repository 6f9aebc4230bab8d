//! A proof and its challenges.

use algebra::{Engine, Group, Scalar, ScalarOf};
use transcript::{Transcript, TranscriptExt};

use super::{error::Error, field::Point, key::challenge};

/// Four points and two scalars (figure 2 of the paper, without `s`): 256 bytes on BLS12-381.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<E: Engine> {
    /// `R = [α x^{d−n} r(x, 1)]₁`.
    pub(crate) r: E::G1,
    /// `T = [α t(x, y)]₁`.
    pub(crate) t: E::G1,
    /// `a = r(z, 1)`.
    pub(crate) a: ScalarOf<E>,
    /// `b = r(zy, 1) = r(z, y)`.
    pub(crate) b: ScalarOf<E>,
    /// Opens `T + r₁·R` at `z`.
    pub(crate) w_a: E::G1,
    /// Opens `R` at `zy`.
    pub(crate) w_b: E::G1,
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

pub(crate) fn after_r<E: Engine>(
    transcript: &mut Transcript,
    r: &E::G1,
) -> Result<Point<ScalarOf<E>>, Error> {
    transcript.absorb(b"R", &r.encode());
    challenge(transcript, b"y")
}

pub(crate) fn after_t<E: Engine>(
    transcript: &mut Transcript,
    t: &E::G1,
) -> Result<Point<ScalarOf<E>>, Error> {
    transcript.absorb(b"T", &t.encode());
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
