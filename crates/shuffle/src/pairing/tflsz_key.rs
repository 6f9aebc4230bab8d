//! The reference string of tFLSZ as its ceremony publishes it.

use std::io::{Read, Seek, Write};

use algebra::{Affine, AffineGroup, CurveGroup, Domain, Engine, Group, Scalar, ScalarOf};
use circuit::native::{TflszCrs, TflszG1, TflszG2, TflszWriter};
use rand_core::CryptoRng;
use thiserror::Error;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    Crs, Scheme,
    affine::{AffineList, multiples},
    crs::{G1Part, G2Part},
    dealer::random_nonzero,
    polynomials::{Polynomials, lagrange_at_roots, powers},
    tflsz_relations,
};
use crate::MAX_ROWS;

/// The smallest size.
const SIZE_MIN: usize = 3;

/// Why a ceremony's reference string was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is broken, or a point is not in its group.
    #[error(transparent)]
    File(#[from] circuit::Error),
    /// The size is not one less than a power of two for which there are roots of unity.
    #[error("a reference string for {size} rows; the size must be 2^k − 1, from 3 to 2^24 − 1")]
    Size {
        /// The size.
        size: u64,
    },
    /// The elements are not made of the same secrets.
    #[error("reference string: {relation} does not hold")]
    Relation {
        /// The relation, in the paper's notation.
        relation: &'static str,
    },
}

/// Everything that a ceremony publishes: the reference string, what checks it, and the powers from
/// which it can be computed again. Not to be trusted before [`TflszKey::verify`].
///
/// The polynomials' points are `w_i = ω^i` for `1 ≤ i ≤ n + 1 = 2^k`, with the root of unity ω of
/// [`Engine::root_of_unity`]. Where the paper has `β²` and `ββ̂`, a ceremony makes `γβ` and `γβ̂` with
/// one more secret; the argument needs only their ratio.
#[derive(Clone)]
pub struct TflszKey<E: Engine> {
    pub(crate) single1: Single1<E::G1>,
    /// `χ, …, χ^{2n}`
    pub(crate) chi: AffineList<E::G1>,
    /// `θ, …, θ^{2n}`
    pub(crate) theta: AffineList<E::G1>,
    /// `β, βχ, …, βχ^n`
    pub(crate) beta_chi: AffineList<E::G1>,
    /// `β̂θ², …, β̂θ^{2n}`
    pub(crate) beta_hat_theta: AffineList<E::G1>,
    /// `P_i`
    pub(crate) p: AffineList<E::G1>,
    /// `Q_i/ρ`
    pub(crate) q_over_rho: AffineList<E::G1>,
    /// `γβP_i + γβ̂P̂_i`
    pub(crate) mixed: AffineList<E::G1>,
    pub(crate) single2: Single2<E::G2>,
    /// `χ, …, χ^n`
    pub(crate) chi2: AffineList<E::G2>,
    /// `P_i`
    pub(crate) p2: AffineList<E::G2>,
}

/// The single points of G1.
#[derive(Clone, Copy)]
pub(crate) struct Single1<G> {
    pub(crate) p0: G,
    pub(crate) rho: G,
    pub(crate) sum_p_hat: G,
    pub(crate) beta_hat: G,
    pub(crate) beta_rho: G,
    pub(crate) gamma_beta_rho: G,
    pub(crate) gamma_beta_hat: G,
}

/// The single points of G2.
#[derive(Clone, Copy)]
pub(crate) struct Single2<G> {
    pub(crate) p0: G,
    pub(crate) rho: G,
    pub(crate) theta: G,
    pub(crate) beta: G,
    pub(crate) beta_hat: G,
    pub(crate) gamma_beta: G,
    pub(crate) gamma_beta_hat: G,
}

impl<G: AffineGroup> Single1<G> {
    /// In the order of the file.
    fn to_affine(self) -> AffineList<G> {
        let Self { p0, rho, sum_p_hat, beta_hat, beta_rho, .. } = self;
        let products = [self.gamma_beta_rho, self.gamma_beta_hat];
        G::to_affine_all(&[&[p0, rho, sum_p_hat, beta_hat, beta_rho], &products[..]].concat())
    }
}

impl<G: AffineGroup> Single2<G> {
    /// In the order of the file.
    fn to_affine(self) -> AffineList<G> {
        let Self { p0, rho, theta, beta, beta_hat, gamma_beta, gamma_beta_hat } = self;
        G::to_affine_all(&[p0, rho, theta, beta, beta_hat, gamma_beta, gamma_beta_hat])
    }
}

/// What the parties of a ceremony hold in shares.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Trapdoors<S: Scalar> {
    chi: S,
    theta: S,
    beta: S,
    beta_hat: S,
    gamma: S,
    rho: S,
}

