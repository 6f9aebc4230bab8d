//! The file that a ceremony begins with.

use std::io::Write;

use algebra::{CurveGroup, Engine, Pairing};
use circuit::ptau::{PtauHeader, PtauWriter};
use wire::Progress;

use super::{
    accumulator::{SECTIONS, Section},
    first_challenges::{BLS12_381, BN254, LARGEST},
};
use crate::Error;

/// Writes the file to which nobody has contributed, `τ = α = β = 1`, byte by byte that of
/// `snarkjs powersoftau new`, and returns the hash of its challenge.
///
/// # Errors
/// [`Error::CeremonyTooLarge`]; [`Error::File`] for a power of 0; errors of the writer.
pub fn new<E: Engine>(
    writer: impl Write,
    power: u32,
    progress: &impl Progress,
) -> Result<[u8; 64], Error> {
    let mut out = PtauWriter::<_, E>::new(writer, PtauHeader::new(power), false)?;
    let challenge = first_challenge::<E>(power)?;
    write_generators(&mut out, power, progress)?;
    out.contributions(&[])?;
    out.finish()?;
    progress.finish();
    Ok(challenge)
}

/// Writes the points of the file to which nobody has contributed.
pub(super) fn write_generators<W: Write, E: Engine>(
    out: &mut PtauWriter<W, E>,
    power: u32,
    progress: &impl Progress,
) -> Result<(), Error> {
    progress.begin("writing", SECTIONS.len() as u64);
    for section in SECTIONS {
        match section {
            Section::G1(section) => {
                let mut points = out.g1(section)?;
                points.repeat(&E::G1::affine_generator(), section.len(power))?;
                points.finish()?.finish()?;
            }
            Section::G2(section) => {
                let mut points = out.g2(section)?;
                points.repeat(&E::G2::affine_generator(), section.len(power))?;
                points.finish()?.finish()?;
            }
        }
        progress.advance(1);
    }
    Ok(())
}

/// The hash of the challenge to which the first contribution of a ceremony answers: of the hash of
/// nothing, and of so many generators that hashing them takes minutes for the largest powers. A file
/// says its ceremony's power itself, so these hashes come from a table.
///
/// # Errors
/// [`Error::CeremonyTooLarge`] for powers over 28; the file of a larger one would take 300 GB.
pub fn first_challenge<E: Engine>(power: u32) -> Result<[u8; 64], Error> {
    let table = if <E as Pairing>::NAME == "BN254" { &BN254 } else { &BLS12_381 };
    let index = power.checked_sub(1).and_then(|index| usize::try_from(index).ok());
    let challenge = index.and_then(|index| table.get(index));
    challenge.copied().ok_or(Error::CeremonyTooLarge { power, largest: LARGEST })
}
