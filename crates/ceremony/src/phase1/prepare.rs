//! The Lagrange form of the powers, which circuits need.

use std::io::{Read, Seek, Write};

use algebra::{Affine, CurveGroup, Engine, ScalarOf};
use circuit::{
    Error as FileError, PointList, PointWriter,
    native::TRANSCRIPT_ID,
    ptau::{G1Section, G2Section, Ptau, PtauWriter},
};
use wire::Progress;

use crate::{Error, kernels};

/// The powers that a Lagrange section of G1 is made of.
pub(super) const G1_FORMS: [(G1Section, G1Section); 3] = [
    (G1Section::LagrangeTau, G1Section::Tau),
    (G1Section::LagrangeAlphaTau, G1Section::AlphaTau),
    (G1Section::LagrangeBetaTau, G1Section::BetaTau),
];

/// Copies a file and adds the Lagrange form of its powers for all domains, byte by byte as
/// `snarkjs powersoftau prepare phase2`.
///
/// Memory is that of the largest domain, `2^(power+1)` points of G1. Where only some domains are
/// needed, [`lagrange_g1`] and [`lagrange_g2`] make them alone.
///
/// # Errors
/// [`Error::Domain`] if the file's power is the largest that the field has roots of unity for;
/// [`Error::File`].
pub fn prepare<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut impl Write,
    progress: &impl Progress,
) -> Result<(), Error> {
    let ptau = Ptau::<E>::open(old)?;
    let power = ptau.header().power;
    if E::root_of_unity(power + 1).is_none() {
        return Err(Error::Domain { log_size: power + 1 });
    }
    let start = match ptau.is_native() {
        true => PtauWriter::<_, E>::native,
        false => PtauWriter::<_, E>::new,
    };
    let mut out = start(new, ptau.header(), true)?;
    for id in (2..=7).chain(ptau.is_native().then_some(TRANSCRIPT_ID)) {
        let section = ptau.table().unique(id)?;
        out.copy(old, section, section.len)?;
    }
    // In the order of the file: 12, 13, 14, 15.
    let [tau, alpha_tau, beta_tau] = G1_FORMS;
    let g1 = |(form, powers): (G1Section, G1Section), old: &mut _, out: &mut PtauWriter<_, E>| {
        let largest = power + u32::from(powers == G1Section::Tau);
        let writer = out.g1(form)?;
        write_all::<E, E::G1, _>(&ptau.g1(powers)?, largest, old, writer, progress)
    };
    g1(tau, old, &mut out)?;
    let writer = out.g2(G2Section::LagrangeTau)?;
    write_all::<E, E::G2, _>(&ptau.g2(G2Section::Tau)?, power, old, writer, progress)?;
    g1(alpha_tau, old, &mut out)?;
    g1(beta_tau, old, &mut out)?;
    out.finish()?;
    progress.finish();
    Ok(())
}

/// `[c·L_i(τ)]₁` for the domain of `2^log_size` points, from the powers of a file: `c` is 1, `α` or
/// `β` as `powers` says.
///
/// # Errors
/// [`Error::Domain`]; [`Error::File`], for a domain larger than the file's powers too.
pub fn lagrange_g1<E: Engine>(
    reader: &mut (impl Read + Seek),
    powers: G1Section,
    log_size: u32,
) -> Result<Vec<Affine<E::G1>>, Error> {
    domain::<E, E::G1>(&Ptau::<E>::open(reader)?.g1(powers)?, log_size, reader)
}

/// `[L_i(τ)]₂` for the domain of `2^log_size` points, from the powers of a file.
///
/// # Errors
/// Those of [`lagrange_g1`].
pub fn lagrange_g2<E: Engine>(
    reader: &mut (impl Read + Seek),
    log_size: u32,
) -> Result<Vec<Affine<E::G2>>, Error> {
    domain::<E, E::G2>(&Ptau::<E>::open(reader)?.g2(G2Section::Tau)?, log_size, reader)
}

/// The domains of one section, from one point up to `2^largest`.
fn write_all<E: Engine, G: CurveGroup<Scalar = ScalarOf<E>>, W: Write>(
    powers: &PointList<G>,
    largest: u32,
    reader: &mut (impl Read + Seek),
    mut out: PointWriter<wire::SectionBody<'_, W>, G>,
    progress: &impl Progress,
) -> Result<(), Error> {
    progress.begin(powers.place(), out.remaining());
    for log_size in 0..=largest {
        out.write(&domain::<E, G>(powers, log_size, reader)?)?;
        progress.advance(1 << log_size);
    }
    out.finish()?.finish()?;
    Ok(())
}

/// One domain. Files have one power less than the largest needs: the neutral element stands in.
fn domain<E: Engine, G: CurveGroup<Scalar = ScalarOf<E>>>(
    powers: &PointList<G>,
    log_size: u32,
    reader: &mut (impl Read + Seek),
) -> Result<Vec<Affine<G>>, Error> {
    let too_large = Error::Domain { log_size };
    if E::root_of_unity(log_size).is_none() {
        return Err(too_large);
    }
    let (size, len) = (1_u64 << log_size, powers.len());
    if size > len + 1 {
        let place = powers.place();
        return Err(FileError::Range { place, start: 0, end: size, len }.into());
    }
    let mut points = powers.read(reader, 0, size.min(len) as usize)?;
    points.resize(size as usize, G::affine_identity());
    kernels::lagrange::<E, G>(&points)
}
