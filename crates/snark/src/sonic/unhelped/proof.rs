//! A proof and its challenges.

use algebra::{Engine, Group, Scalar, ScalarOf};
use transcript::{Transcript, TranscriptExt};

use super::{
    super::{
        error::Error,
        field::Point,
        key::challenge,
        proof::{after_r, after_t},
    },
    rewrite::DEGREE,
};

/// 17 points and 10 scalars: 1,136 bytes on BLS12-381.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<E: Engine> {
    /// `R = [α x^{d−n} r(x, 1)]₁`.
    pub(super) r: E::G1,
    /// `S_j = [α Σ ψ_{j,σ_j(i)} y^{σ_j(i)} x^i]₁`.
    pub(super) signatures: [E::G1; DEGREE],
    /// `T = [α t(x, y)]₁`.
    pub(super) t: E::G1,
    /// `C_j`, to running quotients.
    pub(super) quotients: [E::G1; DEGREE],
    /// `[x^{−d} f(x)]₁` and `[x^{d−N} f(x)]₁` for `f = Σ δ^j S_j`.
    pub(super) bounds: [E::G1; 2],
    /// To all product arguments, weighted by powers of `ρ`.
    pub(super) product: E::G1,
    pub(super) values: Values<ScalarOf<E>>,
    pub(super) openings: Openings<E::G1>,
}

/// What commitments are opened to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Values<S> {
    /// `a = r(z, 1)`.
    pub a: S,
    /// `b = r(zy, 1) = r(z, y)`.
    pub b: S,
    /// `s_1(z, y) = Σ S_j(z)`.
    pub s1: S,
    /// `S_j(wζ) + β Σ σ_j(i) (wζ)^i`.
    pub numerators: [S; DEGREE],
    /// `Σ ψ_{j,i} (ywζ)^i`.
    pub denominators: [S; DEGREE],
    /// `Σ ρ^j κ_j C_j(ζ^{−1})` for the second factor `κ_j` of each product argument at `ζ`.
    pub quotients: S,
}

/// Openings, each of everything that is opened at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Openings<G> {
    /// Of `T`, `R` and `Σ S_j`.
    pub at_z: G,
    /// Of `R`.
    pub at_zy: G,
    /// Of the `S_j` with their permutations.
    pub at_w_zeta: G,
    /// Of the factors in the key.
    pub at_yw_zeta: G,
    /// Of the quotients.
    pub at_zeta_inverse: G,
    /// Of the product arguments.
    pub at_zeta: G,
}

impl<S: Scalar> Values<S> {
    /// In the order of a file.
    pub fn scalars(&self) -> Vec<S> {
        let Self { a, b, s1, numerators, denominators, quotients } = self;
        [&[*a, *b, *s1], &numerators[..], &denominators[..], &[*quotients]].concat()
    }
}

impl<G: Copy> Openings<G> {
    /// In the order of a file.
    pub fn points(&self) -> [G; 6] {
        let Self { at_z, at_zy, at_w_zeta, at_yw_zeta, at_zeta_inverse, at_zeta } = self;
        [*at_z, *at_zy, *at_w_zeta, *at_yw_zeta, *at_zeta_inverse, *at_zeta]
    }
}

/// After `S_j` and `T`.
#[derive(Clone, Debug)]
pub(super) struct Permuting<S> {
    pub z: Point<S>,
    pub beta: S,
    pub gamma: S,
    pub delta: S,
}

/// After the quotients and bounds.
#[derive(Clone, Debug)]
pub(super) struct Multiplying<S> {
    pub w: Point<S>,
    pub rho: S,
}

/// The messages and challenges of a proof in their order; a prover and a verifier go through the same.
pub(super) struct Rounds(Transcript);

impl Rounds {
    /// Begins with the statement.
    pub fn new(statement: Transcript) -> Self {
        Self(statement)
    }

    /// `y`.
    pub fn after_r<E: Engine>(&mut self, r: &E::G1) -> Result<Point<ScalarOf<E>>, Error> {
        after_r::<E>(&mut self.0, std::slice::from_ref(r))
    }

    pub fn after_signatures<E: Engine>(
        &mut self,
        signatures: &[E::G1; DEGREE],
        t: &E::G1,
    ) -> Result<Permuting<ScalarOf<E>>, Error> {
        self.absorb_points(b"S", signatures);
        let z = after_t::<E>(&mut self.0, std::slice::from_ref(t))?;
        let [beta, gamma, delta] =
            [&b"beta"[..], b"gamma", b"delta"].map(|label| challenge(&mut self.0, label));
        Ok(Permuting { z, beta: beta?.value, gamma: gamma?.value, delta: delta?.value })
    }

    pub fn after_quotients<E: Engine>(
        &mut self,
        quotients: &[E::G1; DEGREE],
        bounds: &[E::G1; 2],
    ) -> Result<Multiplying<ScalarOf<E>>, Error> {
        self.absorb_points(b"C", quotients);
        self.absorb_points(b"bounds", bounds);
        let w = challenge(&mut self.0, b"w")?;
        Ok(Multiplying { w, rho: challenge(&mut self.0, b"rho")?.value })
    }

    /// `ζ`.
    pub fn after_product<E: Engine>(
        &mut self,
        product: &E::G1,
    ) -> Result<Point<ScalarOf<E>>, Error> {
        self.absorb_points(b"product", &[*product]);
        challenge(&mut self.0, b"zeta")
    }

    /// `μ`, by whose powers openings at one point are weighted.
    pub fn after_values<S: Scalar>(&mut self, values: &Values<S>) -> Result<S, Error> {
        self.0.absorb(b"values", &S::encode_all(&values.scalars()));
        Ok(challenge(&mut self.0, b"mu")?.value)
    }

    fn absorb_points<G: Group>(&mut self, label: &'static [u8], points: &[G]) {
        for point in points {
            self.0.absorb(label, &point.encode());
        }
    }
}

/// `1, base, base², …`, and what they weight.
pub(super) fn weighted<S: Scalar, T>(
    base: S,
    items: impl IntoIterator<Item = T>,
) -> impl Iterator<Item = (S, T)> {
    std::iter::successors(Some(S::one()), move |power| Some(*power * base)).zip(items)
}
