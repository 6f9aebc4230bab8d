//! The file of a ceremony: a whole reference string, and who made it.

use std::io::{Read, Seek, Write};

use algebra::{Affine, CurveGroup, Engine, Pairing};
use circuit::{
    Error as FileError,
    native::{SonicG1, SonicG2, SonicSrs, SonicWriter},
};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{
    Error, Records,
    series::{self, Contribution, put_name, read_name},
    step::Step,
};

/// The Fiat-Shamir label of the proofs.
pub(super) const PROTOCOL: &[u8] = b"subrosa/ceremony/sonic/v2";

/// A contribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn<E: Engine> {
    pub name: Option<String>,
    /// The digest of the file that was contributed to, by its contributor's word.
    pub input: Digest,
    /// `[x]₁`.
    pub x: Step<E::G1>,
    /// `[α]₂`. There is no field for a point of G1 that has a factor `α`.
    pub alpha: Step<E::G2>,
}

/// Who made a reference string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record<E: Engine>(pub Vec<Turn<E>>);

impl<E: Engine> Encode for Turn<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_name(&self.name, out);
        self.input.encode(out);
        self.x.encode(out);
        self.alpha.encode(out);
    }
}

impl<E: Engine> Decode for Turn<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (name, input) = (read_name(reader)?, Digest::decode(reader)?);
        Ok(Self { name, input, x: Step::decode(reader)?, alpha: Step::decode(reader)? })
    }
}

impl<E: Engine> Encode for Record<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        series::put_all(&self.0, out);
    }
}

impl<E: Engine> Decode for Record<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(series::read_all(reader)?))
    }
}

impl<E: Engine> Record<E> {
    /// The hash of what the ceremony begins with, which the first contribution answers.
    pub fn start(&self, degree: u64) -> [u8; 64] {
        let parts = [<E as Pairing>::NAME.as_bytes(), &degree.to_le_bytes()];
        series::start("subrosa/ceremony/sonic/v2", &parts)
    }

    /// The hash before the first contribution, and after each.
    pub fn hashes(&self, degree: u64) -> Vec<[u8; 64]> {
        let mut last = self.start(degree);
        let mut hashes = vec![last];
        for turn in &self.0 {
            last = series::next(&last, turn);
            hashes.push(last);
        }
        hashes
    }
}

/// All points of a reference string, in the order of the file. Position `d` is the power 0.
pub(super) struct Points<E: Engine> {
    pub degree: usize,
    /// `[x^i]₁`.
    pub powers: Vec<Affine<E::G1>>,
    /// `[αx^i]₁`, without `i = 0`.
    pub alpha_powers: Vec<Affine<E::G1>>,
    /// `[x^i]₂`.
    pub powers_g2: Vec<Affine<E::G2>>,
    /// `[αx^i]₂`.
    pub alpha_powers_g2: Vec<Affine<E::G2>>,
}

impl<E: Engine> Points<E> {
    /// Reads an open file. All points are in their groups and none is neutral.
    pub fn read(srs: &SonicSrs<E>, reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        Ok(Self {
            degree: srs.degree() as usize,
            powers: srs.g1(SonicG1::Powers).read_all(reader)?,
            alpha_powers: srs.g1(SonicG1::AlphaPowers).read_all(reader)?,
            powers_g2: srs.g2(SonicG2::Powers).read_all(reader)?,
            alpha_powers_g2: srs.g2(SonicG2::AlphaPowers).read_all(reader)?,
        })
    }

    pub fn write<W: Write>(&self, mut out: SonicWriter<W, E>) -> Result<W, Error> {
        for (list, points) in
            [(SonicG1::Powers, &self.powers), (SonicG1::AlphaPowers, &self.alpha_powers)]
        {
            let mut list = out.g1(list)?;
            list.write(points)?;
            list.finish()?;
        }
        for (list, points) in
            [(SonicG2::Powers, &self.powers_g2), (SonicG2::AlphaPowers, &self.alpha_powers_g2)]
        {
            let mut list = out.g2(list)?;
            list.write(points)?;
            list.finish()?;
        }
        Ok(out.finish()?)
    }

    /// `[x]₁`.
    pub fn x(&self) -> Affine<E::G1> {
        let generator = E::G1::affine_generator();
        // The lists have 2d + 1 places, and d is at least 1 (`SonicSrs`); so below.
        self.powers.get(self.degree + 1).copied().unwrap_or(generator)
    }

    /// `[x]₂`.
    pub fn x_g2(&self) -> Affine<E::G2> {
        let generator = E::G2::affine_generator();
        self.powers_g2.get(self.degree + 1).copied().unwrap_or(generator)
    }

    /// `[α]₂`.
    pub fn alpha_g2(&self) -> Affine<E::G2> {
        let generator = E::G2::affine_generator();
        self.alpha_powers_g2.get(self.degree).copied().unwrap_or(generator)
    }
}

/// The place of the transcript in errors.
const TRANSCRIPT: &str = "Sonic ceremony, transcript";

pub(super) fn open<E: Engine>(
    reader: &mut (impl Read + Seek),
) -> Result<(SonicSrs<E>, Record<E>), Error> {
    let (srs, transcript) = SonicSrs::<E>::open_ceremony(reader)?;
    let record = Record::from_bytes(&transcript);
    let record = record.map_err(|reason| FileError::Record { place: TRANSCRIPT, reason })?;
    Ok((srs, record))
}

/// What a file says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// `d`.
    pub degree: u64,
    /// The contributions, first to last.
    pub contributions: Vec<Contribution>,
    /// The hash that the next contribution answers.
    pub challenge: [u8; 64],
}

impl Info {
    pub(super) fn new<E: Engine>(degree: u64, record: &Record<E>) -> Self {
        let hashes = record.hashes(degree);
        // `hashes` begins with the one before the first contribution.
        let challenge = hashes.last().copied().unwrap_or([0; 64]);
        let pairs = record.0.iter().zip(hashes.into_iter().skip(1));
        let one = |(turn, hash): (&Turn<E>, _)| {
            let Turn { name, input, .. } = turn;
            Contribution { name: name.clone(), hash, input: *input }
        };
        Self { degree, contributions: pairs.map(one).collect(), challenge }
    }
}

/// The contributions, byte by byte, of a file that should have been [verified](super::verify()).
///
/// # Errors
/// [`Error::File`].
pub fn records<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Records, Error> {
    let (srs, record) = open::<E>(reader)?;
    let contributions = record.0.iter().map(Encode::to_bytes).collect();
    Ok(Records::new(record.start(srs.degree()), contributions))
}

/// Reads what a file says about itself. Nothing of it is checked.
///
/// # Errors
/// [`Error::File`].
pub fn info<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Info, Error> {
    let (srs, record) = open::<E>(reader)?;
    Ok(Info::new(srs.degree(), &record))
}

/// Takes the reference string out of a file of the ceremony, which should have been
/// [verified](super::verify()).
///
/// # Errors
/// [`Error::NoContributions`]; [`Error::File`].
pub fn finish<E: Engine>(
    reader: &mut (impl Read + Seek),
    new: &mut impl Write,
) -> Result<(), Error> {
    let (srs, record) = open::<E>(reader)?;
    if record.0.is_empty() {
        return Err(Error::NoContributions);
    }
    let points = Points::read(&srs, reader)?;
    points.write(SonicWriter::new(new, srs.degree())?)?;
    Ok(())
}