impl<E: Engine> TflszKey<E> {
    /// Reads the record of a ceremony: canonical points of the prime-order groups, none neutral.
    ///
    /// # Errors
    /// [`KeyError::File`] and [`KeyError::Size`].
    pub fn read(reader: &mut (impl Read + Seek)) -> Result<Self, KeyError> {
        let record = TflszCrs::<E>::open(reader)?;
        domain::<E>(record.size())?;
        let [p0, rho, sum_p_hat, beta_hat, beta_rho, gamma_beta_rho, gamma_beta_hat] =
            seven::<E::G1>(&all(record.g1(TflszG1::Single), reader)?);
        let single1 =
            Single1 { p0, rho, sum_p_hat, beta_hat, beta_rho, gamma_beta_rho, gamma_beta_hat };
        let [p0, rho, theta, beta, beta_hat, gamma_beta, gamma_beta_hat] =
            seven::<E::G2>(&all(record.g2(TflszG2::Single), reader)?);
        let single2 = Single2 { p0, rho, theta, beta, beta_hat, gamma_beta, gamma_beta_hat };
        let mut g1 = |list| all(record.g1(list), reader);
        Ok(Self {
            single1,
            chi: g1(TflszG1::Chi)?,
            theta: g1(TflszG1::Theta)?,
            beta_chi: g1(TflszG1::BetaChi)?,
            beta_hat_theta: g1(TflszG1::BetaHatThetaEven)?,
            p: g1(TflszG1::P)?,
            q_over_rho: g1(TflszG1::QOverRho)?,
            mixed: g1(TflszG1::Mixed)?,
            single2,
            chi2: all(record.g2(TflszG2::Chi), reader)?,
            p2: all(record.g2(TflszG2::P), reader)?,
        })
    }

