//! Witnesses: `.wtns` files, version 2.
//!
//! Section 1 has the scalar field and the number of wires, section 2 their values; wire 0 is one.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    marker::PhantomData,
};

use algebra::{Engine, Scalar, ScalarOf};
use wire::{Encode, Reader, Section, SectionTable, SectionWriter, put_bytes};

use crate::{CHUNK, Error, Format, curve::expect_scalar, record::read_section};

const HEADER: &str = "wtns section 1 (header)";
const VALUES: &str = "wtns section 2 (values)";

/// The table of contents of a `.wtns` file.
#[derive(Clone, Copy, Debug)]
pub struct Wtns<E> {
    values: Section,
    len: u32,
    engine: PhantomData<fn() -> E>,
}

impl<E: Engine> Wtns<E> {
    /// Reads the header, checks the lengths, and that wire 0 is one.
    ///
    /// # Errors
    /// [`Error`], naming the section.
    pub fn open(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let table = SectionTable::read(reader, Format::Wtns.magic(), Format::Wtns.version())?;
        let limit = 8 + E::SCALAR_LEN as u64;
        let bytes = read_section(reader, table.unique(1)?, HEADER, limit)?;
        let mut fields = Reader::new(&bytes);
        expect_scalar::<E>(&mut fields, HEADER)?;
        let len = fields.u32().and_then(|len| fields.finish().map(|()| len));
        let len = len.map_err(Error::record(HEADER))?;
        let values = table.unique(2)?;
        let expected = u64::from(len) * E::SCALAR_LEN as u64;
        if values.len != expected {
            return Err(Error::Len { place: VALUES, expected, got: values.len });
        }
        let witness = Self { values, len, engine: PhantomData };
        if witness.read(reader, 0, 1)? != [ScalarOf::<E>::one()] {
            return Err(Error::field(VALUES, "wire 0", "is not one"));
        }
        Ok(witness)
    }

    /// Wires.
    #[expect(clippy::len_without_is_empty, reason = "wire 0 is always there")]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// The values of `count` wires from `start` on.
    ///
    /// # Errors
    /// [`Error::Scalar`], [`Error::Range`], and those of the reader.
    pub fn read(
        &self,
        reader: &mut (impl Read + Seek),
        start: u32,
        count: usize,
    ) -> Result<Vec<ScalarOf<E>>, Error> {
        let (first, len) = (u64::from(start), u64::from(self.len));
        let end = first.saturating_add(count as u64);
        if end > len {
            return Err(Error::Range { place: VALUES, start: first, end, len });
        }
        let width = E::SCALAR_LEN as u64;
        reader.seek(SeekFrom::Start(self.values.offset + first * width))?;
        let mut bytes = vec![0; count * E::SCALAR_LEN];
        reader.read_exact(&mut bytes)?;
        let bad = |index: usize| Error::Scalar { place: VALUES, index: first + index as u64 };
        ScalarOf::<E>::decode_all(&bytes).map_err(|error| bad(error.index))
    }

    /// All values, in one vector of as many scalars as the file really has.
    ///
    /// # Errors
    /// Those of [`Wtns::read`].
    pub fn read_all(&self, reader: &mut (impl Read + Seek)) -> Result<Vec<ScalarOf<E>>, Error> {
        self.read(reader, 0, self.len as usize)
    }
}

/// Writes a `.wtns` file.
///
/// # Errors
/// [`Error::Unwritable`] if wire 0 is not one or there are too many wires; those of the writer.
pub fn write<E: Engine, W: Write>(writer: W, values: &[ScalarOf<E>]) -> Result<W, Error> {
    let unwritable = |reason| Error::Unwritable { place: VALUES, reason };
    if values.first() != Some(&ScalarOf::<E>::one()) {
        return Err(unwritable("wire 0 is not one"));
    }
    let len = u32::try_from(values.len()).map_err(|_| unwritable("more than 2^32 wires"))?;
    let (magic, version) = (Format::Wtns.magic(), Format::Wtns.version());
    let mut sections = SectionWriter::new(writer, magic, version, 2)?;
    let mut header = Vec::new();
    put_bytes(&mut header, &E::scalar_modulus());
    len.encode(&mut header);
    sections.bytes(1, &header)?;
    let mut section = sections.section(2, u64::from(len) * E::SCALAR_LEN as u64)?;
    for chunk in values.chunks(CHUNK) {
        section.write_all(&ScalarOf::<E>::encode_all(chunk))?;
    }
    section.finish()?;
    Ok(sections.finish()?)
}
