//! The common reference string that provers and verifiers of FLSZ17 and tFLSZ use.

use std::fmt;

use algebra::{AffineGroup, Group, Pairing};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::affine::{AffineList, points, sum};
use crate::{MAX_ROWS, ShuffleError};

const VERSION: u8 = 1;

/// Which of the two arguments a reference string is for. Their equations are the same; they differ
/// in what the secret factors are, and in how a row's randomness is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// FLSZ17: the randomness of all rows sums to zero, so that the last row is not sent.
    Flsz17,
    /// tFLSZ: every row's unit vector has randomness of its own, and all rows are sent.
    Tflsz,
}

impl Scheme {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Flsz17 => 1,
            Self::Tflsz => 2,
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let code = reader.u8()?;
        [Self::Flsz17, Self::Tflsz]
            .into_iter()
            .find(|scheme| scheme.code() == code)
            .ok_or(DecodeError::invalid("scheme", "there is none of this number"))
    }

    /// Of n rows, how many `A` and `B` a proof sends.
    pub(crate) fn rows_sent(self, n: usize) -> usize {
        match self {
            Self::Flsz17 => n.saturating_sub(1),
            Self::Tflsz => n,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flsz17 => "FLSZ17",
            Self::Tflsz => "tFLSZ",
        })
    }
}

/// `P`, `Q`, `P̂` at the secret point, and how they are tied to each other.
///
/// A reference string of size N serves every shuffle of at most N rows: rows are unit vectors of
/// length N, and if they sum to the first n unit vectors they permute these.
///
/// The bytes of a reference string say nothing about who made it. [`Decode`] checks that the points
/// are in their groups; that a ceremony's string is what it should be is for
/// `ceremony::tflsz` to say, before it is encoded in this form.
#[derive(Clone)]
pub struct Crs<E: Pairing> {
    pub(crate) scheme: Scheme,
    pub(crate) g1: G1Part<E>,
    pub(crate) g2: G2Part<E>,
    digest: Digest,
}

/// The elements in G1.
#[derive(Clone)]
pub(crate) struct G1Part<E: Pairing> {
    /// `P_i`
    pub(crate) p: AffineList<E::G1>,
    /// `Q_i/ρ`
    pub(crate) q_over_rho: AffineList<E::G1>,
    /// `P̂_i`
    pub(crate) p_hat: AffineList<E::G1>,
    /// FLSZ17 `β P_i + β̂ P̂_i`, tFLSZ `γβ P_i + γβ̂ P̂_i`
    pub(crate) mixed: AffineList<E::G1>,
    /// `P_0`
    pub(crate) p0: E::G1,
    /// `ρ`
    pub(crate) rho: E::G1,
    /// FLSZ17 `ρ̂`, tFLSZ 1
    pub(crate) rho_hat: E::G1,
    /// FLSZ17 `βρ`, tFLSZ `γβρ`
    pub(crate) mixed_rho: E::G1,
    /// FLSZ17 `β̂ρ̂`, tFLSZ `γβ̂`
    pub(crate) mixed_rho_hat: E::G1,
}

/// The elements in G2.
#[derive(Clone)]
pub(crate) struct G2Part<E: Pairing> {
    /// `P_i`
    pub(crate) p: AffineList<E::G2>,
    /// `P_0`
    pub(crate) p0: E::G2,
    /// `ρ`
    pub(crate) rho: E::G2,
    /// FLSZ17 `β`, tFLSZ `γβ`
    pub(crate) beta: E::G2,
    /// FLSZ17 `β̂`, tFLSZ `γβ̂`
    pub(crate) beta_hat: E::G2,
}

impl<E: Pairing> Crs<E> {
    pub(crate) fn new(scheme: Scheme, g1: G1Part<E>, g2: G2Part<E>) -> Self {
        let mut crs = Self { scheme, g1, g2, digest: Digest::of("shuffle-crs", &[]) };
        crs.digest = Digest::of("shuffle-crs", &crs.to_bytes());
        crs
    }

