//! Phase 1 challenges and responses.
//!
//! A hash of 64 bytes, then `[τ^i]₁`, `[τ^i]₂`, `[ατ^i]₁`, `[βτ^i]₁`, `[β]₂`: uncompressed in a
//! challenge, compressed in a response, which ends with its contributor's public key, uncompressed.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    marker::PhantomData,
};

use algebra::{Dialect, Engine, PointForm};
use wire::Reader;

use crate::{
    Error, PointList, PointWriter,
    layout::{Counting, Layout, LayoutWriter, Slot},
    ptau::{G1Section, G2Section, PowersPublicKey, PtauHeader},
    record::Fields,
};

const HASH_LEN: u64 = 64;

/// Which of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PowersKind {
    /// What a contributor receives: the hash of the response before, and uncompressed points.
    Challenge,
    /// What a contributor returns: the hash of the challenge, compressed points, the public key.
    Response,
}

impl PowersKind {
    fn form(self, dialect: Dialect) -> PointForm {
        match self {
            Self::Challenge => PointForm::Uncompressed(dialect),
            Self::Response => PointForm::Compressed(dialect),
        }
    }
}

/// The place of everything in a challenge or response, the length of the file checked.
#[derive(Clone, Debug)]
pub struct PowersFile<E> {
    kind: PowersKind,
    power: u32,
    key_form: PointForm,
    layout: Layout<E>,
}

impl<E: Engine> PowersFile<E> {
    /// Checks that a file has the length of its kind and power.
    ///
    /// # Errors
    /// [`Error::Len`]; [`Error::Record`] for a power out of range; those of the reader.
    pub fn open(
        reader: &mut (impl Read + Seek),
        kind: PowersKind,
        power: u32,
        dialect: Dialect,
    ) -> Result<Self, Error> {
        let file = Self::new(kind, power, dialect);
        let file = file.map_err(|reason| Error::field(place(kind), "power", reason))?;
        file.layout.check_len(reader)?;
        Ok(file)
    }

    fn new(kind: PowersKind, power: u32, dialect: Dialect) -> Result<Self, &'static str> {
        PtauHeader::new(power).check::<E>()?;
        let key_form = PointForm::Uncompressed(dialect);
        let suffix = match kind {
            PowersKind::Challenge => 0,
            PowersKind::Response => PowersPublicKey::<E>::form_len(key_form) as u64,
        };
        let slots = vec![
            Slot::g1("powers file, tauG1", G1Section::Tau.len(power)),
            Slot::g2("powers file, tauG2", G2Section::Tau.len(power)),
            Slot::g1("powers file, alphaTauG1", G1Section::AlphaTau.len(power)),
            Slot::g1("powers file, betaTauG1", G1Section::BetaTau.len(power)),
            Slot::g2("powers file, betaG2", G2Section::Beta.len(power)),
        ];
        let (place, form, prefix) = (place(kind), kind.form(dialect), HASH_LEN);
        let layout = Layout { place, form, prefix, slots, suffix, engine: PhantomData };
        Ok(Self { kind, power, key_form, layout })
    }

    /// The power of which a file of this kind is as long; `None` if there is none.
    pub fn power_of_len(kind: PowersKind, len: u64) -> Option<u32> {
        // A power of which there is no file has no length.
        let len_of = |power| Self::new(kind, power, Dialect::Bellman).ok().map(|f| f.len());
        (1..=E::TWO_ADICITY).find(|power| len_of(*power) == Some(len))
    }

    /// Bytes of the file.
    #[expect(clippy::len_without_is_empty, reason = "no file is empty")]
    pub fn len(&self) -> u64 {
        self.layout.total()
    }

    /// The binary logarithm of the number of powers.
    pub fn power(&self) -> u32 {
        self.power
    }

    /// The hash of the file before: of the response that a challenge follows, or of the challenge
    /// that a response answers.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn previous_hash(&self, reader: &mut (impl Read + Seek)) -> Result<[u8; 64], Error> {
        Layout::<E>::read_at(reader, 0)
    }

    /// A list of G1; there are no Lagrange sections.
    ///
    /// # Errors
    /// [`Error::Range`] for a Lagrange section.
    pub fn g1(&self, section: G1Section) -> Result<PointList<E::G1>, Error> {
        Ok(self.layout.g1(g1_slot(section)?))
    }

    /// A list of G2; there is no Lagrange section.
    ///
    /// # Errors
    /// [`Error::Range`] for a Lagrange section.
    pub fn g2(&self, section: G2Section) -> Result<PointList<E::G2>, Error> {
        Ok(self.layout.g2(g2_slot(section)?))
    }

    /// The public key at the end of a response; `None` in a challenge.
    ///
    /// # Errors
    /// [`Error::Entry`] naming the point; those of the reader.
    pub fn public_key(
        &self,
        reader: &mut (impl Read + Seek),
    ) -> Result<Option<PowersPublicKey<E>>, Error> {
        if self.kind == PowersKind::Challenge {
            return Ok(None);
        }
        let mut bytes = vec![0; PowersPublicKey::<E>::form_len(self.key_form)];
        reader.seek(SeekFrom::Start(self.len() - self.layout.suffix))?;
        reader.read_exact(&mut bytes)?;
        let (form, place) = (self.key_form, self.layout.place);
        let mut fields = Fields { reader: Reader::new(&bytes), form, place, index: 0 };
        PowersPublicKey::read(&mut fields).map(Some)
    }
}

