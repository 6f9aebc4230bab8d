//! Writing `.zkey` files.

use std::io::{Read, Seek, Write};

use algebra::Engine;
use wire::{Section, SectionBody, SectionWriter};

use super::{
    CoefficientWriter, Contribution, G1Query, ZkeyHeader, coefficient, header,
    sections::{B_G2, GROTH16, MPC},
};
use crate::{Error, Format, PointWriter, native};

/// Writes a `.zkey` file from its first byte to its last; the caller goes through the sections in
/// the order that it wants in the file. For snarkjs that is 3 to 10, and 4, 3, 9, 8, 5, 6, 7, 10 in
/// a new key.
pub struct ZkeyWriter<W, E: Engine> {
    sections: SectionWriter<W>,
    header: ZkeyHeader<E>,
}

impl<W: Write, E: Engine> ZkeyWriter<W, E> {
    /// Writes sections 1 and 2.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for counts that contradict each other; those of the writer.
    pub fn new(writer: W, header: ZkeyHeader<E>) -> Result<Self, Error> {
        Self::start(writer, header, 10)
    }

    /// Writes sections 1 and 2 of a key of a native ceremony, which has its transcript besides.
    ///
    /// # Errors
    /// Those of [`ZkeyWriter::new`].
    pub fn native(writer: W, header: ZkeyHeader<E>) -> Result<Self, Error> {
        Self::start(writer, header, 11)
    }

    fn start(writer: W, header: ZkeyHeader<E>, sections: u32) -> Result<Self, Error> {
        header.check().map_err(|reason| Error::Unwritable { place: header::PLACE, reason })?;
        let (magic, version) = (Format::Zkey.magic(), Format::Zkey.version());
        let mut sections = SectionWriter::new(writer, magic, version, sections)?;
        sections.bytes(1, &GROTH16.to_le_bytes())?;
        sections.bytes(2, &header.encode())?;
        Ok(Self { sections, header })
    }

    /// Starts a section of G1.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn g1(&mut self, query: G1Query) -> Result<PointWriter<SectionBody<'_, W>, E::G1>, Error> {
        let len = query.len(&self.header);
        PointWriter::section(&mut self.sections, query.id(), query.place(), len)
    }

    /// Starts section 7.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn b_g2(&mut self) -> Result<PointWriter<SectionBody<'_, W>, E::G2>, Error> {
        let len = self.header.variables.into();
        PointWriter::section(&mut self.sections, 7, B_G2, len)
    }

    /// Starts section 4 with `count` entries.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn coefficients(&mut self, count: u32) -> Result<CoefficientWriter<'_, W, E>, Error> {
        let len = 4 + u64::from(count) * coefficient::LEN as u64;
        CoefficientWriter::new(self.sections.section(4, len)?, count)
    }

    /// Writes section 10.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a name or beacon that does not fit; those of the writer.
    pub fn contributions(
        &mut self,
        circuit_hash: &[u8; 64],
        contributions: &[Contribution<E>],
    ) -> Result<(), Error> {
        let too_many = Error::Unwritable { place: MPC, reason: "more than 2^32 contributions" };
        let count = u32::try_from(contributions.len()).map_err(|_| too_many)?;
        let mut out = circuit_hash.to_vec();
        out.extend(count.to_le_bytes());
        contributions.iter().try_for_each(|contribution| contribution.encode(&mut out))?;
        Ok(self.sections.bytes(10, &out)?)
    }

    /// Writes the transcript of a native ceremony.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if it is too long; those of the writer.
    pub fn transcript(&mut self, transcript: &[u8]) -> Result<(), Error> {
        Ok(self.sections.bytes(native::TRANSCRIPT_ID, &native::PHASE2.section(transcript)?)?)
    }

    /// Copies a section of another file of the same curve and circuit.
    ///
    /// # Errors
    /// Those of reader and writer.
    pub fn copy(&mut self, reader: &mut (impl Read + Seek), section: Section) -> Result<(), Error> {
        Ok(self.sections.copy(reader, section, section.len)?)
    }

    /// Flushes and hands the writer back.
    ///
    /// # Errors
    /// Those of the writer, and if sections are missing.
    pub fn finish(self) -> Result<W, Error> {
        Ok(self.sections.finish()?)
    }
}
