//! The first file: everything that follows from phase 1 alone.

use std::io::{Read, Seek, Write};

use algebra::{Affine, CurveGroup, Engine, Group, Scalar};
use circuit::{
    PointList,
    native::{TflszPoints, TflszSingleG1, TflszSingleG2},
    ptau::{G1Section, G2Section, Ptau},
};
use wire::Progress;

use super::{
    file::{File, Record},
    key::is_size,
    polynomials::{p_points, q_points},
};
use crate::{Error, kernels, phase1};

/// Writes the file that a ceremony begins with, for `2^log_size − 1` ciphertexts: `χ` is that of
/// phase 1, all other secrets are 1. Everybody makes the same file from the same phase 1, which may
/// be prepared or not, and larger. [Verify](crate::phase1::verify) it first.
///
/// Returns the hash that the first contribution answers.
///
/// # Errors
/// [`Error::Size`], [`Error::Phase1TooSmall`]; [`Error::Phase1`] if nobody but beacons contributed to
/// phase 1; [`Error::File`].
pub fn new<E: Engine>(
    phase1: &mut (impl Read + Seek),
    log_size: u32,
    new: &mut impl Write,
    progress: &impl Progress,
) -> Result<[u8; 64], Error> {
    // A power of 64 and more makes the largest number of all, which is no size.
    let size = 1_u64.checked_shl(log_size).unwrap_or_default().wrapping_sub(1);
    if !is_size::<E>(size) {
        return Err(Error::Size { size });
    }
    progress.begin("polynomials", 3);
    let powers = ChiPowers::<E>::read(phase1, log_size)?;
    let points = initial(&powers, progress)?;
    let file = File { points, record: Record::new(powers.challenge) };
    file.write(new)?;
    progress.finish();
    Ok(file.hash())
}

/// What a phase 1 has for `2^log_size − 1` ciphertexts.
pub(super) struct ChiPowers<E: Engine> {
    /// The hash of the challenge that a further contribution to phase 1 would answer.
    pub challenge: [u8; 64],
    /// `χ^0, …, χ^{2n}`.
    pub g1: Vec<Affine<E::G1>>,
    /// `χ^0, …, χ^n`.
    pub g2: Vec<Affine<E::G2>>,
}

impl<E: Engine> ChiPowers<E> {
    pub fn read(phase1: &mut (impl Read + Seek), log_size: u32) -> Result<Self, Error> {
        let history = phase1::history::<E>(phase1)?;
        let about_phase1 = |reason| Error::Phase1 { reason: Box::new(reason) };
        history.require_participant().map_err(about_phase1)?;
        let ptau = Ptau::<E>::open(phase1)?;
        let power = ptau.header().power;
        if power < log_size {
            return Err(Error::Phase1TooSmall { needed: log_size, power });
        }
        let size = 1_usize << log_size;
        let g1 = prefix(&ptau.g1(G1Section::Tau)?, 2 * size - 1, phase1)?;
        let g2 = prefix(&ptau.g2(G2Section::Tau)?, size, phase1)?;
        Ok(Self { challenge: history.challenge, g1, g2 })
    }
}

fn prefix<G: CurveGroup>(
    list: &PointList<G>,
    len: usize,
    reader: &mut (impl Read + Seek),
) -> Result<Vec<Affine<G>>, Error> {
    let points = list.read(reader, 0, len)?;
    list.check_subgroup(0, &points)?;
    Ok(points)
}

/// The reference string with `θ = β = β̂ = ρ = γ = 1`.
fn initial<E: Engine>(
    powers: &ChiPowers<E>,
    progress: &impl Progress,
) -> Result<TflszPoints<E>, Error> {
    let n = powers.g2.len() - 1;
    let (g, h) = (E::G1::affine_generator(), E::G2::affine_generator());
    let chi: Vec<_> = powers.g1.iter().skip(1).copied().collect();
    let beta_chi: Vec<_> = powers.g1.iter().take(n + 1).copied().collect();
    let (p, last) = p_points::<E, E::G1>(&beta_chi)?;
    progress.advance(1);
    let (p_g2, last_g2) = p_points::<E, E::G2>(&powers.g2)?;
    progress.advance(1);
    let q_over_rho = q_points::<E>(&powers.g1)?;
    progress.advance(1);

    // P̂_i = 1, and there are n of them.
    let sum_p_hat = E::G1::mul_generator(&Scalar::from_u64(n as u64));
    let plus_one: Vec<E::G1> = p.iter().map(|p| E::G1::generator().add_precomputed(p)).collect();
    let p_0 = kernels::to_affine(last - E::G1::generator());
    let p_0_g2 = kernels::to_affine(last_g2 - E::G2::generator());
    Ok(TflszPoints {
        single: TflszSingleG1::from([p_0, g, kernels::to_affine(sum_p_hat), g, g, g, g]),
        chi,
        theta: vec![g; 2 * n],
        beta_chi,
        beta_hat_theta: vec![g; n],
        p,
        q_over_rho,
        mixed: E::G1::precompute(&plus_one),
        single_g2: TflszSingleG2::from([p_0_g2, h, h, h, h, h, h]),
        chi_g2: powers.g2.iter().skip(1).copied().collect(),
        p_g2,
    })
}
