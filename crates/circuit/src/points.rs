//! Long lists of points in files, read and written in chunks.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    marker::PhantomData,
};

use algebra::{Affine, CurveGroup, PointForm};
use rand_core::CryptoRng;
use wire::{SectionBody, SectionWriter};

use crate::Error;

/// Points per chunk that is fast without taking much memory. The crate's own tests take so few that short
/// lists end before, at and behind the end of a chunk.
pub const CHUNK: usize = if cfg!(test) { 3 } else { 4096 };

/// A list of points at a known place of a file, all of it inside the file.
///
/// It holds no points and no reader: it is copied to threads that read different parts through
/// handles of their own.
#[derive(Clone, Copy, Debug)]
pub struct PointList<G> {
    place: &'static str,
    offset: u64,
    len: u64,
    form: PointForm,
    allows_infinity: bool,
    group: PhantomData<fn() -> G>,
}

impl<G: CurveGroup> PointList<G> {
    /// A list of `len` points of `form` at `offset`; the caller knows that the file is as long.
    pub(crate) fn new(place: &'static str, offset: u64, len: u64, form: PointForm) -> Self {
        Self { place, offset, len, form, allows_infinity: false, group: PhantomData }
    }

    /// The same list, in which the neutral element may stand.
    pub(crate) fn with_infinity(self) -> Self {
        Self { allows_infinity: true, ..self }
    }

    /// The name of the list in errors.
    pub fn place(&self) -> &'static str {
        self.place
    }

    /// Points in the list.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How points are stored.
    pub fn form(&self) -> PointForm {
        self.form
    }

    /// Offset of point `index` in the file.
    pub fn offset_of(&self, index: u64) -> u64 {
        self.offset + index * G::form_len(self.form) as u64
    }

    /// The part from `start` on, `len` points long, as a list of its own whose indices start over.
    ///
    /// # Errors
    /// [`Error::Range`].
    pub fn part(&self, start: u64, len: u64) -> Result<Self, Error> {
        self.check_range(start, len)?;
        Ok(Self { offset: self.offset_of(start), len, ..*self })
    }

    /// The encodings of `count` points from `start` on, as they stand in the file.
    ///
    /// # Errors
    /// [`Error::Range`], and those of the reader.
    pub fn read_bytes(
        &self,
        reader: &mut (impl Read + Seek),
        start: u64,
        count: usize,
    ) -> Result<Vec<u8>, Error> {
        self.check_range(start, count as u64)?;
        reader.seek(SeekFrom::Start(self.offset_of(start)))?;
        let mut bytes = vec![0; count * G::form_len(self.form)];
        reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// `count` points from `start` on: canonical, on the curve, and not the neutral element unless
    /// the format has it there. Whether they are in the subgroup is [`PointList::check_subgroup`]'s
    /// to say.
    ///
    /// # Errors
    /// [`Error::Point`] and [`Error::Infinity`] with the position in this list; [`Error::Range`];
    /// those of the reader.
    pub fn read(
        &self,
        reader: &mut (impl Read + Seek),
        start: u64,
        count: usize,
    ) -> Result<Vec<Affine<G>>, Error> {
        let bytes = self.read_bytes(reader, start, count)?;
        let points = G::read_form(&bytes, self.form).map_err(|reason| self.bad(start, reason))?;
        if !self.allows_infinity
            && let Some(index) = points.iter().position(G::is_affine_identity)
        {
            return Err(Error::Infinity { place: self.place, index: start + index as u64 });
        }
        Ok(points)
    }

    /// All points, the subgroup included. Takes memory for the whole list.
    ///
    /// # Errors
    /// Those of [`PointList::read`] and [`PointList::check_subgroup`].
    pub fn read_all(&self, reader: &mut (impl Read + Seek)) -> Result<Vec<Affine<G>>, Error> {
        let points = self.read(reader, 0, self.len() as usize)?;
        self.check_subgroup(0, &points)?;
        Ok(points)
    }

    /// Requires that points read from `start` on are in the prime-order subgroup.
    ///
    /// # Errors
    /// [`Error::Point`] with the position in this list.
    pub fn check_subgroup(&self, start: u64, points: &[Affine<G>]) -> Result<(), Error> {
        G::check_subgroup(points).map_err(|reason| self.bad(start, reason))
    }

    /// [`PointList::check_subgroup`] by random sums, much cheaper for many points. It accepts a
    /// point outside with probability below 2^-128, if `rng` draws from the system after the points are fixed.
    ///
    /// # Errors
    /// [`Error::Point`] with the position in this list.
    pub fn check_subgroup_batch(
        &self,
        start: u64,
        points: &[Affine<G>],
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<(), Error> {
        G::check_subgroup_batch(points, rng).map_err(|reason| self.bad(start, reason))
    }

    /// One point, the subgroup included.
    ///
    /// # Errors
    /// Those of [`PointList::read`] and [`PointList::check_subgroup`].
    pub fn read_one(
        &self,
        reader: &mut (impl Read + Seek),
        index: u64,
    ) -> Result<Affine<G>, Error> {
        let points = self.read(reader, index, 1)?;
        self.check_subgroup(index, &points)?;
        // Not reached: `read` returned exactly one point.
        let range = Error::Range { place: self.place, start: index, end: index, len: self.len };
        points.into_iter().next().ok_or(range)
    }

    /// The whole list in chunks of at most `chunk` points, each with the index of its first.
    pub fn chunks<'a, R: Read + Seek>(
        &self,
        reader: &'a mut R,
        chunk: usize,
    ) -> impl Iterator<Item = Result<(u64, Vec<Affine<G>>), Error>> + use<'a, G, R> {
        let list = *self;
        let mut start = 0;
        std::iter::from_fn(move || {
            // Chunks of 0 points would end the list before its first point, unread.
            let count = (list.len - start).min(chunk.max(1) as u64) as usize;
            if count == 0 {
                return None;
            }
            let points = list.read(reader, start, count);
            let item = points.map(|points| (start, points));
            start = if item.is_ok() { start + count as u64 } else { list.len };
            Some(item)
        })
    }

    fn check_range(&self, start: u64, count: u64) -> Result<(), Error> {
        match start.checked_add(count) {
            Some(end) if end <= self.len => Ok(()),
            end => Err(Error::Range {
                place: self.place,
                start,
                // Only the message says it.
                end: end.unwrap_or(u64::MAX),
                len: self.len,
            }),
        }
    }

    fn bad(&self, start: u64, reason: algebra::PointError) -> Error {
        Error::Point { place: self.place, index: start + reason.index() as u64, reason }
    }
}

