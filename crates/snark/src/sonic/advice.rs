//! The helper's part (section 7): advice on single proofs, and one argument for all of it.

use algebra::{Engine, Group, Scalar, ScalarOf};
use transcript::{Transcript, TranscriptExt};

use super::{
    error::Error,
    field::Point,
    key::{VerifyingKey, absorb_inputs, challenge},
    laurent::Laurent,
    proof::Challenges,
    srs::Srs,
    system::GateSystem,
    verify::{Statement, check_inputs},
};

/// What a helper says about the `s(X, y_j)` of one proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice<E: Engine> {
    /// `S_j = [α s(x, y_j)]₁`.
    pub(crate) commitment: E::G1,
    /// `s(z_j, y_j)`.
    pub(crate) value: ScalarOf<E>,
    /// Opens `S_j` at `z_j`.
    pub(crate) opening: E::G1,
}

/// How an [`Aggregate`] opens `C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// At all points with two group elements, after Boneh, Drake, Fisch and Gabizon (ePrint
    /// 2020/081).
    Batched,
    /// With an element for each proof, as the paper does.
    PerProof,
}

/// A helper's argument that the advice on many proofs is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate<E: Engine> {
    /// `C = [α s(u, x)]₁`.
    pub(crate) circuit: E::G1,
    /// `s(u, y_j)` for every proof.
    pub(crate) values: Vec<ScalarOf<E>>,
    /// Opens all `S_j` at `u`.
    pub(crate) signatures: E::G1,
    /// Open `C` at the `y_j` and at `w`.
    pub(crate) openings: Openings<E>,
}

/// Openings of `C`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Openings<E: Engine> {
    Batched {
        /// `[q(x)]₁` for `q = (s(u, Y) − I(Y)) / Z(Y)`.
        quotient: E::G1,
        /// Opens `s(u, Y) − I(ζ) − Z(ζ)·q(Y)` at `ζ`.
        at_zeta: E::G1,
    },
    PerProof {
        at_y: Vec<E::G1>,
        at_w: E::G1,
    },
}

/// The helper's work on one proof: multi-scalar multiplications of `2n + h` terms, twice.
///
/// # Errors
/// [`Error::Circuit`], [`Error::Inputs`].
pub fn advise<E: Engine>(
    srs: &Srs<E>,
    system: &GateSystem<ScalarOf<E>>,
    statement: Statement<'_, E>,
) -> Result<Advice<E>, Error> {
    let key = VerifyingKey::new(srs, system)?;
    check_inputs(&key, 0, &statement)?;
    let Challenges { y, z, .. } = statement.proof.challenges(key.statement(statement.inputs))?;
    let s = system.in_x(&y);
    let commitment = srs.commit(&s)?;
    let (value, opening) = srs.open(&s, &z)?;
    Ok(Advice { commitment, value, opening })
}

/// Proofs with advice on each, as the transcript of an aggregate takes them.
pub(crate) struct Round<'a, E: Engine> {
    pub statements: &'a [Statement<'a, E>],
    pub advice: &'a [Advice<E>],
    /// Of every proof.
    pub challenges: Vec<Challenges<ScalarOf<E>>>,
    pub transcript: Transcript,
}

impl<'a, E: Engine> Round<'a, E> {
    pub fn new(
        key: &VerifyingKey<E>,
        statements: &'a [Statement<'a, E>],
        advice: &'a [Advice<E>],
    ) -> Result<Self, Error> {
        let (expected, got) = (statements.len(), advice.len());
        if expected != got {
            return Err(Error::Length { what: "advice", expected, got });
        }
        let mut transcript = key.start(b"subrosa/sonic/aggregate/v1");
        transcript.absorb_u64(b"proofs", expected as u64);
        let mut challenges = Vec::with_capacity(expected);
        for (index, (statement, advice)) in statements.iter().zip(advice).enumerate() {
            check_inputs(key, index, statement)?;
            challenges.push(statement.proof.challenges(key.statement(statement.inputs))?);
            absorb_inputs::<E>(&mut transcript, statement.inputs);
            transcript.absorb(b"proof", &wire::Encode::to_bytes(statement.proof));
            transcript.absorb(b"advice", &wire::Encode::to_bytes(advice));
        }
        Ok(Self { statements, advice, challenges, transcript })
    }

    /// `u`.
    pub fn u(&mut self) -> Result<Point<ScalarOf<E>>, Error> {
        challenge(&mut self.transcript, b"u")
    }

    /// The weights of the `S_j`, after `C` and the values that they are to have at `u`.
    pub fn weights(
        &mut self,
        circuit: &E::G1,
        values: &[ScalarOf<E>],
    ) -> Result<Vec<ScalarOf<E>>, Error> {
        self.transcript.absorb(b"C", &circuit.encode());
        self.transcript.absorb(b"s(u, y)", &ScalarOf::<E>::encode_all(values));
        Ok(challenge(&mut self.transcript, b"gamma")?.powers(0, values.len()))
    }

    /// `w`, after the weights, hence after `C` and all values.
    pub fn w(&mut self) -> Result<Point<ScalarOf<E>>, Error> {
        challenge(&mut self.transcript, b"w")
    }

    /// `ζ`, after the quotient.
    pub fn zeta(&mut self, quotient: &E::G1) -> Result<Point<ScalarOf<E>>, Error> {
        self.transcript.absorb(b"quotient", &quotient.encode());
        challenge(&mut self.transcript, b"zeta")
    }
}

