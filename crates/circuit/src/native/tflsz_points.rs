//! The tFLSZ reference string in memory.

use std::io::{Read, Seek, Write};

use algebra::{Affine, CurveGroup, Engine, Pairing};

use super::{TflszCrs, TflszG1, TflszG2, TflszWriter};
use crate::{Error, PointList};

/// A point of G1 in affine form.
type P1<E> = Affine<<E as Pairing>::G1>;
/// A point of G2 in affine form.
type P2<E> = Affine<<E as Pairing>::G2>;

/// The single points of G1 ([`TflszG1::Single`]), in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TflszSingleG1<P> {
    /// `P_0`.
    pub p_0: P,
    /// `ρ`.
    pub rho: P,
    /// `Σ P̂_i` over all `i` from 1 to `n`.
    pub sum_p_hat: P,
    /// `β̂`.
    pub beta_hat: P,
    /// `βρ`.
    pub beta_rho: P,
    /// `β²ρ` (`γβρ` from a ceremony, see [`TflszCrs`]).
    pub beta2_rho: P,
    /// `ββ̂` (`γβ̂` from a ceremony).
    pub beta_beta_hat: P,
}

/// The single points of G2 ([`TflszG2::Single`]), in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TflszSingleG2<P> {
    /// `P_0`.
    pub p_0: P,
    /// `ρ`.
    pub rho: P,
    /// `θ`.
    pub theta: P,
    /// `β`.
    pub beta: P,
    /// `β̂`.
    pub beta_hat: P,
    /// `β²` (`γβ` from a ceremony).
    pub beta2: P,
    /// `ββ̂` (`γβ̂` from a ceremony).
    pub beta_beta_hat: P,
}

impl<P: Copy> TflszSingleG1<P> {
    /// In the order of the file.
    pub fn to_array(&self) -> [P; 7] {
        let Self { p_0, rho, sum_p_hat, beta_hat, beta_rho, beta2_rho, beta_beta_hat } = *self;
        [p_0, rho, sum_p_hat, beta_hat, beta_rho, beta2_rho, beta_beta_hat]
    }
}

impl<P> From<[P; 7]> for TflszSingleG1<P> {
    fn from(points: [P; 7]) -> Self {
        let [p_0, rho, sum_p_hat, beta_hat, beta_rho, beta2_rho, beta_beta_hat] = points;
        Self { p_0, rho, sum_p_hat, beta_hat, beta_rho, beta2_rho, beta_beta_hat }
    }
}

impl<P: Copy> TflszSingleG2<P> {
    /// In the order of the file.
    pub fn to_array(&self) -> [P; 7] {
        let Self { p_0, rho, theta, beta, beta_hat, beta2, beta_beta_hat } = *self;
        [p_0, rho, theta, beta, beta_hat, beta2, beta_beta_hat]
    }
}

impl<P> From<[P; 7]> for TflszSingleG2<P> {
    fn from(points: [P; 7]) -> Self {
        let [p_0, rho, theta, beta, beta_hat, beta2, beta_beta_hat] = points;
        Self { p_0, rho, theta, beta, beta_hat, beta2, beta_beta_hat }
    }
}

/// All points of a reference string for `n` ciphertexts: about `8n` of G1 and `2n` of G2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TflszPoints<E: Engine> {
    /// Points of G1 that are alone.
    pub single: TflszSingleG1<P1<E>>,
    /// `χ^k` for `k` from 1 to `2n`.
    pub chi: Vec<P1<E>>,
    /// `θ^k` for `k` from 1 to `2n`; the even powers are the `P̂_i`.
    pub theta: Vec<P1<E>>,
    /// `βχ^k` for `k` from 0 to `n`.
    pub beta_chi: Vec<P1<E>>,
    /// `β̂θ^{2k}` for `k` from 1 to `n`.
    pub beta_hat_theta: Vec<P1<E>>,
    /// `P_i`.
    pub p: Vec<P1<E>>,
    /// `Q_i/ρ`.
    pub q_over_rho: Vec<P1<E>>,
    /// `β²P_i + ββ̂P̂_i`.
    pub mixed: Vec<P1<E>>,
    /// Points of G2 that are alone.
    pub single_g2: TflszSingleG2<P2<E>>,
    /// `χ^k` for `k` from 1 to `n`, in G2.
    pub chi_g2: Vec<P2<E>>,
    /// `P_i` in G2.
    pub p_g2: Vec<P2<E>>,
}

