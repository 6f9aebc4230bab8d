//! The first key, as a file.

use std::io::{Read, Seek, Write};

use algebra::{Engine, ScalarOf};
use circuit::zkey::{Coefficient, G1Query, ZkeyWriter};
use wire::Progress;

use super::{
    Settings,
    initial::{Chunk, Initial, Sink},
    verify::require_phase1,
};
use crate::Error;

/// What [`new`] made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The circuit hash.
    pub circuit_hash: [u8; 64],
    /// Wires, the constant one included.
    pub variables: u32,
    /// Public wires, the constant one not included.
    pub public: u32,
    /// Rows, rounded up to a power of two.
    pub domain_size: u32,
}

/// Writes the first key of a circuit, which everybody can compute and under which everybody can
/// forge proofs, to `key`. It takes memory for one point per wire.
///
/// `ptau` should have been [verified](crate::phase1::verify): this checks that somebody says to have
/// contributed to it, and that the points that it uses are in the groups, and nothing more. Over one that
/// shows no contributions ([`Settings::may_lack_phase1_history`]), whoever knows its secrets forges proofs,
/// whatever phase 2 does.
///
/// # Errors
/// [`Error::Phase1`]; [`Error::CircuitTooLarge`], [`Error::NotPrepared`], [`Error::CustomGates`]; [`Error::File`] for
/// files that are broken.
pub fn new<E: Engine>(
    circuit: &mut (impl Read + Seek),
    ptau: &mut (impl Read + Seek),
    key: &mut impl Write,
    settings: &Settings,
    progress: &impl Progress,
) -> Result<Created, Error> {
    write::<E>(circuit, ptau, key, Form::Snarkjs, settings, progress)
}

/// Whose ceremony a key begins.
pub(super) enum Form {
    /// That of snarkjs.
    Snarkjs,
    /// A native one, with its transcript.
    Native(Vec<u8>),
}

pub(super) fn write<E: Engine>(
    circuit: &mut (impl Read + Seek),
    ptau: &mut (impl Read + Seek),
    key: &mut impl Write,
    form: Form,
    settings: &Settings,
    progress: &impl Progress,
) -> Result<Created, Error> {
    require_phase1::<E>(ptau, settings.may_lack_phase1_history)?;
    let mut initial = Initial::<E, _, _>::open(circuit, ptau)?;
    let header = initial.header.clone();
    let (variables, public, domain_size) = (header.variables, header.public, header.domain_size);
    let start = match form {
        Form::Snarkjs => ZkeyWriter::<_, E>::new,
        Form::Native(_) => ZkeyWriter::<_, E>::native,
    };
    let mut sink = FileSink { out: start(key, header)? };
    let circuit_hash = initial.produce(&mut sink, progress)?;
    sink.out.contributions(&circuit_hash, &[])?;
    if let Form::Native(transcript) = form {
        sink.out.transcript(&transcript)?;
    }
    sink.out.finish()?;
    progress.finish();
    Ok(Created { circuit_hash, variables, public, domain_size })
}

struct FileSink<W, E: Engine> {
    out: ZkeyWriter<W, E>,
}

impl<W: Write, E: Engine> Sink<E> for FileSink<W, E> {
    fn coefficients(
        &mut self,
        count: u32,
        entries: impl Iterator<Item = Result<Coefficient<ScalarOf<E>>, Error>>,
    ) -> Result<(), Error> {
        let mut out = self.out.coefficients(count)?;
        for entry in entries {
            out.write(&[entry?])?;
        }
        Ok(out.finish()?)
    }

    fn g1(
        &mut self,
        query: G1Query,
        chunks: impl Iterator<Item = Result<Chunk<E::G1>, Error>>,
    ) -> Result<(), Error> {
        let mut out = self.out.g1(query)?;
        for chunk in chunks {
            let (_, points) = chunk?;
            out.write(&points)?;
        }
        Ok(out.finish()?.finish()?)
    }

    fn b_g2(
        &mut self,
        chunks: impl Iterator<Item = Result<Chunk<E::G2>, Error>>,
    ) -> Result<(), Error> {
        let mut out = self.out.b_g2()?;
        for chunk in chunks {
            let (_, points) = chunk?;
            out.write(&points)?;
        }
        Ok(out.finish()?.finish()?)
    }
}
