//! What a key says about itself.

use std::io::{Read, Seek};

use algebra::Engine;
use circuit::zkey::{self, Zkey};
use wire::Encode;

use super::{chain, key::Transcript};
use crate::{Error, Records, contribution::Contribution, series};

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
    /// The hash of the circuit hash and all contributions, with which the transcript of the next
    /// begins.
    pub transcript: [u8; 64],
}

/// Reads what a key says, and checks nothing but that it is well-formed.
///
/// # Errors
/// [`Error::File`].
pub fn info<E: Engine>(key: &mut (impl Read + Seek)) -> Result<Info, Error> {
    let zkey = Zkey::<E>::open(key)?;
    let header = zkey.header();
    let circuit_hash = zkey.circuit_hash(key)?;
    let contributions = chain::contributions(&zkey, key)?;
    let mut transcript = Transcript::new(&circuit_hash);
    contributions.iter().for_each(|one| transcript.push(one));
    Ok(Info {
        variables: header.variables,
        public: header.public,
        domain_size: header.domain_size,
        circuit_hash,
        contributions: contributions.iter().map(Contribution::of).collect(),
        transcript: transcript.finish(),
    })
}

/// The contributions, byte by byte, of a key that should have been [verified](super::verify()).
///
/// # Errors
/// [`Error::Native`]; [`Error::File`].
pub fn records<E: Engine>(key: &mut (impl Read + Seek)) -> Result<Records, Error> {
    let zkey = Zkey::<E>::open(key)?;
    let start = start(&zkey, key)?;
    let bytes = |contribution: &zkey::Contribution<E>| {
        let mut bytes = Vec::new();
        contribution.encode(&mut bytes)?;
        Ok(bytes)
    };
    let contributions = chain::contributions(&zkey, key)?;
    let contributions = contributions.iter().map(bytes).collect::<Result<_, Error>>()?;
    Ok(Records::new(start, contributions))
}

/// The hash of the circuit hash, and of what that leaves open.
fn start<E: Engine>(zkey: &Zkey<E>, key: &mut (impl Read + Seek)) -> Result<[u8; 64], Error> {
    let (header, circuit_hash) = (zkey.header(), zkey.circuit_hash(key)?);
    let counts = [header.variables, header.public, header.domain_size];
    let mut bytes = Vec::new();
    counts.iter().for_each(|count| count.encode(&mut bytes));
    let name = E::SNARKJS_NAME.as_bytes();
    Ok(series::start("subrosa/ceremony/phase2/records", &[name, &bytes, &circuit_hash]))
}
