//! The file of a ceremony: a whole reference string, and who made it.

use std::io::{Read, Seek, Write};

use algebra::{Affine, CurveGroup, Engine, Pairing};
use circuit::{
    Error as FileError,
    native::{TflszCrs, TflszPoints, TflszWriter},
};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{
    Error, Records,
    series::{self, Contribution, put_name, read_name},
    step::Step,
};

/// The Fiat-Shamir label of the proofs.
pub(super) const PROTOCOL: &[u8] = b"subrosa/ceremony/tflsz/v2";

/// A round of the ceremony; the [module](super) says why there are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Round {
    /// `θ`, `β`, `β̂` and `ρ`.
    First,
    /// `γ`.
    Second,
}

impl Round {
    /// 1 or 2.
    pub fn number(self) -> u8 {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }
}

/// A contribution to round 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct First<E: Engine> {
    pub name: Option<String>,
    /// The digest of the file that was contributed to, by its contributor's word.
    pub input: Digest,
    pub steps: FirstSteps<E>,
}

/// The secrets of round 1, by the points of G1 that they make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FirstSteps<E: Engine> {
    pub theta: Step<E::G1>,
    pub beta: Step<E::G1>,
    pub beta_hat: Step<E::G1>,
    pub rho: Step<E::G1>,
}

/// A contribution to round 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Second<E: Engine> {
    pub name: Option<String>,
    /// The digest of the file that was contributed to, by its contributor's word.
    pub input: Digest,
    /// `[γβ]₂`.
    pub gamma: Step<E::G2>,
}

/// Who made a reference string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record<E: Engine> {
    /// The last challenge of phase 1.
    pub phase1: [u8; 64],
    pub first: Vec<First<E>>,
    pub second: Vec<Second<E>>,
}

impl<E: Engine> Encode for First<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_name(&self.name, out);
        self.input.encode(out);
        let FirstSteps { theta, beta, beta_hat, rho } = &self.steps;
        [theta, beta, beta_hat, rho].into_iter().for_each(|step| step.encode(out));
    }
}

impl<E: Engine> Decode for First<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (name, input) = (read_name(reader)?, Digest::decode(reader)?);
        let mut step = || Step::decode(reader);
        let steps = FirstSteps { theta: step()?, beta: step()?, beta_hat: step()?, rho: step()? };
        Ok(Self { name, input, steps })
    }
}

impl<E: Engine> Encode for Second<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_name(&self.name, out);
        self.input.encode(out);
        self.gamma.encode(out);
    }
}

impl<E: Engine> Decode for Second<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (name, input) = (read_name(reader)?, Digest::decode(reader)?);
        Ok(Self { name, input, gamma: Step::decode(reader)? })
    }
}

impl<E: Engine> Encode for Record<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.phase1);
        series::put_all(&self.first, out);
        series::put_all(&self.second, out);
    }
}

impl<E: Engine> Decode for Record<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let phase1 = reader.array()?;
        Ok(Self { phase1, first: series::read_all(reader)?, second: series::read_all(reader)? })
    }
}

impl<E: Engine> Record<E> {
    pub fn new(phase1: [u8; 64]) -> Self {
        Self { phase1, first: Vec::new(), second: Vec::new() }
    }

    /// The hash of what the ceremony begins with, which the first contribution answers.
    pub fn start(&self, size: u64) -> [u8; 64] {
        let pairing = <E as Pairing>::NAME.as_bytes();
        let parts = [pairing, &size.to_le_bytes(), &self.phase1];
        series::start("subrosa/ceremony/tflsz/v2", &parts)
    }

    /// The hash before the first contribution, and after each.
    pub fn hashes(&self, size: u64) -> Vec<[u8; 64]> {
        let mut last = self.start(size);
        let mut hashes = vec![last];
        for one in &self.first {
            last = series::next(&last, one);
            hashes.push(last);
        }
        for one in &self.second {
            last = series::next(&last, one);
            hashes.push(last);
        }
        hashes
    }

    /// The contributions to both rounds, one after the other.
    pub fn contributions(&self, size: u64) -> Vec<Contribution> {
        let said = self.first.iter().map(|one| (&one.name, one.input));
        let said = said.chain(self.second.iter().map(|one| (&one.name, one.input)));
        let hashes = self.hashes(size).into_iter().skip(1);
        let one = |((name, input), hash): ((&Option<String>, _), _)| Contribution {
            name: name.clone(),
            hash,
            input,
        };
        said.zip(hashes).map(one).collect()
    }

