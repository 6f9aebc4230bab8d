//! The file that a ceremony begins with.

use std::io::Write;

use algebra::{Affine, CurveGroup, Engine};
use circuit::ptau::{PtauHeader, PtauWriter};
use wire::{Blake2b, Progress};

use super::accumulator::{CHALLENGE, CHUNK, SECTIONS, Section, hash};
use crate::Error;

/// Writes the file to which nobody has contributed, `τ = α = β = 1`, byte by byte that of
/// `snarkjs powersoftau new`, and returns the hash of its challenge.
///
/// # Errors
/// [`Error::File`] for a power that the curve's field does not have; errors of the writer.
pub fn new<E: Engine>(
    writer: impl Write,
    power: u32,
    progress: &impl Progress,
) -> Result<[u8; 64], Error> {
    let mut out = PtauWriter::<_, E>::new(writer, PtauHeader::new(power), false)?;
    write_generators(&mut out, power, progress)?;
    out.contributions(&[])?;
    out.finish()?;
    let challenge = first_challenge::<E>(power);
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

/// The hash of the challenge to which the first contribution of a ceremony answers.
pub fn first_challenge<E: Engine>(power: u32) -> [u8; 64] {
    let mut challenge = Blake2b::new();
    challenge.update(&Blake2b::digest(b""));
    for section in SECTIONS {
        match section {
            Section::G1(section) => {
                let generator = E::G1::affine_generator();
                repeat::<E::G1>(&mut challenge, generator, section.len(power));
            }
            Section::G2(section) => {
                let generator = E::G2::affine_generator();
                repeat::<E::G2>(&mut challenge, generator, section.len(power));
            }
        }
    }
    challenge.finish()
}

fn repeat<G: CurveGroup>(challenge: &mut Blake2b, point: Affine<G>, count: u64) {
    let chunk = vec![point; count.min(CHUNK as u64) as usize];
    let mut left = count;
    while left > 0 {
        let now = left.min(CHUNK as u64);
        hash::<G>(challenge, chunk.get(..now as usize).unwrap_or_default(), CHALLENGE);
        left -= now;
    }
}