    /// Writes the record.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write<W: Write>(&self, writer: W) -> Result<W, KeyError> {
        let mut out = TflszWriter::<W, E>::new(writer, self.size() as u64)?;
        let (single1, single2) = (self.single1.to_affine(), self.single2.to_affine());
        for list in TflszG1::ALL {
            let points = match list {
                TflszG1::Single => &single1,
                TflszG1::Chi => &self.chi,
                TflszG1::Theta => &self.theta,
                TflszG1::BetaChi => &self.beta_chi,
                TflszG1::BetaHatThetaEven => &self.beta_hat_theta,
                TflszG1::P => &self.p,
                TflszG1::QOverRho => &self.q_over_rho,
                TflszG1::Mixed => &self.mixed,
            };
            let mut part = out.g1(list)?;
            part.write(points)?;
            part.finish()?;
        }
        for list in TflszG2::ALL {
            let points = match list {
                TflszG2::Single => &single2,
                TflszG2::Chi => &self.chi2,
                TflszG2::P => &self.p2,
            };
            let mut part = out.g2(list)?;
            part.write(points)?;
            part.finish()?;
        }
        Ok(out.finish()?)
    }

    /// The most rows that a shuffle may have.
    pub fn size(&self) -> usize {
        self.p.len()
    }

    /// Checks that all elements are made of the same secrets (the algorithm V of the paper, figure
    /// 8, which is all that hiding needs), and that `P_0` and `P_i` are the polynomials at the χ
    /// whose powers are published (which soundness needs besides one honest party). Who
    /// contributed is for the ceremony's transcript to say.
    ///
    /// `rng` must be unpredictable to the ceremony's parties.
    ///
    /// # Errors
    /// [`KeyError::Relation`].
    pub fn verify(self, rng: &mut impl CryptoRng) -> Result<Crs<E>, KeyError> {
        let domain = domain::<E>(self.size() as u64)?;
        tflsz_relations::check(&self, &domain, rng)
            .map_err(|relation| KeyError::Relation { relation })?;
        let (single1, single2) = (self.single1, self.single2);
        let p_hat = self.p_hat();
        Ok(Crs::new(
            Scheme::Tflsz,
            G1Part {
                p: self.p,
                q_over_rho: self.q_over_rho,
                p_hat,
                mixed: self.mixed,
                p0: single1.p0,
                rho: single1.rho,
                rho_hat: E::G1::generator(),
                mixed_rho: single1.gamma_beta_rho,
                mixed_rho_hat: single1.gamma_beta_hat,
            },
            G2Part {
                p: self.p2,
                p0: single2.p0,
                rho: single2.rho,
                beta: single2.gamma_beta,
                beta_hat: single2.gamma_beta_hat,
            },
        ))
    }

    /// `P̂_i = θ^{2i}`.
    pub(crate) fn p_hat(&self) -> AffineList<E::G1> {
        self.theta.iter().skip(1).step_by(2).copied().collect()
    }

    /// The key of a ceremony of one party, for at most n = 2^k − 1 rows.
    ///
    /// **Insecure**: whoever runs this can forge proofs and has to be believed to have forgotten
    /// the secrets. For measurements and tests.
    ///
    /// # Errors
    /// [`KeyError::Size`].
    pub fn insecure_dealer(n: usize, rng: &mut impl CryptoRng) -> Result<Self, KeyError> {
        let domain = domain::<E>(n as u64)?;
        let mut draw = || random_nonzero::<ScalarOf<E>>(rng);
        let (t, polynomials) = loop {
            let trapdoors = Trapdoors {
                chi: draw(),
                theta: draw(),
                beta: draw(),
                beta_hat: draw(),
                gamma: draw(),
                rho: draw(),
            };
            if let Some(mut lagrange) = lagrange_at_roots(&domain, trapdoors.chi) {
                let polynomials = Polynomials::new(&lagrange);
                lagrange.zeroize();
                break (trapdoors, polynomials);
            }
        };
        Ok(Self::from_trapdoors(n, &t, &polynomials))
    }

    fn from_trapdoors(
        n: usize,
        t: &Trapdoors<ScalarOf<E>>,
        polynomials: &Polynomials<ScalarOf<E>>,
    ) -> Self {
        type Secret<S> = Zeroizing<Vec<S>>;
        let one = ScalarOf::<E>::one();
        let Polynomials { p0, p, q } = polynomials;
        let scaled = |list: &[ScalarOf<E>], factor| -> Secret<_> {
            Zeroizing::new(list.iter().map(|&value| value * factor).collect())
        };
        let (first, second) = (t.gamma * t.beta, t.gamma * t.beta_hat);
        let chi: Secret<_> = Zeroizing::new(powers(t.chi, 2 * n));
        let theta: Secret<_> = Zeroizing::new(powers(t.theta, 2 * n));
        let p_hat: Secret<_> = Zeroizing::new(powers(t.theta * t.theta, n));
        let from_one: Secret<_> =
            Zeroizing::new(std::iter::once(one).chain(chi.iter().copied()).take(n + 1).collect());
        let rows = p.iter().zip(p_hat.iter());
        let mixed: Secret<_> =
            Zeroizing::new(rows.map(|(&p, &p_hat)| first * p + second * p_hat).collect());
        let g1 = |scalar: ScalarOf<E>| E::G1::mul_generator(&scalar);
        let g2 = |scalar: ScalarOf<E>| E::G2::mul_generator(&scalar);
        Self {
            single1: Single1 {
                p0: g1(*p0),
                rho: g1(t.rho),
                sum_p_hat: g1(p_hat.iter().copied().sum()),
                beta_hat: g1(t.beta_hat),
                beta_rho: g1(t.beta * t.rho),
                gamma_beta_rho: g1(first * t.rho),
                gamma_beta_hat: g1(second),
            },
            chi: multiples::<E::G1>(&chi),
            theta: multiples::<E::G1>(&theta),
            beta_chi: multiples::<E::G1>(&scaled(&from_one, t.beta)),
            beta_hat_theta: multiples::<E::G1>(&scaled(&p_hat, t.beta_hat)),
            p: multiples::<E::G1>(p),
            q_over_rho: multiples::<E::G1>(&scaled(q, t.rho.invert().unwrap_or_default())),
            mixed: multiples::<E::G1>(&mixed),
            single2: Single2 {
                p0: g2(*p0),
                rho: g2(t.rho),
                theta: g2(t.theta),
                beta: g2(t.beta),
                beta_hat: g2(t.beta_hat),
                gamma_beta: g2(first),
                gamma_beta_hat: g2(second),
            },
            chi2: multiples::<E::G2>(chi.get(..n).unwrap_or_default()),
            p2: multiples::<E::G2>(p),
        }
    }
}

/// The roots of unity for `size` rows. With two roots `Q_1` would be zero.
fn domain<E: Engine>(size: u64) -> Result<Domain<ScalarOf<E>>, KeyError> {
    let rows = usize::try_from(size).ok().filter(|size| (SIZE_MIN..MAX_ROWS).contains(size));
    let points = rows.map(|size| size + 1).filter(|points| points.is_power_of_two());
    let domain = points.and_then(|points| {
        let log_size = points.trailing_zeros();
        Domain::with_root(points, E::root_of_unity(log_size)?, log_size).ok()
    });
    domain.ok_or(KeyError::Size { size })
}

/// All points of a list of a file, checked.
fn all<G: CurveGroup>(
    list: circuit::PointList<G>,
    reader: &mut (impl Read + Seek),
) -> Result<AffineList<G>, KeyError> {
    let points = list.read(reader, 0, list.len() as usize)?;
    list.check_subgroup(0, &points)?;
    Ok(points)
}

/// The single points of a list, which has seven by the file's layout.
fn seven<G: CurveGroup>(points: &[Affine<G>]) -> [G; 7] {
    std::array::from_fn(|index| points.get(index).map_or(G::identity(), |&point| point.into()))
}
