//! Reading `.r1cs` files.

use std::{
    io::{Read, Seek},
    marker::PhantomData,
};

use algebra::{Engine, Scalar, ScalarOf};
use wire::{DecodeError, Reader, Section, SectionTable};

use super::{
    Constraint, LinearCombination,
    header::{CONSTRAINTS, HEADER, LABELS, R1csHeader},
};
use crate::{
    Error, Format,
    curve::expect_scalar,
    record::{Records, read_section},
    scalars::scalar,
};

/// The table of contents of a `.r1cs` file.
#[derive(Clone, Debug)]
pub struct R1cs<E> {
    header: R1csHeader,
    table: SectionTable,
    constraints: Section,
    labels: Section,
    engine: PhantomData<fn() -> E>,
}

impl<E: Engine> R1cs<E> {
    /// Reads the header and checks the lengths that it fixes.
    ///
    /// # Errors
    /// [`Error`], naming the section.
    pub fn open(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let table = SectionTable::read(reader, Format::R1cs.magic(), Format::R1cs.version())?;
        let limit = 4 + E::SCALAR_LEN as u64 + 28;
        let bytes = read_section(reader, table.unique(1)?, HEADER, limit)?;
        let mut fields = Reader::new(&bytes);
        expect_scalar::<E>(&mut fields, HEADER)?;
        let header = read_header(&mut fields).map_err(Error::record(HEADER))?;
        header.check().map_err(|reason| Error::field(HEADER, "wires", reason))?;
        let (constraints, labels) = (table.unique(2)?, table.unique(3)?);
        // Each constraint has at least three counts.
        let least = 12 * u64::from(header.constraints);
        if constraints.len < least {
            return Err(Error::Len { place: CONSTRAINTS, expected: least, got: constraints.len });
        }
        let expected = 8 * u64::from(header.wires);
        if labels.len != expected {
            return Err(Error::Len { place: LABELS, expected, got: labels.len });
        }
        Ok(Self { header, table, constraints, labels, engine: PhantomData })
    }

    /// What the header counts.
    pub fn header(&self) -> R1csHeader {
        self.header
    }

    /// The sections.
    pub fn table(&self) -> &SectionTable {
        &self.table
    }

    /// Whether the circuit uses custom gates, which only PLONK has.
    pub fn has_custom_gates(&self) -> bool {
        // An unused section holds a zero count.
        [4, 5].into_iter().any(|id| self.table.unique(id).is_ok_and(|section| section.len > 4))
    }

    /// The constraints, one at a time.
    ///
    /// # Errors
    /// Those of the reader; each constraint has its own.
    pub fn constraints<'a, R: Read + Seek>(
        &self,
        reader: &'a mut R,
    ) -> Result<Constraints<'a, R, ScalarOf<E>>, Error> {
        Ok(Constraints {
            records: Records::open(reader, self.constraints, CONSTRAINTS)?,
            wires: self.header.wires,
            left: self.header.constraints,
            index: 0,
            ended: false,
            scalar: PhantomData,
        })
    }

    /// The label of each wire.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn labels<'a, R: Read + Seek>(&self, reader: &'a mut R) -> Result<Labels<'a, R>, Error> {
        let records = Records::open(reader, self.labels, LABELS)?;
        Ok(Labels { records, left: self.header.wires })
    }
}

fn read_header(fields: &mut Reader<'_>) -> Result<R1csHeader, DecodeError> {
    let header = R1csHeader {
        wires: fields.u32()?,
        public_outputs: fields.u32()?,
        public_inputs: fields.u32()?,
        private_inputs: fields.u32()?,
        labels: fields.u64()?,
        constraints: fields.u32()?,
    };
    fields.finish()?;
    Ok(header)
}

/// The constraints of a file, read one at a time; after an error there are no more.
pub struct Constraints<'a, R, S> {
    records: Records<'a, R>,
    wires: u32,
    left: u32,
    index: u64,
    ended: bool,
    scalar: PhantomData<fn() -> S>,
}

impl<R: Read + Seek, S: Scalar> Constraints<'_, R, S> {
    fn read_next(&mut self) -> Option<Result<Constraint<S>, Error>> {
        let Some(left) = self.left.checked_sub(1) else {
            return self.records.finish().err().map(Err);
        };
        self.left = left;
        let constraint = (|| {
            let (a, b, c) = (self.combination()?, self.combination()?, self.combination()?);
            Ok(Constraint { a, b, c })
        })();
        self.index += 1;
        Some(constraint)
    }

    fn combination(&mut self) -> Result<LinearCombination<S>, Error> {
        const TERM_LEN: usize = 36;
        let index = self.index;
        let terms = self.records.u32(index)? as usize;
        let bytes = self.records.take(terms.saturating_mul(TERM_LEN), index)?;
        let (terms, _) = bytes.as_chunks::<TERM_LEN>();
        let mut combination = Vec::with_capacity(terms.len());
        for term in terms {
            let mut term = Reader::new(term);
            let (wire, factor) = (|| Ok((term.u32()?, term.array()?)))()
                .map_err(Error::entry(CONSTRAINTS, index))?;
            if wire >= self.wires {
                let reason = DecodeError::invalid("wire", "is not one of the circuit's");
                return Err(Error::Entry { place: CONSTRAINTS, index, reason });
            }
            combination.push((wire, scalar(&factor, CONSTRAINTS, index)?));
        }
        Ok(combination)
    }
}

impl<R: Read + Seek, S: Scalar> Iterator for Constraints<'_, R, S> {
    type Item = Result<Constraint<S>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.read_next();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}

/// The labels of a file's wires, read one at a time.
pub struct Labels<'a, R> {
    records: Records<'a, R>,
    left: u32,
}

impl<R: Read + Seek> Iterator for Labels<'_, R> {
    type Item = Result<u64, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.records.array(0).map(u64::from_le_bytes))
    }
}
