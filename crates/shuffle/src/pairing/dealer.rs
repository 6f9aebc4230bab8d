//! A reference string from somebody who knows its secrets, for measurements and tests.

use algebra::{Pairing, Scalar, ScalarOf};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    affine::multiples,
    crs::{Crs, G1Part, G2Part, Scheme},
    polynomials::{Polynomials, lagrange_at_integers, powers},
};

/// What the dealer of FLSZ17 must forget.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Trapdoors<S: Scalar> {
    chi: S,
    beta: S,
    beta_hat: S,
    rho: S,
    rho_hat: S,
}

impl<S: Scalar> Trapdoors<S> {
    /// Uniform, and none of them zero.
    fn random(rng: &mut impl CryptoRng) -> Self {
        let mut draw = || random_nonzero(rng);
        Self { chi: draw(), beta: draw(), beta_hat: draw(), rho: draw(), rho_hat: draw() }
    }
}

/// A uniform scalar other than zero.
pub(crate) fn random_nonzero<S: Scalar>(rng: &mut impl CryptoRng) -> S {
    loop {
        let scalar = S::random(rng);
        if scalar != S::zero() {
            return scalar;
        }
    }
}

impl<E: Pairing> Crs<E> {
    /// A reference string of FLSZ17 for at most n rows.
    ///
    /// **Insecure**: whoever runs this can forge proofs and has to be believed to have forgotten
    /// the secrets. For measurements and tests; elections use [`Crs::tflsz`].
    pub fn insecure_dealer(n: usize, rng: &mut impl CryptoRng) -> Self {
        let (t, polynomials) = loop {
            let trapdoors = Trapdoors::<ScalarOf<E>>::random(rng);
            if let Some(lagrange) = lagrange_at_integers(n + 1, trapdoors.chi) {
                break (trapdoors, Polynomials::new(&Zeroizing::new(lagrange)));
            }
        };
        // P̂_i = X^{(i+1)(n+1)}: the powers from the second on of X^{n+1}.
        // There are n + 1 powers.
        let step = powers(t.chi, n + 1).last().copied().unwrap_or_default();
        let p_hat: Zeroizing<Vec<_>> =
            Zeroizing::new(powers(step, n + 1).into_iter().skip(1).collect());
        // No secret is zero (`Trapdoors::random`).
        let inverse = t.rho.invert().unwrap_or_default();
        let q_over_rho: Zeroizing<Vec<_>> =
            Zeroizing::new(polynomials.q.iter().map(|&q| q * inverse).collect());
        let rows = polynomials.p.iter().zip(p_hat.iter());
        let mixed: Zeroizing<Vec<_>> =
            Zeroizing::new(rows.map(|(&p, &p_hat)| t.beta * p + t.beta_hat * p_hat).collect());

        let g1 = |scalar: ScalarOf<E>| algebra::Group::mul_generator(&scalar);
        let g2 = |scalar: ScalarOf<E>| algebra::Group::mul_generator(&scalar);
        Self::new(
            Scheme::Flsz17,
            G1Part {
                p: multiples::<E::G1>(&polynomials.p),
                q_over_rho: multiples::<E::G1>(&q_over_rho),
                p_hat: multiples::<E::G1>(&p_hat),
                mixed: multiples::<E::G1>(&mixed),
                p0: g1(polynomials.p0),
                rho: g1(t.rho),
                rho_hat: g1(t.rho_hat),
                mixed_rho: g1(t.beta * t.rho),
                mixed_rho_hat: g1(t.beta_hat * t.rho_hat),
            },
            G2Part {
                p: multiples::<E::G2>(&polynomials.p),
                p0: g2(polynomials.p0),
                rho: g2(t.rho),
                beta: g2(t.beta),
                beta_hat: g2(t.beta_hat),
            },
        )
    }
}
