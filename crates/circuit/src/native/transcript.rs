//! The transcript of a native ceremony: a section of its own in an ordinary `.ptau` or `.zkey` file.
//!
//! Programs that do not know this section skip it, and see a file without contributions of their own kind. The crate
//! `ceremony` reads what the transcript says.

use std::io::{Read, Seek};

use wire::{Encode, FileHeader, Reader, SectionTable};

use crate::{Error, record::read_section};

/// The section's identifier, far from those of snarkjs.
pub const TRANSCRIPT_ID: u32 = 100;

/// Bytes that the transcript of a ceremony may have: some ten thousand contributions.
pub(super) const MAX_TRANSCRIPT: usize = 1 << 24;

/// A kind of transcript, with the section's name in errors.
pub(crate) struct TranscriptKind {
    header: FileHeader,
    place: &'static str,
}

/// The transcript of a phase 1.
pub(crate) const PHASE1: TranscriptKind = TranscriptKind {
    header: FileHeader::new("phase1", 2),
    place: "ptau section 100 (native transcript)",
};
/// The transcript of a phase 2.
pub(crate) const PHASE2: TranscriptKind = TranscriptKind {
    header: FileHeader::new("phase2", 2),
    place: "zkey section 100 (native transcript)",
};

impl TranscriptKind {
    /// The content of the section behind its header.
    pub fn read(
        &self,
        reader: &mut (impl Read + Seek),
        table: &SectionTable,
    ) -> Result<Vec<u8>, Error> {
        let limit = MAX_TRANSCRIPT as u64;
        let bytes = read_section(reader, table.unique(TRANSCRIPT_ID)?, self.place, limit)?;
        let mut fields = Reader::new(&bytes);
        self.header.expect(&mut fields).map_err(Error::record(self.place))?;
        Ok(fields.take_rest().to_vec())
    }

    /// The section for a transcript.
    pub fn section(&self, transcript: &[u8]) -> Result<Vec<u8>, Error> {
        let mut bytes = self.header.to_bytes();
        bytes.extend(transcript);
        match bytes.len() <= MAX_TRANSCRIPT {
            true => Ok(bytes),
            false => {
                Err(Error::Unwritable { place: self.place, reason: "the transcript is too long" })
            }
        }
    }
}
