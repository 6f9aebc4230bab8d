//! Openings of commitments, gathered and checked in one product of pairings.
//!
//! All pairings of a verifier are with the same few points of G2. So any number of openings costs a
//! Miller loop and a multi-scalar multiplication for each of these, and one final exponentiation.

use algebra::{Engine, Group, Scalar, ScalarOf, batch};
use rand_core::CryptoRng;

use super::error::{Claim, Error};

/// A fixed point of G2, by its place in the verifier's list. The lists begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Base(pub usize);

impl Base {
    /// `[αx]₂`.
    pub const ALPHA_X: Self = Self(0);
    /// `[α]₂`.
    pub const ALPHA: Self = Self(1);
    /// `[1]₂`.
    pub const ONE: Self = Self(2);
}

/// A claim that `Σ weight · f(point) = value`, for committed `f`, with its opening `W`:
/// `e(W, [αx]₂) · e(value·[1]₁ + Σ other − point·W, [α]₂) = Π e(weight·F, base)`. A commitment to `f` as
/// it is has the base `[1]₂`.
pub(crate) struct Opening<E: Engine> {
    pub claim: Claim,
    pub witness: E::G1,
    pub point: ScalarOf<E>,
    pub value: ScalarOf<E>,
    /// A multiple of `[q(x)]₁` that belongs to the value.
    pub other: Option<(ScalarOf<E>, E::G1)>,
    pub commitments: Vec<(ScalarOf<E>, E::G1, Base)>,
}

impl<E: Engine> Opening<E> {
    /// The pairing equation.
    pub fn equation(&self) -> Equation<E> {
        let mut terms = vec![
            (Base::ALPHA_X, ScalarOf::<E>::one(), self.witness),
            (Base::ALPHA, -self.point, self.witness),
        ];
        terms.extend(self.other.map(|(factor, point)| (Base::ALPHA, factor, point)));
        let commitments = self.commitments.iter();
        terms.extend(commitments.map(|&(factor, commitment, base)| (base, -factor, commitment)));
        Equation { claim: self.claim, terms, generator: self.value }
    }
}

/// A claim that a product of pairings is neutral: of `scalar · point` with fixed points of G2, and
/// `e(generator · [1]₁, [α]₂)`.
pub(crate) struct Equation<E: Engine> {
    pub claim: Claim,
    pub terms: Vec<(Base, ScalarOf<E>, E::G1)>,
    pub generator: ScalarOf<E>,
}

/// Requires that all equations hold, with the points of [`Base`] in their order: a false one passes
/// with probability 2^−128.
///
/// # Errors
/// [`Error::False`] with the first claim that does not hold.
pub(crate) fn check<E: Engine>(
    bases: &[E::G2],
    equations: &[Equation<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    // Without equations nothing is wrong.
    let Some(last) = equations.last() else { return Ok(()) };
    let checked = batch::check(equations.len(), |range| {
        // Parts of all equations, so that none is left out.
        hold(bases, equations.get(range).unwrap_or_default(), rng)
    });
    checked.map_err(|index| Error::False(equations.get(index).unwrap_or(last).claim))
}

fn hold<E: Engine>(
    bases: &[E::G2],
    equations: &[Equation<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> bool {
    let mut sums: Vec<Terms<E>> = bases.iter().map(|_| Terms::new()).collect();
    let mut generator = ScalarOf::<E>::zero();
    for equation in equations {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        let weight = ScalarOf::<E>::from_u128(u128::from_le_bytes(bytes));
        generator += weight * equation.generator;
        for &(base, scalar, point) in &equation.terms {
            let Some(terms) = sums.get_mut(base.0) else { return false };
            terms.push(weight * scalar, point);
        }
    }
    if let Some(terms) = sums.get_mut(Base::ALPHA.0) {
        terms.push(generator, E::G1::generator());
    }
    let pairs: Vec<_> = sums.iter().zip(bases).map(|(terms, base)| (terms.sum(), *base)).collect();
    E::is_neutral(&pairs)
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