/// The helper's work on all proofs together: beside additions that grow with their number, three
/// multi-scalar multiplications of `2n + Q` terms and one of `2n + h`; one of `2n + Q` more for each
/// proof in [`Mode::PerProof`].
///
/// # Errors
/// [`Error::Circuit`], [`Error::Inputs`], [`Error::Length`].
pub fn aggregate<E: Engine>(
    srs: &Srs<E>,
    system: &GateSystem<ScalarOf<E>>,
    statements: &[Statement<'_, E>],
    advice: &[Advice<E>],
    mode: Mode,
) -> Result<Aggregate<E>, Error> {
    let key = VerifyingKey::new(srs, system)?;
    let mut round = Round::new(&key, statements, advice)?;
    let u = round.u()?;
    let f = system.in_y(&u);
    let circuit = srs.commit(&f)?;
    let ys: Vec<_> = round.challenges.iter().map(|challenges| challenges.y).collect();
    let values: Vec<_> = ys.iter().map(|y| f.evaluate(y)).collect();

    let weights = round.weights(&circuit, &values)?;
    let weighted: Vec<_> = weights.into_iter().zip(ys.iter().copied()).collect();
    let (_, signatures) = srs.open(&system.combine_in_x(&weighted), &u)?;

    let w = round.w()?;
    let openings = match mode {
        Mode::PerProof => {
            let open = |at| srs.open(&f, at).map(|(_, opening)| opening);
            let at_y = ys.iter().map(open).collect::<Result<_, _>>()?;
            Openings::PerProof { at_y, at_w: open(&w)? }
        }
        Mode::Batched => open_at_all(srs, &mut round, f, &distinct(ys.into_iter().chain([w])))?,
    };
    Ok(Aggregate { circuit, values, signatures, openings })
}

/// Opens `f` at all points, which are distinct.
fn open_at_all<E: Engine>(
    srs: &Srs<E>,
    round: &mut Round<'_, E>,
    mut f: Laurent<ScalarOf<E>>,
    points: &[Point<ScalarOf<E>>],
) -> Result<Openings<E>, Error> {
    // Newton: f = v_0 + (Y − y_0)·(v_1 + (Y − y_1)·( … + (Y − y_N)·q)).
    let mut quotient = f.clone();
    let mut newton = Vec::with_capacity(points.len());
    for point in points {
        let (value, next) = quotient.divide(point);
        newton.push((*point, value));
        quotient = next;
    }
    let commitment = srs.sum_powers(&quotient)?;
    let zeta = round.zeta(&commitment)?;
    // I(ζ) and Z(ζ).
    let (mut value, mut vanishing) = (ScalarOf::<E>::zero(), ScalarOf::<E>::one());
    for (point, coefficient) in newton {
        value += vanishing * coefficient;
        vanishing *= zeta.value - point.value;
    }
    f.add_constant(-value);
    f.add_scaled(&quotient, -vanishing);
    let (_, at_zeta) = srs.open(&f, &zeta)?;
    Ok(Openings::Batched { quotient: commitment, at_zeta })
}

/// The points in the order in which they first appear.
fn distinct<S: Scalar>(points: impl Iterator<Item = Point<S>>) -> Vec<Point<S>> {
    let mut seen = std::collections::HashSet::new();
    points.filter(|point| seen.insert(point.value.encode())).collect()
}
