//! Reading `.ptau` files.

use std::{
    io::{Read, Seek},
    marker::PhantomData,
};

use algebra::{CurveGroup, Engine, PointForm};
use wire::{Reader, Section, SectionError, SectionTable};

use super::{
    Contribution, G1Section, G2Section, PtauHeader,
    contribution::{self, PLACE as CONTRIBUTIONS},
    sections::domain_start,
};
use crate::{
    Entries, Error, Format, PointList,
    curve::expect_base,
    native,
    record::{Records, read_section},
};

const HEADER: &str = "ptau section 1 (header)";

/// The table of contents of a `.ptau` file, whose lengths are all checked.
///
/// It holds no reader: any handle on the same bytes will do, in any number of threads.
#[derive(Clone, Debug)]
pub struct Ptau<E> {
    header: PtauHeader,
    table: SectionTable,
    contributions: Section,
    engine: PhantomData<fn() -> E>,
}

impl<E: Engine> Ptau<E> {
    /// Reads header and table, and checks the length of every section against the power.
    ///
    /// # Errors
    /// [`Error`], naming the section.
    pub fn open(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let table = SectionTable::read(reader, Format::Ptau.magic(), Format::Ptau.version())?;
        let section = table.unique(1)?;
        let expected = 4 + E::BASE_LEN as u64 + 8;
        if section.len > expected {
            return Err(Error::Len { place: HEADER, expected, got: section.len });
        }
        let bytes = read_section(reader, section, HEADER, expected)?;
        let mut fields = Reader::new(&bytes);
        expect_base::<E>(&mut fields, HEADER)?;
        let header = (|| {
            let header = PtauHeader { power: fields.u32()?, ceremony_power: fields.u32()? };
            fields.finish()?;
            Ok(header)
        })()
        .map_err(Error::record(HEADER))?;
        header.check::<E>().map_err(|reason| Error::field(HEADER, "power", reason))?;
        let contributions = table.unique(contribution::ID)?;
        let ptau = Self { header, table, contributions, engine: PhantomData };
        ptau.check_lengths()?;
        Ok(ptau)
    }

    fn check_lengths(&self) -> Result<(), Error> {
        // The first four of G1 and two of G2 are in every file, the Lagrange sections all or none.
        let prepared = (12..=15).any(|id| self.table.has(id));
        for section in G1Section::ALL {
            if prepared || section.largest_domain(self.header.power).is_none() {
                self.g1(section)?;
            }
        }
        for section in G2Section::ALL {
            if prepared || section != G2Section::LagrangeTau {
                self.g2(section)?;
            }
        }
        Ok(())
    }

    /// What the header says.
    pub fn header(&self) -> PtauHeader {
        self.header
    }

    /// The sections, to copy some as they are.
    pub fn table(&self) -> &SectionTable {
        &self.table
    }

    /// Whether the file has Lagrange sections: whether it was prepared for phase 2.
    pub fn is_prepared(&self) -> bool {
        self.table.has(G1Section::LagrangeTau.id())
    }

    /// Whether the file was prepared before snarkjs needed the domain of `2^(power+1)` points.
    pub fn lacks_largest_domain(&self) -> bool {
        let domain = self.header.power + 1;
        self.is_prepared() && self.lagrange_g1(G1Section::LagrangeTau, domain).is_err()
    }

    /// A whole section of G1. Only Lagrange sections may hold the neutral element.
    ///
    /// # Errors
    /// [`SectionError::Missing`] for Lagrange sections of an unprepared file.
    pub fn g1(&self, section: G1Section) -> Result<PointList<E::G1>, Error> {
        let power = self.header.power;
        let expected = section.len(power);
        let old = match section {
            G1Section::LagrangeTau => domain_start(power + 1),
            _ => expected,
        };
        let lengths = [expected, old];
        let list = self.list(section.id(), section.place(), lengths)?;
        let is_lagrange = section.largest_domain(power).is_some();
        Ok(if is_lagrange { list.with_infinity() } else { list })
    }

    /// A whole section of G2. Only Lagrange sections may hold the neutral element.
    ///
    /// # Errors
    /// [`SectionError::Missing`] for the Lagrange section of an unprepared file.
    pub fn g2(&self, section: G2Section) -> Result<PointList<E::G2>, Error> {
        let len = section.len(self.header.power);
        let list = self.list(section.id(), section.place(), [len, len])?;
        Ok(if section == G2Section::LagrangeTau { list.with_infinity() } else { list })
    }

    /// The part of a Lagrange section for the domain of `2^log_size` points.
    ///
    /// # Errors
    /// [`Error::Range`] if the file has no domain of this size; [`SectionError::Missing`] if it was
    /// not prepared, or the section is none of these.
    pub fn lagrange_g1(
        &self,
        section: G1Section,
        log_size: u32,
    ) -> Result<PointList<E::G1>, Error> {
        let largest = section.largest_domain(self.header.power);
        let largest = largest.ok_or(SectionError::Missing(section.id()))?;
        self.g1(section)?.domain(log_size, largest)
    }

    /// The part of the Lagrange section of G2 for the domain of `2^log_size` points.
    ///
    /// # Errors
    /// Those of [`Ptau::lagrange_g1`].
    pub fn lagrange_g2(&self, log_size: u32) -> Result<PointList<E::G2>, Error> {
        self.g2(G2Section::LagrangeTau)?.domain(log_size, self.header.power)
    }

    /// The contributions, one at a time, first to last.
    ///
    /// # Errors
    /// Those of the reader; each contribution has its own.
    pub fn contributions<'a, R: Read + Seek>(
        &self,
        reader: &'a mut R,
    ) -> Result<Entries<'a, R, Contribution<E>>, Error> {
        Entries::open(Records::open(reader, self.contributions, CONTRIBUTIONS)?)
    }

    /// Whether the file is of a native ceremony: it has a section with the transcript of one.
    pub fn is_native(&self) -> bool {
        self.table.has(native::TRANSCRIPT_ID)
    }

    /// The transcript of a native ceremony.
    ///
    /// # Errors
    /// [`SectionError::Missing`] if there is none; [`Error::Record`] for one of another version.
    pub fn transcript(&self, reader: &mut (impl Read + Seek)) -> Result<Vec<u8>, Error> {
        native::PHASE1.read(reader, &self.table)
    }

    fn list<G: CurveGroup>(
        &self,
        id: u32,
        place: &'static str,
        lengths: [u64; 2],
    ) -> Result<PointList<G>, Error> {
        let section = self.table.unique(id)?;
        let form = PointForm::Montgomery;
        let width = G::form_len(form) as u64;
        let found = lengths.into_iter().find(|len| len * width == section.len);
        // Of two lengths one is the most.
        let expected = lengths.into_iter().max().unwrap_or_default() * width;
        let len = found.ok_or(Error::Len { place, expected, got: section.len })?;
        Ok(PointList::new(place, section.offset, len, form))
    }
}

impl<G: CurveGroup> PointList<G> {
    /// The block of a Lagrange section for a domain, whose size `largest` bounds.
    fn domain(&self, log_size: u32, largest: u32) -> Result<Self, Error> {
        // Sizes beyond the largest are never shifted by.
        let log_size = log_size.min(largest + 1);
        self.part(domain_start(log_size), 1 << log_size)
    }
}
