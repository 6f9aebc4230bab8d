//! The section container of the iden3 tools (`.r1cs`, `.wtns`, `.ptau`, `.zkey`).
//!
//! Four bytes of magic, a version, a number of sections, and the sections in any order: an
//! identifier (32 bits), a length (64 bits), the content. Integers are little-endian.

use std::io::{self, Read, Seek, SeekFrom, Write};

use thiserror::Error;

/// More sections than any file of this family has, and little enough to keep in memory.
const MAX_SECTIONS: u32 = 1024;
/// Magic, version, number of sections.
const HEADER_LEN: u64 = 12;
/// Identifier and length: as many bytes as the file's header, so that one buffer serves both.
const SECTION_HEADER_LEN: u64 = 12;
/// Bytes that [`SectionWriter::copy`] holds at a time.
const COPY_CHUNK: u64 = 1 << 16;

/// Why a file is not a container of sections, or not the one expected.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SectionError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The first four bytes are not the magic of the format.
    #[error("not a `{}` file", magic.escape_ascii())]
    Magic {
        /// The magic expected.
        magic: [u8; 4],
    },
    /// A version that this program does not read.
    #[error("version {got} of the format, where this program reads {expected}")]
    Version {
        /// The version in the file.
        got: u32,
        /// The version that is read.
        expected: u32,
    },
    /// The file ends before its header or the header of a section does.
    #[error("the file ends in the header of section number {index} of {count}")]
    HeaderTruncated {
        /// Position of the section in the file; equal to `count` in the file's own header.
        index: u32,
        /// Sections that the file claims to have.
        count: u32,
    },
    /// The file claims an absurd number of sections.
    #[error("{0} sections are more than any file of this kind has")]
    TooMany(u32),
    /// A section reaches beyond the end of the file.
    #[error("section {id} claims {len} bytes where the file has {left} left")]
    Truncated {
        /// The section.
        id: u32,
        /// Its length by its own header.
        len: u64,
        /// What the file still holds.
        left: u64,
    },
    /// Bytes follow the last section.
    #[error("{0} bytes follow the last section")]
    Trailing(u64),
    /// A section that must be there is not.
    #[error("section {0} is missing")]
    Missing(u32),
    /// A section is there more than once: readers could disagree about which of them counts.
    #[error("section {0} is there more than once")]
    Duplicate(u32),
    /// A section's content did not have the announced length.
    #[error("section {id} was announced with {announced} bytes and got {written}")]
    WrittenLen {
        /// The section.
        id: u32,
        /// The length in its header.
        announced: u64,
        /// The bytes that were written, or would have been with the refused ones.
        written: u64,
    },
    /// The number of sections written is not the number announced.
    #[error("{announced} sections were announced and {written} written")]
    WrittenCount {
        /// The number in the file's header.
        announced: u32,
        /// The sections written.
        written: u32,
    },
}

/// Where a section's content lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// What the section is.
    pub id: u32,
    /// The offset of its content in the file.
    pub offset: u64,
    /// The bytes of its content, all of them inside the file.
    pub len: u64,
}

/// The sections of a file, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionTable {
    sections: Vec<Section>,
}

