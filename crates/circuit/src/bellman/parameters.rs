//! Groth16 parameters of bellman, alone or with the ceremony behind them (`MPCParameters`).
//!
//! `α₁ β₁ β₂ γ₂ δ₁ δ₂`, then `IC`, `h`, `l`, `a`, `b₁`, `b₂`, each behind a 32-bit count, all
//! uncompressed and big-endian; then, in a ceremony, the circuit hash, a count, and the public keys.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    marker::PhantomData,
};

use algebra::{CurveGroup, Dialect, Engine, PointForm};
use wire::{DecodeError, Reader, Section};

use crate::{
    Error, PointList, PointWriter,
    record::{Fields, Records},
    zkey::{Contribution, KeyPoints},
};

const PLACE: &str = "bellman parameters";
const CEREMONY: &str = "bellman parameters, contributions";
const B_G2: &str = "bellman parameters, b2";

/// A list of G1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum G1Part {
    /// The constant and the public wires, under `γ`.
    Ic,
    /// `[τ^i Z(τ)/δ]₁`.
    H,
    /// The other wires, under `δ`.
    L,
    /// `[u_i(τ)]₁`; bellman leaves zeros out, snarkjs does not.
    A,
    /// `[v_i(τ)]₁`, likewise.
    B,
}

impl G1Part {
    /// All of them, in the order of the file.
    pub const ALL: [Self; 5] = [Self::Ic, Self::H, Self::L, Self::A, Self::B];

    /// The list's name in errors.
    pub fn place(self) -> &'static str {
        match self {
            Self::Ic => "bellman parameters, ic",
            Self::H => "bellman parameters, h",
            Self::L => "bellman parameters, l",
            Self::A => "bellman parameters, a",
            Self::B => "bellman parameters, b1",
        }
    }
}

/// The place of everything in a parameter file.
#[derive(Clone, Debug)]
pub struct Parameters<E: Engine> {
    points: KeyPoints<E>,
    lists: [PointList<E::G1>; 5],
    b_g2: PointList<E::G2>,
    /// From the circuit hash to the end of the file.
    ceremony: Option<Section>,
    form: PointForm,
}

/// The ceremony behind parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ceremony<E: Engine> {
    /// The hash of the initial parameters, thus of circuit and phase 1.
    pub circuit_hash: [u8; 64],
    /// What contributors added, first to last; these files do not say who they are.
    pub contributions: Vec<Contribution<E>>,
}

impl<E: Engine> Parameters<E> {
    /// Reads the points that stand alone and finds the lists, whose counts are checked against the
    /// length of the file.
    ///
    /// # Errors
    /// [`Error`], naming the list.
    pub fn open(reader: &mut (impl Read + Seek), dialect: Dialect) -> Result<Self, Error> {
        let form = PointForm::Uncompressed(dialect);
        let end = reader.seek(SeekFrom::End(0))?;
        let whole = Section { id: 0, offset: 0, len: end };
        let bytes = Records::open(reader, whole, PLACE)?.take(KeyPoints::<E>::form_len(form), 0)?;
        let mut fields = Fields { reader: Reader::new(&bytes), form, place: PLACE, index: 0 };
        let points = KeyPoints::read(&mut fields)?;

        let mut cursor = Cursor { reader, offset: bytes.len() as u64, end, form };
        let [ic, h, l, a, b] = G1Part::ALL.map(G1Part::place);
        let lists = [
            cursor.list(ic)?.with_infinity(),
            cursor.list(h)?,
            cursor.list(l)?.with_infinity(),
            cursor.list(a)?.with_infinity(),
            cursor.list(b)?.with_infinity(),
        ];
        let b_g2 = cursor.list(B_G2)?.with_infinity();
        let rest = Section { id: 0, offset: cursor.offset, len: end - cursor.offset };
        let ceremony = (rest.len > 0).then_some(rest);
        Ok(Self { points, lists, b_g2, ceremony, form })
    }

    /// The points that stand alone.
    pub fn points(&self) -> &KeyPoints<E> {
        &self.points
    }

    /// A list of G1.
    pub fn g1(&self, part: G1Part) -> PointList<E::G1> {
        let [ic, h, l, a, b] = self.lists;
        match part {
            G1Part::Ic => ic,
            G1Part::H => h,
            G1Part::L => l,
            G1Part::A => a,
            G1Part::B => b,
        }
    }

    /// `b₂`, the list of G2.
    pub fn b_g2(&self) -> PointList<E::G2> {
        self.b_g2
    }