/// A list of points being written; it refuses more or fewer than announced.
#[must_use = "a list ends with `finish`"]
pub struct PointWriter<W, G> {
    writer: W,
    place: &'static str,
    form: PointForm,
    announced: u64,
    written: u64,
    buffer: Vec<u8>,
    group: PhantomData<fn() -> G>,
}

impl<'a, W: Write, G: CurveGroup> PointWriter<SectionBody<'a, W>, G> {
    /// A section of points as snarkjs has them.
    pub(crate) fn section(
        sections: &'a mut SectionWriter<W>,
        id: u32,
        place: &'static str,
        len: u64,
    ) -> Result<Self, Error> {
        let form = PointForm::Montgomery;
        let body = sections.section(id, len * G::form_len(form) as u64)?;
        Ok(Self::new(body, place, len, form))
    }
}

impl<W: Write, G: CurveGroup> PointWriter<W, G> {
    pub(crate) fn new(writer: W, place: &'static str, announced: u64, form: PointForm) -> Self {
        let (written, buffer) = (0, Vec::new());
        Self { writer, place, form, announced, written, buffer, group: PhantomData }
    }

    /// Appends points.
    ///
    /// # Errors
    /// [`Error::Written`] beyond the announced number; those of the writer.
    pub fn write(&mut self, points: &[Affine<G>]) -> Result<(), Error> {
        let written = self.written + points.len() as u64;
        if written > self.announced {
            return Err(self.wrong_count(written));
        }
        for chunk in points.chunks(CHUNK) {
            self.buffer.clear();
            G::write_form(chunk, self.form, &mut self.buffer);
            self.writer.write_all(&self.buffer)?;
        }
        self.written = written;
        Ok(())
    }

    /// Appends the same point `count` times.
    ///
    /// # Errors
    /// Those of [`PointWriter::write`].
    pub fn repeat(&mut self, point: &Affine<G>, count: u64) -> Result<(), Error> {
        let chunk = vec![*point; count.min(CHUNK as u64) as usize];
        let mut left = count;
        while left > 0 {
            let now = left.min(CHUNK as u64);
            // Never `None`: `now` is at most `CHUNK`, and at most `count`, so at most the length of `chunk`.
            self.write(chunk.get(..now as usize).unwrap_or_default())?;
            left -= now;
        }
        Ok(())
    }

    /// Points still to come.
    pub fn remaining(&self) -> u64 {
        self.announced - self.written
    }

    /// Requires that the list is complete, and hands its writer back.
    ///
    /// # Errors
    /// [`Error::Written`].
    pub fn finish(self) -> Result<W, Error> {
        if self.written != self.announced {
            return Err(self.wrong_count(self.written));
        }
        Ok(self.writer)
    }

    fn wrong_count(&self, written: u64) -> Error {
        Error::Written { place: self.place, announced: self.announced, written }
    }
}