impl SectionTable {
    /// Reads the headers of a file and checks every length against the length of the file. No identifier may
    /// occur twice, whether it is asked for or not. Sections follow one another without gaps, so none overlap.
    ///
    /// # Errors
    /// [`SectionError`].
    pub fn read(
        reader: &mut (impl Read + Seek),
        magic: [u8; 4],
        version: u32,
    ) -> Result<Self, SectionError> {
        let end = reader.seek(SeekFrom::End(0))?;
        reader.seek(SeekFrom::Start(0))?;
        let mut header = [0; HEADER_LEN as usize];
        if end < HEADER_LEN {
            // Too short for a header: cut short if it begins with the magic, else another kind of file. The
            // range is at most that of `found`, so the default is never taken.
            let mut found = [0; 4];
            reader.read_exact(found.get_mut(..end.min(4) as usize).unwrap_or_default())?;
            let ours = end >= 4 && found == magic;
            let truncated = SectionError::HeaderTruncated { index: 0, count: 0 };
            return Err(if ours { truncated } else { SectionError::Magic { magic } });
        }
        reader.read_exact(&mut header)?;
        let [found, got, count] = words(&header);
        if found != u32::from_le_bytes(magic) {
            return Err(SectionError::Magic { magic });
        }
        if got != version {
            return Err(SectionError::Version { got, expected: version });
        }
        if count > MAX_SECTIONS {
            return Err(SectionError::TooMany(count));
        }
        let mut sections = Vec::new();
        let mut offset = HEADER_LEN;
        for index in 0..count {
            let left = end.saturating_sub(offset);
            if left < SECTION_HEADER_LEN {
                return Err(SectionError::HeaderTruncated { index, count });
            }
            reader.seek(SeekFrom::Start(offset))?;
            reader.read_exact(&mut header)?;
            let [id, low, high] = words(&header);
            let (len, left) = (u64::from(high) << 32 | u64::from(low), left - SECTION_HEADER_LEN);
            if len > left {
                return Err(SectionError::Truncated { id, len, left });
            }
            if sections.iter().any(|section: &Section| section.id == id) {
                return Err(SectionError::Duplicate(id));
            }
            offset += SECTION_HEADER_LEN;
            sections.push(Section { id, offset, len });
            offset += len;
        }
        match end - offset {
            0 => Ok(Self { sections }),
            extra => Err(SectionError::Trailing(extra)),
        }
    }

    /// All sections, in the order of the file.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Whether there is a section of this kind.
    pub fn has(&self, id: u32) -> bool {
        self.sections.iter().any(|section| section.id == id)
    }

    /// The one section of this kind.
    ///
    /// # Errors
    /// [`SectionError::Missing`].
    pub fn unique(&self, id: u32) -> Result<Section, SectionError> {
        let found = self.sections.iter().find(|section| section.id == id);
        found.copied().ok_or(SectionError::Missing(id))
    }
}

/// The three little-endian words of 12 bytes; none is missing, so the default is never taken.
fn words(bytes: &[u8; 12]) -> [u32; 3] {
    let (words, _) = bytes.as_chunks::<4>();
    let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
    [(); 3].map(|()| words.next().unwrap_or_default())
}

/// Writes a container from the first byte to the last.
///
/// ```
/// use std::io::{Cursor, Write as _};
/// use wire::{SectionTable, SectionWriter};
///
/// let mut file = SectionWriter::new(Vec::new(), *b"test", 1, 2)?;
/// file.bytes(7, b"a whole section")?;
/// let mut section = file.section(3, 4)?;
/// section.write_all(b"in ")?;
/// section.write_all(b"2")?;
/// section.finish()?;
/// let bytes = file.finish()?;
///
/// let table = SectionTable::read(&mut Cursor::new(&bytes), *b"test", 1)?;
/// assert_eq!(table.unique(3)?.len, 4);
/// # Ok::<(), wire::SectionError>(())
/// ```
pub struct SectionWriter<W> {
    writer: W,
    announced: u32,
    written: u32,
}