    /// `[θ]₁`, `[β]₁`, `[β̂]₁` and `[ρ]₁` after `count` contributions.
    pub fn after(&self, count: usize) -> [Affine<E::G1>; 4] {
        match count.checked_sub(1).and_then(|last| self.first.get(last)) {
            Some(First { steps: FirstSteps { theta, beta, beta_hat, rho }, .. }) => {
                [theta.after, beta.after, beta_hat.after, rho.after]
            }
            None => [E::G1::affine_generator(); 4],
        }
    }
}

/// A file of the ceremony in memory.
pub(super) struct File<E: Engine> {
    pub points: TflszPoints<E>,
    pub record: Record<E>,
}

/// The place of the transcript in errors.
const TRANSCRIPT: &str = "tFLSZ ceremony, transcript";

impl<E: Engine> File<E> {
    /// Reads a file; all points are in their groups and none is neutral.
    pub fn read(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let (crs, record) = open::<E>(reader)?;
        Ok(Self { points: TflszPoints::read_lists(&crs, reader)?, record })
    }

    pub fn write<W: Write>(&self, writer: W) -> Result<W, Error> {
        let transcript = self.record.to_bytes();
        let out = TflszWriter::ceremony(writer, self.points.size(), &transcript)?;
        Ok(self.points.write_lists(out)?)
    }

    /// The hash that the next contribution answers.
    pub fn hash(&self) -> [u8; 64] {
        // `hashes` begins with the one before the first contribution.
        self.record.hashes(self.points.size()).pop().unwrap_or([0; 64])
    }
}

fn open<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<(TflszCrs<E>, Record<E>), Error> {
    let (crs, transcript) = TflszCrs::<E>::open_ceremony(reader)?;
    let record = Record::from_bytes(&transcript);
    let record = record.map_err(|reason| FileError::Record { place: TRANSCRIPT, reason })?;
    Ok((crs, record))
}

/// What a file says about itself. Nothing of it is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// `n`: ciphertexts that one shuffle may have.
    pub size: u64,
    /// The hash of the challenge that a further contribution to its phase 1 would answer.
    pub phase1_challenge: [u8; 64],
    /// The contributions to round 1.
    pub first: Vec<Contribution>,
    /// The contributions to round 2.
    pub second: Vec<Contribution>,
    /// The hash that the next contribution answers.
    pub challenge: [u8; 64],
}

impl Info {
    pub(super) fn new<E: Engine>(size: u64, record: &Record<E>) -> Self {
        let mut first = record.contributions(size);
        let second = first.split_off(record.first.len());
        // As in `File::hash`.
        let challenge = record.hashes(size).pop().unwrap_or([0; 64]);
        Self { size, phase1_challenge: record.phase1, first, second, challenge }
    }

    /// The round that goes on.
    pub fn round(&self) -> Round {
        if self.second.is_empty() { Round::First } else { Round::Second }
    }
}

/// Reads what a file says about itself.
///
/// # Errors
/// [`Error::File`].
pub fn info<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Info, Error> {
    let (crs, record) = open::<E>(reader)?;
    Ok(Info::new(crs.size(), &record))
}

/// The contributions to both rounds, byte by byte, of a file that should have been
/// [verified](super::verify()).
///
/// # Errors
/// [`Error::File`].
pub fn records<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Records, Error> {
    let (crs, record) = open::<E>(reader)?;
    let in_round = |round: Round, bytes: Vec<u8>| [&[round.number()], &bytes[..]].concat();
    let first = record.first.iter().map(|one| in_round(Round::First, one.to_bytes()));
    let second = record.second.iter().map(|one| in_round(Round::Second, one.to_bytes()));
    let contributions = first.chain(second).collect();
    Ok(Records::new(record.start(crs.size()), contributions))
}

/// Takes the reference string out of a file of the ceremony, which should have been
/// [verified](super::verify()).
///
/// # Errors
/// [`Error::RoundEmpty`]; [`Error::File`].
pub fn finish<E: Engine>(
    reader: &mut (impl Read + Seek),
    new: &mut impl Write,
) -> Result<(), Error> {
    let file = File::<E>::read(reader)?;
    let rounds = [(1, file.record.first.len()), (2, file.record.second.len())];
    for (round, count) in rounds {
        if count == 0 {
            return Err(Error::RoundEmpty { round });
        }
    }
    file.points.write(new)?;
    Ok(())
}
