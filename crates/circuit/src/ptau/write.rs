//! Writing `.ptau` files.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    marker::PhantomData,
};

use algebra::Engine;
use wire::{Encode, Section, SectionBody, SectionWriter, put_bytes};

use super::{
    Contribution, G1Section, G2Section, Ptau, PtauHeader,
    contribution::{self, encode_all},
};
use crate::{Error, Format, PointWriter, native};

/// Writes a `.ptau` file from its first byte to its last; the caller goes through the sections in
/// the order that it wants in the file, for snarkjs 2 to 7 and 12 to 15.
pub struct PtauWriter<W, E> {
    sections: SectionWriter<W>,
    power: u32,
    engine: PhantomData<fn() -> E>,
}

impl<W: Write, E: Engine> PtauWriter<W, E> {
    /// Writes the header of a file with or without Lagrange sections.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for powers out of range; those of the writer.
    pub fn new(writer: W, header: PtauHeader, prepared: bool) -> Result<Self, Error> {
        Self::start(writer, header, if prepared { 11 } else { 7 })
    }

    /// Writes the header of a file of a native ceremony, which has its transcript besides.
    ///
    /// # Errors
    /// Those of [`PtauWriter::new`].
    pub fn native(writer: W, header: PtauHeader, prepared: bool) -> Result<Self, Error> {
        Self::start(writer, header, if prepared { 12 } else { 8 })
    }

    fn start(writer: W, header: PtauHeader, sections: u32) -> Result<Self, Error> {
        let unwritable = |reason| Error::Unwritable { place: "ptau section 1 (header)", reason };
        header.check::<E>().map_err(unwritable)?;
        let (magic, version) = (Format::Ptau.magic(), Format::Ptau.version());
        let mut sections = SectionWriter::new(writer, magic, version, sections)?;
        let mut fields = Vec::new();
        put_bytes(&mut fields, &E::base_modulus());
        header.power.encode(&mut fields);
        header.ceremony_power.encode(&mut fields);
        sections.bytes(1, &fields)?;
        Ok(Self { sections, power: header.power, engine: PhantomData })
    }

    /// Starts a section of G1.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn g1(
        &mut self,
        section: G1Section,
    ) -> Result<PointWriter<SectionBody<'_, W>, E::G1>, Error> {
        PointWriter::section(
            &mut self.sections,
            section.id(),
            section.place(),
            section.len(self.power),
        )
    }

    /// Starts a section of G2.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn g2(
        &mut self,
        section: G2Section,
    ) -> Result<PointWriter<SectionBody<'_, W>, E::G2>, Error> {
        PointWriter::section(
            &mut self.sections,
            section.id(),
            section.place(),
            section.len(self.power),
        )
    }

    /// Writes section 7.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a name or beacon that does not fit; those of the writer.
    pub fn contributions(&mut self, contributions: &[Contribution<E>]) -> Result<(), Error> {
        Ok(self.sections.bytes(contribution::ID, &encode_all(contributions)?)?)
    }

    /// Writes the transcript of a native ceremony.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if it is too long; those of the writer.
    pub fn transcript(&mut self, transcript: &[u8]) -> Result<(), Error> {
        Ok(self.sections.bytes(native::TRANSCRIPT_ID, &native::PHASE1.section(transcript)?)?)
    }

    /// Copies the first `len` bytes of a section of another file of the same curve.
    ///
    /// # Errors
    /// Those of reader and writer.
    pub fn copy(
        &mut self,
        reader: &mut (impl Read + Seek),
        section: Section,
        len: u64,
    ) -> Result<(), Error> {
        Ok(self.sections.copy(reader, section, len)?)
    }

    /// Flushes and hands the writer back.
    ///
    /// # Errors
    /// Those of the writer, and if sections are missing.
    pub fn finish(self) -> Result<W, Error> {
        Ok(self.sections.finish()?)
    }
}

/// Replaces the contributions of a file by others that take as many bytes: the hash of the next
/// challenge is known only when the whole file is written and read again.
///
/// # Errors
/// [`Error::Len`] if they take more or fewer bytes; those of the writer.
pub fn rewrite_contributions<E: Engine>(
    ptau: &Ptau<E>,
    file: &mut (impl Write + Seek),
    contributions: &[Contribution<E>],
) -> Result<(), Error> {
    let section = ptau.table().unique(contribution::ID)?;
    let bytes = encode_all(contributions)?;
    let (expected, got) = (section.len, bytes.len() as u64);
    if expected != got {
        return Err(Error::Len { place: contribution::PLACE, expected, got });
    }
    file.seek(SeekFrom::Start(section.offset))?;
    file.write_all(&bytes)?;
    file.flush()?;
    Ok(())
}
