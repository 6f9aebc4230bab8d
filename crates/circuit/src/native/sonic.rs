//! The structured reference string of Sonic (ePrint 2019/099).
//!
//! Powers of `x` from `−d` to `d`, alone and times `α`, in both groups. `[α]₁` is not among them:
//! with it anybody could commit to polynomials that have a constant term.

use std::io::{Read, Seek, Write};

use algebra::Engine;
use wire::FileHeader;

use super::head::{ceremony_prefix, layout, prefix, read_prefix, read_transcript};
use crate::{
    Error, PointList, PointWriter,
    layout::{Counting, Layout, LayoutWriter, Slot},
};

const HEADER: FileHeader = FileHeader::new("sonicsrs", 1);
const CEREMONY: FileHeader = FileHeader::new("soniccer", 2);
const PLACE: &str = "Sonic SRS";
/// Far beyond any circuit, far below an overflow.
const MAX_DEGREE: u64 = 1 << 40;

/// A list of G1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SonicG1 {
    /// `[x^i]₁` for `i` from `−d` to `d`.
    Powers,
    /// `[αx^i]₁` for `i` from `−d` to `d` without 0.
    AlphaPowers,
}

/// A list of G2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SonicG2 {
    /// `[x^i]₂` for `i` from `−d` to `d`.
    Powers,
    /// `[αx^i]₂` for `i` from `−d` to `d`.
    AlphaPowers,
}

impl SonicG1 {
    /// The name of the list in errors.
    pub fn place(self) -> &'static str {
        match self {
            Self::Powers => "Sonic SRS, powers of x in G1",
            Self::AlphaPowers => "Sonic SRS, alpha times powers of x in G1",
        }
    }

    fn slot(self) -> usize {
        match self {
            Self::Powers => 0,
            Self::AlphaPowers => 1,
        }
    }
}

impl SonicG2 {
    /// The name of the list in errors.
    pub fn place(self) -> &'static str {
        match self {
            Self::Powers => "Sonic SRS, powers of x in G2",
            Self::AlphaPowers => "Sonic SRS, alpha times powers of x in G2",
        }
    }

    fn slot(self) -> usize {
        match self {
            Self::Powers => 2,
            Self::AlphaPowers => 3,
        }
    }
}

/// The place of everything in an SRS file, the length of the file checked.
#[derive(Clone, Debug)]
pub struct SonicSrs<E> {
    degree: u64,
    layout: Layout<E>,
}

impl<E: Engine> SonicSrs<E> {
    /// Reads the header and checks the length of the file.
    ///
    /// # Errors
    /// [`Error`] of header and length.
    pub fn open(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let degree = read_prefix::<E>(reader, HEADER, PLACE)?;
        let srs = Self::new(degree).map_err(|reason| Error::field(PLACE, "degree", reason))?;
        srs.layout.check_len(reader)?;
        Ok(srs)
    }

    /// Opens the file of a ceremony: the same with a transcript before the lists, which comes
    /// along.
    ///
    /// # Errors
    /// [`Error`] of header and length.
    pub fn open_ceremony(reader: &mut (impl Read + Seek)) -> Result<(Self, Vec<u8>), Error> {
        let degree = read_prefix::<E>(reader, CEREMONY, PLACE)?;
        let srs = Self::new(degree).map_err(|reason| Error::field(PLACE, "degree", reason));
        let mut srs = srs?;
        let transcript = read_transcript::<E>(reader, CEREMONY, PLACE)?;
        srs.layout.prefix += 4 + transcript.len() as u64;
        srs.layout.check_len(reader)?;
        Ok((srs, transcript))
    }

    fn new(degree: u64) -> Result<Self, &'static str> {
        if !(1..=MAX_DEGREE).contains(&degree) {
            return Err("the degree is out of range");
        }
        let all = 2 * degree + 1;
        let slots = vec![
            Slot::g1(SonicG1::Powers.place(), all),
            Slot::g1(SonicG1::AlphaPowers.place(), all - 1),
            Slot::g2(SonicG2::Powers.place(), all),
            Slot::g2(SonicG2::AlphaPowers.place(), all),
        ];
        Ok(Self { degree, layout: layout(PLACE, HEADER, slots) })
    }

    /// `d`.
    pub fn degree(&self) -> u64 {
        self.degree
    }

    /// A list of G1.
    pub fn g1(&self, list: SonicG1) -> PointList<E::G1> {
        self.layout.g1(list.slot())
    }

    /// A list of G2.
    pub fn g2(&self, list: SonicG2) -> PointList<E::G2> {
        self.layout.g2(list.slot())
    }

    /// Where `[x^power]₁` or `[αx^power]₁` stands in its list; `None` beyond the degree, and for
    /// `[α]₁`.
    pub fn g1_position(&self, list: SonicG1, power: i64) -> Option<u64> {
        let position = self.g2_position(power)?;
        match (list, power) {
            (SonicG1::AlphaPowers, 0) => None,
            (SonicG1::AlphaPowers, 1..) => position.checked_sub(1),
            _ => Some(position),
        }
    }

    /// Where `[x^power]₂` and `[αx^power]₂` stand in their lists; `None` beyond the degree.
    pub fn g2_position(&self, power: i64) -> Option<u64> {
        self.degree.checked_add_signed(power).filter(|position| *position <= 2 * self.degree)
    }
}

/// Writes an SRS file; the lists in the order G1 powers, G1 alpha, G2 powers, G2 alpha.
pub struct SonicWriter<W, E>(LayoutWriter<W, E>);

impl<W: Write, E: Engine> SonicWriter<W, E> {
    /// Starts a file of degree `d`.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a degree out of range; those of the writer.
    pub fn new(writer: W, degree: u64) -> Result<Self, Error> {
        let srs = SonicSrs::<E>::new(degree);
        let srs = srs.map_err(|reason| Error::Unwritable { place: PLACE, reason })?;
        let prefix = prefix::<E>(HEADER, degree);
        Ok(Self(LayoutWriter::new(writer, srs.layout, &prefix)?))
    }

    /// Starts the file of a ceremony with its transcript.
    ///
    /// # Errors
    /// Those of [`SonicWriter::new`]; [`Error::Unwritable`] for a transcript that is too long.
    pub fn ceremony(writer: W, degree: u64, transcript: &[u8]) -> Result<Self, Error> {
        let srs = SonicSrs::<E>::new(degree);
        let mut srs = srs.map_err(|reason| Error::Unwritable { place: PLACE, reason })?;
        let prefix = ceremony_prefix::<E>(CEREMONY, PLACE, degree, transcript)?;
        srs.layout.prefix = prefix.len() as u64;
        Ok(Self(LayoutWriter::new(writer, srs.layout, &prefix)?))
    }

    /// Starts the next list, which is this one of G1.
    ///
    /// # Errors
    /// [`Error::Unwritable`] out of order.
    pub fn g1(&mut self, list: SonicG1) -> Result<PointWriter<&mut Counting<W>, E::G1>, Error> {
        self.0.g1(list.slot())
    }

    /// Starts the next list, which is this one of G2.
    ///
    /// # Errors
    /// [`Error::Unwritable`] out of order.
    pub fn g2(&mut self, list: SonicG2) -> Result<PointWriter<&mut Counting<W>, E::G2>, Error> {
        self.0.g2(list.slot())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if lists are missing; those of the writer.
    pub fn finish(self) -> Result<W, Error> {
        self.0.finish(&[])
    }
}