impl<W: Write> SectionWriter<W> {
    /// Writes the header of a file of `count` sections.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(mut writer: W, magic: [u8; 4], version: u32, count: u32) -> io::Result<Self> {
        writer.write_all(&magic)?;
        writer.write_all(&version.to_le_bytes())?;
        writer.write_all(&count.to_le_bytes())?;
        Ok(Self { writer, announced: count, written: 0 })
    }

    /// Starts a section of `len` bytes; [`SectionBody::finish`] ends it.
    ///
    /// # Errors
    /// Those of the writer; [`SectionError::WrittenCount`] if there is one too many.
    pub fn section(&mut self, id: u32, len: u64) -> Result<SectionBody<'_, W>, SectionError> {
        self.written += 1;
        if self.written > self.announced {
            return Err(self.wrong_count());
        }
        self.writer.write_all(&id.to_le_bytes())?;
        self.writer.write_all(&len.to_le_bytes())?;
        Ok(SectionBody { writer: &mut self.writer, id, announced: len, written: 0 })
    }

    /// Writes a whole section.
    ///
    /// # Errors
    /// Those of [`SectionWriter::section`].
    pub fn bytes(&mut self, id: u32, bytes: &[u8]) -> Result<(), SectionError> {
        let mut section = self.section(id, bytes.len() as u64)?;
        section.write_all(bytes)?;
        section.finish()
    }

    /// Writes a section whose length is not known beforehand: first the content, then its length into the
    /// header.
    ///
    /// # Errors
    /// Those of the writer, of [`SectionWriter::section`] and of `content`.
    pub fn patched<E: From<SectionError>>(
        &mut self,
        id: u32,
        content: impl FnOnce(&mut W) -> Result<(), E>,
    ) -> Result<(), E>
    where
        W: Seek,
    {
        // The body announces 0 bytes and is not written through; `patch` puts the true length in its place.
        let _ = self.section(id, 0)?;
        let start = self.writer.stream_position().map_err(SectionError::from)?;
        content(&mut self.writer)?;
        self.patch(start).map_err(|error| SectionError::from(error).into())
    }

    fn patch(&mut self, start: u64) -> io::Result<()>
    where
        W: Seek,
    {
        let end = self.writer.stream_position()?;
        // The length is the last field of the header, right before the content.
        self.writer.seek(SeekFrom::Start(start - 8))?;
        self.writer.write_all(&(end - start).to_le_bytes())?;
        self.writer.seek(SeekFrom::Start(end))?;
        Ok(())
    }

    /// Copies the first `len` bytes of another file's section, byte by byte.
    ///
    /// # Errors
    /// Those of reader and writer; [`SectionError::WrittenLen`] if the section is shorter.
    pub fn copy(
        &mut self,
        reader: &mut (impl Read + Seek),
        section: Section,
        len: u64,
    ) -> Result<(), SectionError> {
        let mut body = self.section(section.id, len)?;
        reader.seek(SeekFrom::Start(section.offset))?;
        let mut content = reader.take(section.len.min(len));
        let mut buffer = vec![0; COPY_CHUNK as usize];
        loop {
            match content.read(&mut buffer) {
                Ok(0) => return body.finish(),
                // A reader that claims more than the buffer holds gives nothing, and `finish` misses the bytes.
                Ok(read) => body.write_all(buffer.get(..read).unwrap_or_default())?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Flushes and hands the writer back.
    ///
    /// # Errors
    /// Those of the writer; [`SectionError::WrittenCount`].
    pub fn finish(mut self) -> Result<W, SectionError> {
        if self.written != self.announced {
            return Err(self.wrong_count());
        }
        self.writer.flush()?;
        Ok(self.writer)
    }

    fn wrong_count(&self) -> SectionError {
        SectionError::WrittenCount { announced: self.announced, written: self.written }
    }
}

/// The content of a section being written; it refuses bytes beyond the announced length.
#[must_use = "a section ends with `finish`"]
pub struct SectionBody<'a, W> {
    writer: &'a mut W,
    id: u32,
    announced: u64,
    written: u64,
}

impl<W> SectionBody<'_, W> {
    /// Requires that the section is complete.
    ///
    /// # Errors
    /// [`SectionError::WrittenLen`].
    pub fn finish(self) -> Result<(), SectionError> {
        if self.written == self.announced {
            return Ok(());
        }
        let Self { id, announced, written, .. } = self;
        Err(SectionError::WrittenLen { id, announced, written })
    }
}

impl<W: Write> Write for SectionBody<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.written + bytes.len() as u64;
        if written > self.announced {
            let Self { id, announced, .. } = *self;
            return Err(io::Error::other(SectionError::WrittenLen { id, announced, written }));
        }
        let accepted = self.writer.write(bytes)?;
        self.written += accepted as u64;
        Ok(accepted)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
