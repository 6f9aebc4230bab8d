//! Smaller files for smaller circuits.

use std::io::{Read, Seek, Write};

use algebra::{CurveGroup, Engine, PointForm};
use circuit::{
    native::TRANSCRIPT_ID,
    ptau::{G1Section, G2Section, Ptau, PtauHeader, PtauWriter},
};

use crate::Error;

/// Cuts a file to a smaller power, byte by byte as `snarkjs powersoftau truncate`. Nobody can
/// contribute to the new file; the chain of contributions stays, and can be verified but for the
/// hashes of its last.
///
/// # Errors
/// [`Error::Power`] if the power is none, or not smaller; [`Error::File`].
pub fn truncate<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut impl Write,
    asked: u32,
) -> Result<(), Error> {
    let ptau = Ptau::<E>::open(old)?;
    let PtauHeader { power, ceremony_power } = ptau.header();
    if !(1..power).contains(&asked) {
        return Err(Error::Power { power, asked });
    }
    let header = PtauHeader { power: asked, ceremony_power };
    let start = match ptau.is_native() {
        true => PtauWriter::<_, E>::native,
        false => PtauWriter::<_, E>::new,
    };
    let mut out = start(new, header, ptau.is_prepared())?;
    let form = PointForm::Montgomery;
    let (g1_len, g2_len) = (E::G1::form_len(form) as u64, E::G2::form_len(form) as u64);
    let lengths = G1Section::ALL.map(|section| (section.id(), section.len(asked) * g1_len));
    let g2_lengths = G2Section::ALL.map(|section| (section.id(), section.len(asked) * g2_len));
    let lengths = [lengths.as_slice(), &g2_lengths].concat();
    let lagrange = (12..=15).filter(|_| ptau.is_prepared());
    let transcript = ptau.is_native().then_some(TRANSCRIPT_ID);
    for id in (2..=7).chain(lagrange).chain(transcript) {
        let section = ptau.table().unique(id)?;
        let len = lengths.iter().find(|(found, _)| *found == id);
        // Contributions and transcript are taken whole.
        out.copy(old, section, len.map_or(section.len, |(_, len)| *len))?;
    }
    out.finish()?;
    Ok(())
}
