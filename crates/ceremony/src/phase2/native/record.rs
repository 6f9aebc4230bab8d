//! The transcript in the key.

use std::io::{Read, Seek};

use algebra::{Affine, AffineGroup, Engine, Group, Pairing};
use circuit::{
    Error as FileError,
    zkey::{Zkey, ZkeyHeader},
};
use wire::{Decode, DecodeError, Encode, Reader};

use super::Contribution;
use crate::{Error, Records, knowledge::Knowledge, series, step::point, turns::Turns};

/// The label of the chain and of the proofs.
pub(super) const PROTOCOL: &str = "subrosa/ceremony/phase2/v2";

/// The `[δ]₁` that a turn left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct After<E: Engine>(pub Affine<E::G1>);

/// Everybody who contributed.
pub(super) type Record<E> = Turns<After<E>, Knowledge<E>>;

impl<E: Engine> Encode for After<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(E::G1::from_affine(&self.0).encode());
    }
}

impl<E: Engine> Decode for After<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(point::<E::G1>(reader, "[delta]1")?))
    }
}

/// The hash that the first contribution answers: of the circuit hash, and of what that leaves open.
pub(super) fn start<E: Engine>(header: &ZkeyHeader<E>, circuit_hash: &[u8; 64]) -> [u8; 64] {
    let counts = [header.variables, header.public, header.domain_size];
    let counts: Vec<_> = counts.into_iter().flat_map(u32::to_le_bytes).collect();
    series::start(PROTOCOL, &[<E as Pairing>::NAME.as_bytes(), &counts, circuit_hash])
}

/// A key that is open, and its ceremony.
pub(super) struct File<E: Engine> {
    pub zkey: Zkey<E>,
    pub circuit_hash: [u8; 64],
    pub record: Record<E>,
}

impl<E: Engine> File<E> {
    pub fn open(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let zkey = Zkey::<E>::open(reader)?;
        Self::of(zkey, reader)
    }

    /// The ceremony of a key, or of its record.
    pub fn of(zkey: Zkey<E>, reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        if !zkey.is_native() {
            return Err(Error::NotNative);
        }
        if zkey.contributions(reader)?.next().transpose()?.is_some() {
            return Err(Error::TwoCeremonies);
        }
        let record = Record::from_bytes(&zkey.transcript(reader)?);
        let place = "zkey section 100 (native transcript)";
        let record = record.map_err(|reason| FileError::Record { place, reason })?;
        Ok(Self { circuit_hash: zkey.circuit_hash(reader)?, zkey, record })
    }

    /// The hash that the first contribution answers.
    pub fn start(&self) -> [u8; 64] {
        start(self.zkey.header(), &self.circuit_hash)
    }
}

/// The `[δ]₁` that the last contribution left.
pub(in crate::phase2) fn last_delta<E: Engine>(
    reader: &mut (impl Read + Seek),
) -> Result<Affine<E::G1>, Error> {
    Ok(File::<E>::open(reader)?.record.after()?.0)
}

/// Whether a `.zkey` file is of a native ceremony.
///
/// # Errors
/// [`Error::File`].
pub fn is_native<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<bool, Error> {
    Ok(Zkey::<E>::open(reader)?.is_native())
}

/// What a key says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Wires, the constant one included.
    pub variables: u32,
    /// Public wires, the constant one not included.
    pub public: u32,
    /// Rows, rounded up to a power of two.
    pub domain_size: u32,
    /// The circuit hash.
    pub circuit_hash: [u8; 64],
    /// The contributions, first to last.
    pub contributions: Vec<Contribution>,
    /// The hash that the next contribution answers.
    pub challenge: [u8; 64],
}

impl Info {
    pub(super) fn new<E: Engine>(file: &File<E>) -> Self {
        let (header, start) = (file.zkey.header(), file.start());
        Self {
            variables: header.variables,
            public: header.public,
            domain_size: header.domain_size,
            circuit_hash: file.circuit_hash,
            contributions: file.record.contributions(start),
            challenge: file.record.last_hash(start),
        }
    }
}

/// Reads what a key says about itself. Nothing of it is checked.
///
/// # Errors
/// [`Error::NotNative`], [`Error::TwoCeremonies`]; [`Error::File`].
pub fn info<E: Engine>(key: &mut (impl Read + Seek)) -> Result<Info, Error> {
    Ok(Info::new(&File::<E>::open(key)?))
}

/// The contributions, byte by byte, of a key that should have been [verified](super::verify()).
///
/// # Errors
/// Those of [`info`].
pub fn records<E: Engine>(key: &mut (impl Read + Seek)) -> Result<Records, Error> {
    let file = File::<E>::open(key)?;
    Ok(file.record.records(file.start()))
}
