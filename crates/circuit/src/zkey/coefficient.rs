//! The matrices of the constraint system, entry by entry.

use std::io::{Read, Seek, Write};

use algebra::{Engine, Scalar, ScalarOf};
use wire::{DecodeError, Encode, Reader, SectionBody};

use super::sections::COEFFICIENTS;
use crate::{Error, record::Records, scalars::scalar};

/// Bytes of an entry.
pub(super) const LEN: usize = 12 + 32;

/// Which factor of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrix {
    /// The left factor.
    A,
    /// The right factor.
    B,
}

/// An entry of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficient<S> {
    /// The matrix.
    pub matrix: Matrix,
    /// The row; rows beyond the circuit's constraints make the public wires independent.
    pub constraint: u32,
    /// The column.
    pub wire: u32,
    /// The entry.
    pub value: S,
}

/// Entries of section 4, read one at a time; after an error there are no more.
pub struct Coefficients<'a, R, E: Engine> {
    records: Records<'a, R>,
    left: u32,
    index: u64,
    ended: bool,
    rows: u32,
    wires: u32,
    /// Takes the two factors of Montgomery form away.
    unscale: ScalarOf<E>,
}

impl<'a, R: Read + Seek, E: Engine> Coefficients<'a, R, E> {
    pub(super) fn open(mut records: Records<'a, R>, rows: u32, wires: u32) -> Result<Self, Error> {
        let left = records.u32(0)?;
        let radix = E::montgomery_radix();
        // A power of two is not zero in a field of odd characteristic.
        let unscale = (radix * radix).invert().unwrap_or_default();
        Ok(Self { records, left, index: 0, ended: false, rows, wires, unscale })
    }

    /// Entries still to come, by the file's word.
    pub fn left(&self) -> u32 {
        self.left
    }

    fn read_next(&mut self) -> Option<Result<Coefficient<ScalarOf<E>>, Error>> {
        let Some(left) = self.left.checked_sub(1) else {
            return self.records.finish().err().map(Err);
        };
        self.left = left;
        let coefficient = self.records.array(self.index).and_then(|bytes| self.decode(&bytes));
        self.index += 1;
        Some(coefficient)
    }

    fn decode(&self, bytes: &[u8; LEN]) -> Result<Coefficient<ScalarOf<E>>, Error> {
        let mut reader = Reader::new(bytes);
        let fields = (|| Ok((reader.u32()?, reader.u32()?, reader.u32()?, reader.array()?)))();
        let (matrix, constraint, wire, value) =
            fields.map_err(Error::entry(COEFFICIENTS, self.index))?;
        let refused = |what, reason: &str| {
            Error::entry(COEFFICIENTS, self.index)(DecodeError::invalid(what, reason))
        };
        let matrix = match matrix {
            0 => Matrix::A,
            1 => Matrix::B,
            _ => return Err(refused("matrix", "is neither A nor B")),
        };
        if constraint >= self.rows {
            return Err(refused("constraint", "is beyond the domain"));
        }
        if wire >= self.wires {
            return Err(refused("signal", "is not one of the circuit's"));
        }
        let value: ScalarOf<E> = scalar(&value, COEFFICIENTS, self.index)?;
        Ok(Coefficient { matrix, constraint, wire, value: value * self.unscale })
    }
}

impl<R: Read + Seek, E: Engine> Iterator for Coefficients<'_, R, E> {
    type Item = Result<Coefficient<ScalarOf<E>>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.read_next();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}

/// Section 4 being written; it refuses more or fewer entries than announced.
#[must_use = "a list ends with `finish`"]
pub struct CoefficientWriter<'a, W, E: Engine> {
    section: SectionBody<'a, W>,
    announced: u64,
    written: u64,
    scale: ScalarOf<E>,
    buffer: Vec<u8>,
}

impl<'a, W: Write, E: Engine> CoefficientWriter<'a, W, E> {
    pub(super) fn new(mut section: SectionBody<'a, W>, count: u32) -> Result<Self, Error> {
        section.write_all(&count.to_le_bytes())?;
        let radix = E::montgomery_radix();
        let (announced, written, buffer) = (count.into(), 0, Vec::new());
        Ok(Self { section, announced, written, scale: radix * radix, buffer })
    }

    /// Appends entries.
    ///
    /// # Errors
    /// [`Error::Written`] beyond the announced number; those of the writer.
    pub fn write(&mut self, coefficients: &[Coefficient<ScalarOf<E>>]) -> Result<(), Error> {
        let written = self.written + coefficients.len() as u64;
        if written > self.announced {
            return Err(self.wrong_count(written));
        }
        for chunk in coefficients.chunks(crate::CHUNK) {
            self.buffer.clear();
            for coefficient in chunk {
                u32::from(coefficient.matrix == Matrix::B).encode(&mut self.buffer);
                coefficient.constraint.encode(&mut self.buffer);
                coefficient.wire.encode(&mut self.buffer);
                self.buffer.extend((coefficient.value * self.scale).encode());
            }
            self.section.write_all(&self.buffer)?;
        }
        self.written = written;
        Ok(())
    }

    /// Requires that the section is complete.
    ///
    /// # Errors
    /// [`Error::Written`].
    pub fn finish(self) -> Result<(), Error> {
        if self.written != self.announced {
            return Err(self.wrong_count(self.written));
        }
        Ok(self.section.finish()?)
    }

    fn wrong_count(&self, written: u64) -> Error {
        Error::Written { place: COEFFICIENTS, announced: self.announced, written }
    }
}
