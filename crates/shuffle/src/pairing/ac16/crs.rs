//! The reference string, from a dealer.

use algebra::{Group, Pairing, Scalar, ScalarOf};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::{
    ShuffleError,
    pairing::{
        affine::{AffineList, multiples, sum},
        dealer::random_nonzero,
        polynomials::{Polynomials, lagrange_at_integers},
    },
};

/// The smallest size for which the repair holds.
const SIZE_MIN: usize = 4;

/// `P`, `Q` at the secret point. Whoever knows the secrets can forge; so can whoever makes a
/// reference string of other polynomials, which nobody can see from it. Its fields are public for
/// those who study that.
#[derive(Clone)]
pub struct Crs<E: Pairing> {
    /// `[P_i]₁`
    pub p1: AffineList<E::G1>,
    /// `[Q_i/ρ]₁`
    pub q_over_rho: AffineList<E::G1>,
    /// `[P_i]₂`
    pub p2: AffineList<E::G2>,
    /// `[P_0]₁`; its counterpart in G2 must not be published.
    pub p0: E::G1,
    /// `[α + P_0]₁`
    pub alpha_plus_p0: E::G1,
    /// `[−α + P_0]₂`
    pub p0_minus_alpha: E::G2,
    /// `[ρ]₁`
    pub rho1: E::G1,
    /// `[ρ]₂`
    pub rho2: E::G2,
    /// `[β]₂`
    pub beta: E::G2,
    /// `[ρ/β]₁`: what messages are multiples of in G1.
    pub message_base: E::G1,
    /// `e([1]₁, [1]₂)·(1 − α²)`
    pub target: E::Target,
}

/// What the dealer must forget.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Trapdoors<S: Scalar> {
    chi: S,
    alpha: S,
    rho: S,
    beta: S,
}

impl<E: Pairing> Crs<E> {
    /// A reference string for at most n rows.
    ///
    /// **Insecure**: whoever runs this can forge proofs and has to be believed to have forgotten
    /// the secrets, and no proof of the repaired argument is published.
    ///
    /// # Errors
    /// [`ShuffleError::Length`] below size 4.
    pub fn insecure_dealer(n: usize, rng: &mut impl CryptoRng) -> Result<Self, ShuffleError> {
        if n < SIZE_MIN {
            let what = "reference string";
            return Err(ShuffleError::Length { what, expected: SIZE_MIN, got: n });
        }
        let mut draw = || random_nonzero::<ScalarOf<E>>(rng);
        let (t, polynomials) = loop {
            let trapdoors = Trapdoors { chi: draw(), alpha: draw(), rho: draw(), beta: draw() };
            if let Some(lagrange) = lagrange_at_integers(n + 2, trapdoors.chi) {
                break (trapdoors, Polynomials::repaired(&Zeroizing::new(lagrange)));
            }
        };
        Ok(Self::from_trapdoors(&t, &polynomials))
    }

    fn from_trapdoors(t: &Trapdoors<ScalarOf<E>>, polynomials: &Polynomials<ScalarOf<E>>) -> Self {
        let Polynomials { p0, p, q } = polynomials;
        // `random_nonzero` drew these.
        let inverse = |scalar: ScalarOf<E>| scalar.invert().unwrap_or_default();
        let by_rho = inverse(t.rho);
        let q_over_rho: Zeroizing<Vec<_>> = Zeroizing::new(q.iter().map(|&q| q * by_rho).collect());
        let g1 = |scalar: ScalarOf<E>| E::G1::mul_generator(&scalar);
        let g2 = |scalar: ScalarOf<E>| E::G2::mul_generator(&scalar);
        let one_minus_square = ScalarOf::<E>::one() - t.alpha * t.alpha;
        Self {
            p1: multiples::<E::G1>(p),
            q_over_rho: multiples::<E::G1>(&q_over_rho),
            p2: multiples::<E::G2>(p),
            p0: g1(*p0),
            alpha_plus_p0: g1(t.alpha + *p0),
            p0_minus_alpha: g2(*p0 - t.alpha),
            rho1: g1(t.rho),
            rho2: g2(t.rho),
            beta: g2(t.beta),
            message_base: g1(t.rho * inverse(t.beta)),
            target: E::pairing(&E::G1::generator(), &g2(one_minus_square)),
        }
    }

    /// The most rows that a shuffle may have.
    pub fn size(&self) -> usize {
        self.p1.len()
    }

    pub(crate) fn require(&self, n: usize) -> Result<(), ShuffleError> {
        match self.size() {
            available if available < n => {
                Err(ShuffleError::ReferenceString { available, needed: n })
            }
            _ => Ok(()),
        }
    }

    /// `Σ_{i ≤ n} P_i` in both groups.
    pub(crate) fn prefix_sums(&self, n: usize) -> (E::G1, E::G2) {
        // Whoever calls has held n against the size (`Crs::require`).
        let first = self.p1.get(..n).unwrap_or(&self.p1);
        let second = self.p2.get(..n).unwrap_or(&self.p2);
        (sum::<E::G1>(first), sum::<E::G2>(second))
    }
}