    /// The circuit hash and the contributions behind it; `None` in parameters alone.
    ///
    /// # Errors
    /// [`Error::Entry`], naming contribution and field; those of the reader.
    pub fn ceremony(&self, reader: &mut (impl Read + Seek)) -> Result<Option<Ceremony<E>>, Error> {
        let Some(section) = self.ceremony else { return Ok(None) };
        let mut records = Records::open(reader, section, CEREMONY)?;
        let circuit_hash = records.array(0)?;
        let count = u32::from_be_bytes(records.array(0)?);
        let mut contributions = Vec::new();
        for index in 0..u64::from(count) {
            let bytes = records.take(Contribution::<E>::key_len(self.form), index)?;
            contributions.push(Contribution::read_key(&bytes, self.form, CEREMONY, index)?);
        }
        records.finish()?;
        Ok(Some(Ceremony { circuit_hash, contributions }))
    }
}

/// Goes from one counted list to the next.
struct Cursor<'a, R> {
    reader: &'a mut R,
    offset: u64,
    end: u64,
    form: PointForm,
}

impl<R: Read + Seek> Cursor<'_, R> {
    fn list<G: CurveGroup>(&mut self, place: &'static str) -> Result<PointList<G>, Error> {
        let left = self.end - self.offset;
        let truncated = |needed: u64| Error::Record {
            place,
            reason: DecodeError::Truncated {
                // Only the message says these numbers.
                needed: usize::try_from(needed).unwrap_or(usize::MAX),
                left: usize::try_from(left).unwrap_or(usize::MAX),
            },
        };
        if left < 4 {
            return Err(truncated(4));
        }
        let mut count = [0; 4];
        self.reader.seek(SeekFrom::Start(self.offset))?;
        self.reader.read_exact(&mut count)?;
        let count = u64::from(u32::from_be_bytes(count));
        let bytes = 4 + count * G::form_len(self.form) as u64;
        if bytes > left {
            return Err(truncated(bytes));
        }
        let list = PointList::new(place, self.offset + 4, count, self.form);
        self.offset += bytes;
        Ok(list)
    }
}

/// Writes parameters; the lists in the order of [`G1Part::ALL`], then `b₂`.
pub struct ParametersWriter<W, E> {
    writer: W,
    form: PointForm,
    next: usize,
    engine: PhantomData<fn() -> E>,
}

impl<W: Write, E: Engine> ParametersWriter<W, E> {
    /// Writes the points that stand alone.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(mut writer: W, points: &KeyPoints<E>, dialect: Dialect) -> Result<Self, Error> {
        let form = PointForm::Uncompressed(dialect);
        let mut out = Vec::new();
        points.write_form(form, &mut out);
        writer.write_all(&out)?;
        Ok(Self { writer, form, next: 0, engine: PhantomData })
    }

    /// Starts a list of G1 of `count` points.
    ///
    /// # Errors
    /// [`Error::Unwritable`] out of order; those of the writer.
    pub fn g1(&mut self, part: G1Part, count: u32) -> Result<PointWriter<&mut W, E::G1>, Error> {
        let expected = G1Part::ALL.get(self.next);
        self.start(part.place(), expected == Some(&part), count)
    }

    /// Starts `b₂` of `count` points.
    ///
    /// # Errors
    /// [`Error::Unwritable`] out of order; those of the writer.
    pub fn b_g2(&mut self, count: u32) -> Result<PointWriter<&mut W, E::G2>, Error> {
        self.start(B_G2, self.next == G1Part::ALL.len(), count)
    }

    fn start<G: CurveGroup>(
        &mut self,
        place: &'static str,
        in_order: bool,
        count: u32,
    ) -> Result<PointWriter<&mut W, G>, Error> {
        if !in_order {
            return Err(Error::Unwritable { place, reason: "out of order" });
        }
        self.next += 1;
        self.writer.write_all(&count.to_be_bytes())?;
        Ok(PointWriter::new(&mut self.writer, place, count.into(), self.form))
    }

    /// Ends parameters, with their ceremony or alone.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if lists are missing; those of the writer.
    pub fn finish(mut self, ceremony: Option<&Ceremony<E>>) -> Result<W, Error> {
        if self.next != G1Part::ALL.len() + 1 {
            return Err(Error::Unwritable { place: PLACE, reason: "lists are missing" });
        }
        if let Some(Ceremony { circuit_hash, contributions }) = ceremony {
            let reason = "more than 2^32 contributions";
            let too_many = Error::Unwritable { place: CEREMONY, reason };
            let count = u32::try_from(contributions.len()).map_err(|_| too_many)?;
            let mut out = circuit_hash.to_vec();
            out.extend(count.to_be_bytes());
            contributions.iter().for_each(|one| one.write_key(self.form, &mut out));
            self.writer.write_all(&out)?;
        }
        self.writer.flush()?;
        Ok(self.writer)
    }
}