impl<E: Engine> TflszPoints<E> {
    /// `n`: ciphertexts that one shuffle may have.
    pub fn size(&self) -> u64 {
        self.p.len() as u64
    }

    /// `P̂_i = θ^{2i}` for `i` from 1 to `n`.
    pub fn p_hat(&self) -> Vec<P1<E>> {
        self.theta.iter().skip(1).step_by(2).copied().collect()
    }

    /// Reads a CRS file. Every point is of its group and none is neutral; whether they belong
    /// together is for `ceremony::tflsz::verify_key` to say.
    ///
    /// # Errors
    /// [`Error`], naming list and position.
    pub fn read(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let crs = TflszCrs::<E>::open(reader)?;
        Self::read_lists(&crs, reader)
    }

    /// Reads the lists of an open file.
    ///
    /// # Errors
    /// Those of [`TflszPoints::read`].
    pub fn read_lists(crs: &TflszCrs<E>, reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let mut g1 = |list| crs.g1(list).read_all(reader);
        let single = single(crs.g1(TflszG1::Single), g1(TflszG1::Single)?)?.into();
        let chi = g1(TflszG1::Chi)?;
        let theta = g1(TflszG1::Theta)?;
        let beta_chi = g1(TflszG1::BetaChi)?;
        let beta_hat_theta = g1(TflszG1::BetaHatThetaEven)?;
        let p = g1(TflszG1::P)?;
        let q_over_rho = g1(TflszG1::QOverRho)?;
        let mixed = g1(TflszG1::Mixed)?;
        let mut g2 = |list| crs.g2(list).read_all(reader);
        let single_g2 = self::single(crs.g2(TflszG2::Single), g2(TflszG2::Single)?)?.into();
        let (chi_g2, p_g2) = (g2(TflszG2::Chi)?, g2(TflszG2::P)?);
        Ok(Self {
            single,
            chi,
            theta,
            beta_chi,
            beta_hat_theta,
            p,
            q_over_rho,
            mixed,
            single_g2,
            chi_g2,
            p_g2,
        })
    }

    /// Writes a CRS file.
    ///
    /// # Errors
    /// [`Error`] for lists of lengths that do not belong together; those of the writer.
    pub fn write<W: Write>(&self, writer: W) -> Result<W, Error> {
        self.write_lists(TflszWriter::new(writer, self.size())?)
    }

    /// Writes the lists of a file that was begun.
    ///
    /// # Errors
    /// Those of [`TflszPoints::write`].
    pub fn write_lists<W: Write>(&self, mut out: TflszWriter<W, E>) -> Result<W, Error> {
        let single = self.single.to_array();
        for list in TflszG1::ALL {
            let points = match list {
                TflszG1::Single => &single[..],
                TflszG1::Chi => &self.chi,
                TflszG1::Theta => &self.theta,
                TflszG1::BetaChi => &self.beta_chi,
                TflszG1::BetaHatThetaEven => &self.beta_hat_theta,
                TflszG1::P => &self.p,
                TflszG1::QOverRho => &self.q_over_rho,
                TflszG1::Mixed => &self.mixed,
            };
            let mut list = out.g1(list)?;
            list.write(points)?;
            list.finish()?;
        }
        let single = self.single_g2.to_array();
        for list in TflszG2::ALL {
            let points = match list {
                TflszG2::Single => &single[..],
                TflszG2::Chi => &self.chi_g2,
                TflszG2::P => &self.p_g2,
            };
            let mut list = out.g2(list)?;
            list.write(points)?;
            list.finish()?;
        }
        out.finish()
    }
}

fn single<G: CurveGroup>(
    list: PointList<G>,
    points: Vec<Affine<G>>,
) -> Result<[Affine<G>; 7], Error> {
    let range = Error::Range { place: list.place(), start: 0, end: 7, len: list.len() };
    points.try_into().map_err(|_| range)
}
