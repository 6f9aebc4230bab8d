//! Files without a table of contents: some bytes, then lists of points in a fixed order.

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    marker::PhantomData,
};

use algebra::{CurveGroup, Engine, PointForm};

use crate::{Error, PointList, PointWriter};

/// A list of a layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub place: &'static str,
    pub in_g2: bool,
    pub len: u64,
}

impl Slot {
    pub const fn g1(place: &'static str, len: u64) -> Self {
        Self { place, in_g2: false, len }
    }

    pub const fn g2(place: &'static str, len: u64) -> Self {
        Self { place, in_g2: true, len }
    }
}

/// What a file consists of.
#[derive(Clone, Debug)]
pub(crate) struct Layout<E> {
    /// The name of the whole in errors.
    pub place: &'static str,
    pub form: PointForm,
    /// Bytes before the first list.
    pub prefix: u64,
    pub slots: Vec<Slot>,
    /// Bytes after the last list.
    pub suffix: u64,
    pub engine: PhantomData<fn() -> E>,
}

impl<E: Engine> Layout<E> {
    /// Where slot `index` begins; the end of the last list for the number of slots.
    pub fn offset(&self, index: usize) -> u64 {
        let width = |slot: &Slot| match slot.in_g2 {
            true => E::G2::form_len(self.form),
            false => E::G1::form_len(self.form),
        };
        let before = self.slots.iter().take(index);
        self.prefix + before.map(|slot| slot.len * width(slot) as u64).sum::<u64>()
    }

    /// Bytes of the file.
    pub fn total(&self) -> u64 {
        self.offset(self.slots.len()) + self.suffix
    }

    /// Requires that the file has exactly these bytes.
    pub fn check_len(&self, reader: &mut impl Seek) -> Result<(), Error> {
        let (expected, got) = (self.total(), reader.seek(SeekFrom::End(0))?);
        if expected == got { Ok(()) } else { Err(Error::Len { place: self.place, expected, got }) }
    }

    /// The bytes before the first list, `prefix` of them, or after the last.
    pub fn read_at<const N: usize>(
        reader: &mut (impl Read + Seek),
        offset: u64,
    ) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        reader.seek(SeekFrom::Start(offset))?;
        reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub fn g1(&self, index: usize) -> PointList<E::G1> {
        self.list(index)
    }

    pub fn g2(&self, index: usize) -> PointList<E::G2> {
        self.list(index)
    }

    /// An index that is not there gives an empty list; indices are this crate's own constants.
    fn list<G: CurveGroup>(&self, index: usize) -> PointList<G> {
        let empty = Slot::g1(self.place, 0);
        let slot = self.slots.get(index).unwrap_or(&empty);
        PointList::new(slot.place, self.offset(index), slot.len, self.form)
    }
}

/// Writes the lists of a layout in its order, and nothing else.
pub(crate) struct LayoutWriter<W, E> {
    writer: Counting<W>,
    layout: Layout<E>,
}

impl<W: Write, E: Engine> LayoutWriter<W, E> {
    /// Starts a file with the bytes before the first list.
    pub fn new(writer: W, layout: Layout<E>, prefix: &[u8]) -> Result<Self, Error> {
        let mut writer = Counting { writer, count: 0 };
        writer.write_all(prefix)?;
        Ok(Self { writer, layout })
    }

    pub fn g1(&mut self, index: usize) -> Result<PointWriter<&mut Counting<W>, E::G1>, Error> {
        self.list(index)
    }

    pub fn g2(&mut self, index: usize) -> Result<PointWriter<&mut Counting<W>, E::G2>, Error> {
        self.list(index)
    }

    fn list<G: CurveGroup>(
        &mut self,
        index: usize,
    ) -> Result<PointWriter<&mut Counting<W>, G>, Error> {
        self.require(self.layout.offset(index))?;
        let list = self.layout.list::<G>(index);
        Ok(PointWriter::new(&mut self.writer, list.place(), list.len(), list.form()))
    }

    /// Writes the bytes after the last list and hands the writer back.
    pub fn finish(mut self, suffix: &[u8]) -> Result<W, Error> {
        self.require(self.layout.offset(self.layout.slots.len()))?;
        self.writer.write_all(suffix)?;
        self.require(self.layout.total())?;
        self.writer.flush()?;
        Ok(self.writer.writer)
    }

    fn require(&self, offset: u64) -> Result<(), Error> {
        let reason = "a list is missing, incomplete or out of order";
        let unwritable = Error::Unwritable { place: self.layout.place, reason };
        if self.writer.count == offset { Ok(()) } else { Err(unwritable) }
    }
}

/// Counts what goes through it.
#[derive(Debug)]
pub struct Counting<W> {
    writer: W,
    count: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.count += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
