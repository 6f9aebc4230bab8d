//! Reading `.zkey` files.

use std::io::{Read, Seek, Write};

use algebra::{CurveGroup, Engine, PointForm};
use wire::{Reader, Section, SectionTable, SectionWriter};

use super::{
    Contribution, G1Query, ZkeyHeader,
    coefficient::{self, Coefficients},
    header,
    sections::{B_G2, COEFFICIENTS, GROTH16, MPC, PROTOCOL, RECORD},
};
use crate::{
    Entries, Error, Format, PointList, native,
    record::{Records, read_section},
};

/// The table of contents of a `.zkey` file, whose lengths are all checked.
///
/// It holds no reader: any handle on the same bytes will do, in any number of threads.
#[derive(Clone, Debug)]
pub struct Zkey<E: Engine> {
    header: ZkeyHeader<E>,
    table: SectionTable,
    mpc: Section,
}

impl<E: Engine> Zkey<E> {
    /// Reads header and table, and checks the length of every section against the counts.
    ///
    /// # Errors
    /// [`Error`], naming the section.
    pub fn open(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let zkey = Self::open_some(reader)?;
        for query in G1Query::ALL {
            zkey.g1(query)?;
        }
        zkey.b_g2()?;
        zkey.check_coefficients(reader)?;
        Ok(zkey)
    }

    /// Reads a [record](Zkey::write_record): a file without the sections that only provers read, and with no
    /// others than it has.
    ///
    /// # Errors
    /// [`Error`], naming the section.
    pub fn open_record(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let zkey = Self::open_some(reader)?;
        zkey.g1(G1Query::Ic)?;
        let found = zkey.table.sections().iter().map(|section| section.id);
        match found.eq(zkey.record_sections()) {
            true => Ok(zkey),
            false => Err(Error::field(RECORD, "sections", "are not those of a record")),
        }
    }

    /// Writes what is left of the file without the sections that only provers read: header, `IC` and
    /// contributions.
    ///
    /// # Errors
    /// Those of reader and writer.
    pub fn write_record<W: Write>(
        &self,
        reader: &mut (impl Read + Seek),
        writer: W,
    ) -> Result<W, Error> {
        let sections: Vec<u32> = self.record_sections().collect();
        let (magic, version) = (Format::Zkey.magic(), Format::Zkey.version());
        let mut writer = SectionWriter::new(writer, magic, version, sections.len() as u32)?;
        for id in sections {
            let section = self.table.unique(id)?;
            writer.copy(reader, section, section.len)?;
        }
        Ok(writer.finish()?)
    }

    /// The sections of a record, in its order.
    fn record_sections(&self) -> impl Iterator<Item = u32> + use<E> {
        let transcript = self.is_native().then_some(native::TRANSCRIPT_ID);
        [1, 2, 3, 10].into_iter().chain(transcript)
    }

    /// What every file has, a record too.
    fn open_some(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let table = SectionTable::read(reader, Format::Zkey.magic(), Format::Zkey.version())?;
        let bytes = read_section(reader, table.unique(1)?, PROTOCOL, 4)?;
        let protocol = Reader::new(&bytes).u32().map_err(Error::record(PROTOCOL))?;
        if protocol != GROTH16 {
            return Err(Error::field(PROTOCOL, "protocol", "is not Groth16"));
        }
        let bytes = read_section(reader, table.unique(2)?, header::PLACE, ZkeyHeader::<E>::len())?;
        let header = ZkeyHeader::decode(&bytes)?;
        let mpc = table.unique(10)?;
        if mpc.len < 68 {
            return Err(Error::Len { place: MPC, expected: 68, got: mpc.len });
        }
        Ok(Self { header, table, mpc })
    }

    fn check_coefficients(&self, reader: &mut (impl Read + Seek)) -> Result<(), Error> {
        let section = self.table.unique(4)?;
        let count = Records::open(reader, section, COEFFICIENTS)?.u32(0)?;
        let expected = 4 + u64::from(count) * coefficient::LEN as u64;
        if section.len != expected {
            return Err(Error::Len { place: COEFFICIENTS, expected, got: section.len });
        }
        Ok(())
    }

    /// What the header says.
    pub fn header(&self) -> &ZkeyHeader<E> {
        &self.header
    }

    /// The sections, to copy some as they are.
    pub fn table(&self) -> &SectionTable {
        &self.table
    }

    /// A section of G1. All but `H` may hold the neutral element.
    ///
    /// # Errors
    /// [`Error::Len`] cannot occur any more after [`Zkey::open`].
    pub fn g1(&self, query: G1Query) -> Result<PointList<E::G1>, Error> {
        let list = self.list(query.id(), query.place(), query.len(&self.header))?;
        Ok(if query == G1Query::H { list } else { list.with_infinity() })
    }

    /// Section 7, which may hold the neutral element.
    ///
    /// # Errors
    /// [`Error::Len`] cannot occur any more after [`Zkey::open`].
    pub fn b_g2(&self) -> Result<PointList<E::G2>, Error> {
        Ok(self.list(7, B_G2, self.header.variables.into())?.with_infinity())
    }

    /// The matrices, entry by entry.
    ///
    /// # Errors
    /// Those of the reader; each entry has its own.
    pub fn coefficients<'a, R: Read + Seek>(
        &self,
        reader: &'a mut R,
    ) -> Result<Coefficients<'a, R, E>, Error> {
        let records = Records::open(reader, self.table.unique(4)?, COEFFICIENTS)?;
        Coefficients::open(records, self.header.domain_size, self.header.variables)
    }

    /// The circuit hash: of the initial key, thus of circuit and phase 1.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn circuit_hash(&self, reader: &mut (impl Read + Seek)) -> Result<[u8; 64], Error> {
        Records::open(reader, self.mpc, MPC)?.array(0)
    }

    /// The contributions, one at a time, first to last.
    ///
    /// # Errors
    /// Those of the reader; each contribution has its own.
    pub fn contributions<'a, R: Read + Seek>(
        &self,
        reader: &'a mut R,
    ) -> Result<Entries<'a, R, Contribution<E>>, Error> {
        let mut records = Records::open(reader, self.mpc, MPC)?;
        let _circuit_hash: [u8; 64] = records.array(0)?;
        Entries::open(records)
    }

    /// Whether the key is of a native ceremony: it has a section with the transcript of one.
    pub fn is_native(&self) -> bool {
        self.table.has(native::TRANSCRIPT_ID)
    }

    /// The transcript of a native ceremony.
    ///
    /// # Errors
    /// [`Error`] if there is none, or one of another version.
    pub fn transcript(&self, reader: &mut (impl Read + Seek)) -> Result<Vec<u8>, Error> {
        native::PHASE2.read(reader, &self.table)
    }

    fn list<G: CurveGroup>(
        &self,
        id: u32,
        place: &'static str,
        len: u64,
    ) -> Result<PointList<G>, Error> {
        let section = self.table.unique(id)?;
        let form = PointForm::Montgomery;
        let expected = len * G::form_len(form) as u64;
        if section.len != expected {
            return Err(Error::Len { place, expected, got: section.len });
        }
        Ok(PointList::new(place, section.offset, len, form))
    }
}