fn place(kind: PowersKind) -> &'static str {
    match kind {
        PowersKind::Challenge => "challenge file",
        PowersKind::Response => "response file",
    }
}

fn g1_slot(section: G1Section) -> Result<usize, Error> {
    match section {
        G1Section::Tau => Ok(0),
        G1Section::AlphaTau => Ok(2),
        G1Section::BetaTau => Ok(3),
        _ => Err(Error::Range { place: section.place(), start: 0, end: 0, len: 0 }),
    }
}

fn g2_slot(section: G2Section) -> Result<usize, Error> {
    match section {
        G2Section::Tau => Ok(1),
        G2Section::Beta => Ok(4),
        G2Section::LagrangeTau => {
            Err(Error::Range { place: section.place(), start: 0, end: 0, len: 0 })
        }
    }
}

/// Writes a challenge or response; the lists in the order of the file.
pub struct PowersWriter<W, E> {
    key_form: PointForm,
    lists: LayoutWriter<W, E>,
}

impl<W: Write, E: Engine> PowersWriter<W, E> {
    /// Starts a file with the hash of the file before.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a power out of range; those of the writer.
    pub fn new(
        writer: W,
        kind: PowersKind,
        power: u32,
        dialect: Dialect,
        previous_hash: &[u8; 64],
    ) -> Result<Self, Error> {
        let file = PowersFile::new(kind, power, dialect);
        let file = file.map_err(|reason| Error::Unwritable { place: place(kind), reason })?;
        let lists = LayoutWriter::new(writer, file.layout, previous_hash)?;
        Ok(Self { key_form: file.key_form, lists })
    }

    /// Starts the next list, which is this one of G1.
    ///
    /// # Errors
    /// [`Error::Unwritable`] out of order.
    pub fn g1(
        &mut self,
        section: G1Section,
    ) -> Result<PointWriter<&mut Counting<W>, E::G1>, Error> {
        self.lists.g1(g1_slot(section)?)
    }

    /// Starts the next list, which is this one of G2.
    ///
    /// # Errors
    /// [`Error::Unwritable`] out of order.
    pub fn g2(
        &mut self,
        section: G2Section,
    ) -> Result<PointWriter<&mut Counting<W>, E::G2>, Error> {
        self.lists.g2(g2_slot(section)?)
    }

    /// Ends a challenge.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if lists are missing, or in a response; those of the writer.
    pub fn finish_challenge(self) -> Result<W, Error> {
        self.lists.finish(&[])
    }

    /// Ends a response with its public key.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if lists are missing, or in a challenge; those of the writer.
    pub fn finish_response(self, key: &PowersPublicKey<E>) -> Result<W, Error> {
        let mut bytes = Vec::new();
        key.write_form(self.key_form, &mut bytes);
        self.lists.finish(&bytes)
    }
}
