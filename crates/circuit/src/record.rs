//! Headers and records: short, read whole, every field named in errors.

use std::io::{BufReader, Read, Seek, SeekFrom, Take};

use algebra::{Affine, CurveGroup, PointForm};
use wire::{DecodeError, Reader, Section};

use crate::Error;

/// The content of a section that is short by its nature; one longer than `limit` is refused.
pub(crate) fn read_section(
    reader: &mut (impl Read + Seek),
    section: Section,
    place: &'static str,
    limit: u64,
) -> Result<Vec<u8>, Error> {
    if section.len > limit {
        return Err(Error::Len { place, expected: limit, got: section.len });
    }
    reader.seek(SeekFrom::Start(section.offset))?;
    let mut bytes = vec![0; section.len as usize];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Points of a record, in one form.
pub(crate) struct Fields<'a> {
    pub reader: Reader<'a>,
    pub form: PointForm,
    pub place: &'static str,
    pub index: u64,
}

impl Fields<'_> {
    /// A point of the subgroup, not the neutral element.
    pub fn point<G: CurveGroup>(&mut self, what: &'static str) -> Result<Affine<G>, Error> {
        let refused = |reason: &str| {
            Error::entry(self.place, self.index)(DecodeError::not_canonical(what, reason))
        };
        let mut reader = self.reader.clone();
        let bytes = reader.take(G::form_len(self.form)).map_err(self.bad())?;
        let points = G::read_form(bytes, self.form)
            .map_err(|_| refused("not a canonical encoding of a curve point"))?;
        G::check_subgroup(&points).map_err(|_| refused("outside the prime-order subgroup"))?;
        let point = points.into_iter().next().ok_or_else(|| refused("missing"))?;
        if G::is_affine_identity(&point) {
            return Err(refused("the point at infinity is not allowed here"));
        }
        self.reader = reader;
        Ok(point)
    }

    /// Bytes as they are.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        self.reader.array().map_err(self.bad())
    }

    fn bad(&self) -> impl FnOnce(DecodeError) -> Error + use<> {
        Error::entry(self.place, self.index)
    }
}

/// Appends a point in a form.
pub(crate) fn put_point<G: CurveGroup>(point: &Affine<G>, form: PointForm, out: &mut Vec<u8>) {
    G::write_form(std::slice::from_ref(point), form, out);
}

/// Records of a section one after the other, however many there are. (Public because the sealed trait
/// `Entry` names it; its module is not.)
pub struct Records<'a, R> {
    content: Take<BufReader<&'a mut R>>,
    place: &'static str,
}

impl<'a, R: Read + Seek> Records<'a, R> {
    pub fn open(reader: &'a mut R, section: Section, place: &'static str) -> Result<Self, Error> {
        reader.seek(SeekFrom::Start(section.offset))?;
        Ok(Self { content: BufReader::new(reader).take(section.len), place })
    }

    /// The next `len` bytes, which belong to record `index`.
    pub fn take(&mut self, len: usize, index: u64) -> Result<Vec<u8>, Error> {
        self.require(len, index)?;
        let mut bytes = vec![0; len];
        self.content.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The next `N` bytes, which belong to record `index`.
    pub fn array<const N: usize>(&mut self, index: u64) -> Result<[u8; N], Error> {
        self.require(N, index)?;
        let mut bytes = [0; N];
        self.content.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The next 32-bit integer, which belongs to record `index`.
    pub fn u32(&mut self, index: u64) -> Result<u32, Error> {
        self.array(index).map(u32::from_le_bytes)
    }

    /// The name of the section in errors.
    pub fn place(&self) -> &'static str {
        self.place
    }

    /// Nothing is reserved for bytes that the section does not have.
    fn require(&self, len: usize, index: u64) -> Result<(), Error> {
        let left = self.content.limit();
        if (len as u64) <= left {
            return Ok(());
        }
        // Only the message says this number.
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let reason = DecodeError::Truncated { needed: len, left };
        Err(Error::Entry { place: self.place, index, reason })
    }

    /// Requires that the section is used up.
    pub fn finish(&self) -> Result<(), Error> {
        match self.content.limit() {
            0 => Ok(()),
            extra => Err(Error::Record {
                place: self.place,
                // As above.
                reason: DecodeError::Trailing(usize::try_from(extra).unwrap_or(usize::MAX)),
            }),
        }
    }
}
