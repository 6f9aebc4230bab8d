//! Sections that are a count and so many records.

use std::{
    io::{Read, Seek},
    marker::PhantomData,
};

use crate::{Error, record::Records};

/// A record that knows how to read itself.
pub trait Entry: Sized {
    /// Reads record `index`.
    fn read<R: Read + Seek>(records: &mut Records<'_, R>, index: u64) -> Result<Self, Error>;
}

/// Records of a section, read one at a time; after an error there are no more.
pub struct Entries<'a, R, T> {
    records: Records<'a, R>,
    next: u64,
    count: u64,
    ended: bool,
    entry: PhantomData<fn() -> T>,
}

impl<'a, R: Read + Seek, T: Entry> Entries<'a, R, T> {
    /// Records whose number comes first.
    pub(crate) fn open(mut records: Records<'a, R>) -> Result<Self, Error> {
        let count = records.u32(0)?;
        Ok(Self::new(records, count))
    }

    /// As many records as some other section says.
    pub(crate) fn new(records: Records<'a, R>, count: u32) -> Self {
        Self { records, next: 0, count: count.into(), ended: false, entry: PhantomData }
    }

    /// Records that the file announces.
    pub fn announced(&self) -> u64 {
        self.count
    }

    fn read_next(&mut self) -> Option<Result<T, Error>> {
        if self.next == self.count {
            return self.records.finish().err().map(Err);
        }
        let entry = T::read(&mut self.records, self.next);
        self.next += 1;
        Some(entry)
    }
}

impl<R: Read + Seek, T: Entry> Iterator for Entries<'_, R, T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.read_next();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}
