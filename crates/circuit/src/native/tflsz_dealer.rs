//! A tFLSZ reference string from trapdoors that its maker knows.

use algebra::{Affine, CurveGroup, Engine, FixedBaseTable, Group, Pairing, Scalar};
use rand_core::CryptoRng;

use super::{TflszPoints, TflszSingleG1, TflszSingleG2};
use crate::Error;

/// The trapdoors of a tFLSZ reference string.
///
/// Whoever knows them shuffles as they like and proves it. This exists for tests and benchmarks,
/// which need a reference string within seconds; elections take one from a ceremony.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsecureTflszDealer<S> {
    /// `χ`.
    pub chi: S,
    /// `θ`.
    pub theta: S,
    /// `β`.
    pub beta: S,
    /// `β̂`.
    pub beta_hat: S,
    /// `γ`: where the paper has `β² = β·β` and `ββ̂`, a ceremony makes `γβ` and `γβ̂`.
    pub gamma: S,
    /// `ρ`.
    pub rho: S,
}

impl<S: Scalar> InsecureTflszDealer<S> {
    /// Random trapdoors.
    pub fn random(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let [chi, theta, beta, beta_hat, gamma, rho] = [(); 6].map(|()| S::random(rng));
        Self { chi, theta, beta, beta_hat, gamma, rho }
    }
}

/// What the trapdoors make of a domain: `P_0`, `P_i` and `Q_i` for `i` from 1 to `n`.
struct Polynomials<S> {
    p_0: S,
    p: Vec<S>,
    q: Vec<S>,
}

impl<S: Scalar> InsecureTflszDealer<S> {
    /// The reference string for `2^log_size − 1` ciphertexts, by fixed-base tables.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if the field has no such roots of unity, `log_size` is below 2, or the
    /// trapdoors make a point neutral (`χ` is one of the roots of unity, another is 0).
    pub fn deal<E>(&self, log_size: u32) -> Result<TflszPoints<E>, Error>
    where
        E: Engine + Pairing<G1: Group<Scalar = S>>,
    {
        let refused = |reason| Error::Unwritable { place: "tFLSZ CRS", reason };
        let no_domain = refused("there are no such roots of unity");
        let root = E::root_of_unity(log_size).filter(|_| log_size >= 2).ok_or(no_domain)?;
        let degenerate = || refused("a trapdoor is zero or a root of unity");
        let polynomials = self.polynomials(1 << log_size, root).ok_or_else(degenerate)?;
        let rho_inverse = self.rho.invert().ok_or_else(degenerate)?;
        if [self.chi, self.theta, self.beta, self.beta_hat, self.gamma].contains(&S::zero()) {
            return Err(degenerate());
        }

        let Self { chi, theta, beta, beta_hat, gamma, rho } = *self;
        let Polynomials { p_0, p, q } = polynomials;
        let n = p.len();
        let (beta2, beta_beta_hat) = (gamma * beta, gamma * beta_hat);
        let p_hat = powers(theta * theta, theta * theta, n);
        let (g1, g2) = (Table::<E::G1>::new(), Table::<E::G2>::new());
        let sum_p_hat = p_hat.iter().copied().sum();
        let single = [p_0, rho, sum_p_hat, beta_hat, beta * rho, beta2 * rho, beta_beta_hat];
        let mixed = p.iter().zip(&p_hat).map(|(&p, &p_hat)| beta2 * p + beta_beta_hat * p_hat);
        let single_g2 = [p_0, rho, theta, beta, beta_hat, beta2, beta_beta_hat];
        Ok(TflszPoints {
            single: TflszSingleG1::from(single.map(|scalar| g1.one(scalar))),
            chi: g1.all(&powers(chi, chi, 2 * n)),
            theta: g1.all(&powers(theta, theta, 2 * n)),
            beta_chi: g1.all(&powers(beta, chi, n + 1)),
            beta_hat_theta: g1.all(&p_hat.iter().map(|&p| beta_hat * p).collect::<Vec<_>>()),
            p: g1.all(&p),
            q_over_rho: g1.all(&q.iter().map(|&q| q * rho_inverse).collect::<Vec<_>>()),
            mixed: g1.all(&mixed.collect::<Vec<_>>()),
            single_g2: TflszSingleG2::from(single_g2.map(|scalar| g2.one(scalar))),
            chi_g2: g2.all(&powers(chi, chi, n)),
            p_g2: g2.all(&p),
        })
    }

    /// By their definition: `l_i(χ) = (χ^m − 1)·ω^i / (m·(χ − ω^i))` for `m = n + 1` points, the
    /// last of which is `ω^m = 1`; `P_i = 2l_i + l_m`, `P_0 = l_m − 1`, `Q_i = (P_i + P_0)² − 1`.
    /// `None` if `χ` is one of the points.
    fn polynomials(&self, points: usize, root: S) -> Option<Polynomials<S>> {
        let roots = powers(S::one(), root, points + 1);
        let mut inverses: Vec<_> = roots.iter().map(|&root| self.chi - root).collect();
        S::batch_invert(&mut inverses);
        let vanishing = powers(self.chi, self.chi, points).last().copied()? - S::one();
        let factor = vanishing * S::from_u64(points as u64).invert()?;
        let basis = roots.iter().zip(&inverses).map(|(&root, &inverse)| factor * root * inverse);
        let basis: Vec<_> = basis.skip(1).collect();
        let (&last, first) = basis.split_last()?;
        let p: Vec<_> = first.iter().map(|&l| l + l + last).collect();
        let p_0 = last - S::one();
        let square = |p: &S| (*p + p_0) * (*p + p_0) - S::one();
        (vanishing != S::zero()).then(|| Polynomials { p_0, q: p.iter().map(square).collect(), p })
    }
}

/// Multiples of a generator.
struct Table<G: CurveGroup>(FixedBaseTable<G>);

impl<G: CurveGroup> Table<G> {
    fn new() -> Self {
        Self(FixedBaseTable::new(&G::generator()))
    }

    fn all(&self, scalars: &[G::Scalar]) -> Vec<Affine<G>> {
        G::precompute(&self.0.mul_all(scalars))
    }

    fn one(&self, scalar: G::Scalar) -> Affine<G> {
        // One scalar makes one point.
        self.all(&[scalar]).first().copied().unwrap_or_else(G::affine_identity)
    }
}

/// `first · base^i` for `i` from 0 on.
fn powers<S: Scalar>(first: S, base: S, count: usize) -> Vec<S> {
    std::iter::successors(Some(first), |power| Some(*power * base)).take(count).collect()
}