    /// The argument that this is for.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The most rows that a shuffle may have.
    pub fn size(&self) -> usize {
        self.g1.p.len()
    }

    /// Identifies the reference string.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    pub(crate) fn require(&self, n: usize) -> Result<(), ShuffleError> {
        match self.size() {
            available if available < n => {
                Err(ShuffleError::ReferenceString { available, needed: n })
            }
            _ => Ok(()),
        }
    }

    /// `Σ_{i ≤ n} P_i` in G1 and G2, and `Σ_{i ≤ n} P̂_i`.
    pub(crate) fn prefix_sums(&self, n: usize) -> (E::G1, E::G2, E::G1) {
        let Self { g1, g2, .. } = self;
        // Whoever calls has held n against the size (`Crs::require`).
        let prefix = |list: &[_]| sum::<E::G1>(list.get(..n).unwrap_or(list));
        (prefix(&g1.p), sum::<E::G2>(g2.p.get(..n).unwrap_or(&g2.p)), prefix(&g1.p_hat))
    }
}

/// Version, scheme, size; lists and single points of G1, then of G2, in the order of the fields.
impl<E: Pairing> Encode for Crs<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { scheme, g1, g2, .. } = self;
        out.extend([VERSION, scheme.code()]);
        // No string in memory is so long; readers would refuse such a size.
        u32::try_from(self.size()).unwrap_or(u32::MAX).encode(out);
        let mut first = Vec::new();
        for list in [&g1.p, &g1.q_over_rho, &g1.p_hat, &g1.mixed] {
            first.extend(points::<E::G1>(list));
        }
        first.extend([g1.p0, g1.rho, g1.rho_hat, g1.mixed_rho, g1.mixed_rho_hat]);
        out.extend(E::G1::encode_all(&first));
        let mut second = points::<E::G2>(&g2.p);
        second.extend([g2.p0, g2.rho, g2.beta, g2.beta_hat]);
        out.extend(E::G2::encode_all(&second));
    }
}

impl<E: Pairing> Decode for Crs<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if reader.u8()? != VERSION {
            return Err(DecodeError::invalid("version", "of another program version"));
        }
        let scheme = Scheme::decode(reader)?;
        let n = reader.count("size", MAX_ROWS)?;
        let mut g1 = || list::<E::G1>(reader, "points of G1", n);
        let (p, q_over_rho, p_hat, mixed) = (g1()?, g1()?, g1()?, g1()?);
        let mut g1 = || single::<E::G1>(reader, "point of G1");
        let (p0, rho, rho_hat, mixed_rho, mixed_rho_hat) = (g1()?, g1()?, g1()?, g1()?, g1()?);
        let g1 = G1Part { p, q_over_rho, p_hat, mixed, p0, rho, rho_hat, mixed_rho, mixed_rho_hat };
        let p = list::<E::G2>(reader, "points of G2", n)?;
        let mut g2 = || single::<E::G2>(reader, "point of G2");
        let (p0, rho, beta, beta_hat) = (g2()?, g2()?, g2()?, g2()?);
        Ok(Self::new(scheme, g1, G2Part { p, p0, rho, beta, beta_hat }))
    }
}

fn list<G: AffineGroup>(
    reader: &mut Reader<'_>,
    what: &'static str,
    n: usize,
) -> Result<AffineList<G>, DecodeError> {
    let points = crate::encode::point_list::<G>(reader, what, n)?;
    Ok(G::to_affine_all(points.points()))
}

/// A point that is not neutral.
fn single<G: Group>(reader: &mut Reader<'_>, what: &'static str) -> Result<G, DecodeError> {
    let point: G = crate::encode::point(reader, what)?;
    match point.is_identity() {
        true => Err(DecodeError::not_canonical(what, "the neutral element")),
        false => Ok(point),
    }
}
