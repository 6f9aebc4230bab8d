//! Which curves a file is over.

use std::io::{Read, Seek};

use algebra::{Bls12381, Bn254, Engine, Pairing};
use wire::{Reader, SectionTable};

use crate::{Error, record::read_section};

/// The pairings that the formats know, to dispatch on before any generic code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Curve {
    /// BN254, which these tools call bn128.
    Bn254,
    /// BLS12-381.
    Bls12381,
}

impl Curve {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Bn254, Self::Bls12381];

    /// The name that other tools use.
    pub fn snarkjs_name(self) -> &'static str {
        match self {
            Self::Bn254 => Bn254::SNARKJS_NAME,
            Self::Bls12381 => Bls12381::SNARKJS_NAME,
        }
    }

    /// The curve of a `.ptau`, `.zkey`, `.r1cs` or `.wtns` file.
    ///
    /// # Errors
    /// [`Error::UnknownCurve`] if its modulus is of neither; errors of the container.
    pub fn of_file(reader: &mut (impl Read + Seek), format: Format) -> Result<Self, Error> {
        let table = SectionTable::read(reader, format.magic(), format.version())?;
        let (id, place) = format.header();
        let bytes = read_section(reader, table.unique(id)?, place, MAX_HEADER_LEN)?;
        let mut fields = Reader::new(&bytes);
        let modulus = fields.bytes("modulus", MAX_MODULUS_LEN).map_err(Error::record(place))?;
        let is = |base: Vec<u8>, scalar: Vec<u8>| match format {
            Format::Ptau | Format::Zkey => modulus == base,
            Format::R1cs | Format::Wtns => modulus == scalar,
        };
        if is(Bn254::base_modulus(), Bn254::scalar_modulus()) {
            Ok(Self::Bn254)
        } else if is(Bls12381::base_modulus(), Bls12381::scalar_modulus()) {
            Ok(Self::Bls12381)
        } else {
            Err(Error::UnknownCurve { place })
        }
    }
}

/// More than the header of any of these files.
const MAX_HEADER_LEN: u64 = 4096;
/// More than the modulus of any curve in use.
const MAX_MODULUS_LEN: usize = 128;

/// The formats that live in containers of sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Powers of Tau.
    Ptau,
    /// A proving key with its ceremony.
    Zkey,
    /// A constraint system.
    R1cs,
    /// A witness.
    Wtns,
}

impl Format {
    /// The first four bytes of a file.
    pub fn magic(self) -> [u8; 4] {
        match self {
            Self::Ptau => *b"ptau",
            Self::Zkey => *b"zkey",
            Self::R1cs => *b"r1cs",
            Self::Wtns => *b"wtns",
        }
    }

    /// The version that is read and written.
    pub fn version(self) -> u32 {
        match self {
            Self::Ptau | Self::Zkey | Self::R1cs => 1,
            Self::Wtns => 2,
        }
    }

    /// The section that begins with the modulus.
    fn header(self) -> (u32, &'static str) {
        match self {
            Self::Zkey => (2, "zkey section 2 (header)"),
            Self::Ptau => (1, "ptau section 1 (header)"),
            Self::R1cs => (1, "r1cs section 1 (header)"),
            Self::Wtns => (1, "wtns section 1 (header)"),
        }
    }
}

/// Requires the modulus of the field below an engine's curves.
pub(crate) fn expect_base<E: Engine>(
    fields: &mut Reader<'_>,
    place: &'static str,
) -> Result<(), Error> {
    expect::<E>(fields, place, &E::base_modulus())
}

/// Requires the modulus of an engine's scalar field.
pub(crate) fn expect_scalar<E: Engine>(
    fields: &mut Reader<'_>,
    place: &'static str,
) -> Result<(), Error> {
    expect::<E>(fields, place, &E::scalar_modulus())
}

fn expect<E: Engine>(
    fields: &mut Reader<'_>,
    place: &'static str,
    modulus: &[u8],
) -> Result<(), Error> {
    let found = fields.bytes("modulus", MAX_MODULUS_LEN).map_err(Error::record(place))?;
    if found == modulus {
        return Ok(());
    }
    Err(Error::Curve { place, expected: <E as Pairing>::NAME })
}
