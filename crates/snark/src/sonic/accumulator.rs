//! Openings of commitments, gathered and checked in one product of four pairings.
//!
//! All pairings of Sonic's verifier are with `[αx]₂`, `[α]₂`, `[1]₂` and `[x^{n−d}]₂`. So any
//! number of openings costs four Miller loops, one final exponentiation, and four multi-scalar
//! multiplications.

use algebra::{Engine, Group, Scalar, ScalarOf};
use rand_core::CryptoRng;

use super::{
    error::{Claim, Error},
    srs::VerifierSrs,
};

/// What a commitment says of the polynomial's degree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Nothing: `[α f(x)]₁`.
    None,
    /// At most `n`: `[α x^{d−n} f(x)]₁`.
    Gates,
}

/// A claim that `Σ weight · f(point) = value`, for committed `f`, with its opening `W`:
/// `e(W, [αx]₂) · e(value·[1]₁ + Σ other − point·W, [α]₂) = Π e(weight·F, [x^{−d+max}]₂)`.
pub(crate) struct Opening<E: Engine> {
    pub claim: Claim,
    pub witness: E::G1,
    pub point: ScalarOf<E>,
    pub value: ScalarOf<E>,
    /// A multiple of `[q(x)]₁` that belongs to the value.
    pub other: Option<(ScalarOf<E>, E::G1)>,
    pub commitments: Vec<(ScalarOf<E>, E::G1, Bound)>,
}

/// Requires that all openings hold: a false one passes with probability 2^−128.
///
/// # Errors
/// [`Error::False`] with the first claim that does not hold.
pub(crate) fn check<E: Engine>(
    srs: &VerifierSrs<E>,
    openings: &[Opening<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    if hold(srs, openings, rng) {
        return Ok(());
    }
    let mut wrong = openings;
    while wrong.len() > 1 {
        let (left, right) = wrong.split_at(wrong.len() / 2);
        wrong = if hold(srs, left, rng) { right } else { left };
    }
    wrong.first().map_or(Ok(()), |opening| Err(Error::False(opening.claim)))
}

fn hold<E: Engine>(
    srs: &VerifierSrs<E>,
    openings: &[Opening<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> bool {
    let (mut at_alpha_x, mut at_alpha) = (Terms::<E>::new(), Terms::<E>::new());
    let (mut at_one, mut at_shift) = (Terms::<E>::new(), Terms::<E>::new());
    let mut generator = ScalarOf::<E>::zero();
    for opening in openings {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        let weight = ScalarOf::<E>::from_u128(u128::from_le_bytes(bytes));
        at_alpha_x.push(weight, opening.witness);
        at_alpha.push(-weight * opening.point, opening.witness);
        generator += weight * opening.value;
        if let Some((factor, point)) = opening.other {
            at_alpha.push(weight * factor, point);
        }
        for &(factor, commitment, bound) in &opening.commitments {
            let terms = match bound {
                Bound::None => &mut at_one,
                Bound::Gates => &mut at_shift,
            };
            terms.push(-weight * factor, commitment);
        }
    }
    at_alpha.push(generator, E::G1::generator());
    E::is_neutral(&[
        (at_alpha_x.sum(), srs.alpha_x),
        (at_alpha.sum(), srs.alpha),
        (at_one.sum(), E::G2::generator()),
        (at_shift.sum(), srs.shift),
    ])
}

/// What is paired with one point of G2.
struct Terms<E: Engine> {
    scalars: Vec<ScalarOf<E>>,
    points: Vec<E::G1>,
}

impl<E: Engine> Terms<E> {
    fn new() -> Self {
        Self { scalars: Vec::new(), points: Vec::new() }
    }

    fn push(&mut self, scalar: ScalarOf<E>, point: E::G1) {
        self.scalars.push(scalar);
        self.points.push(point);
    }

    fn sum(&self) -> E::G1 {
        E::G1::msm(&self.scalars, &self.points)
    }
}
