//! What a file says about itself.

use std::io::{Read, Seek};

use algebra::Engine;
use circuit::{
    Attribution,
    ptau::{self, Ptau, PtauHeader},
};

use super::{
    chain::{challenge, contributions},
    initial::first_challenge,
};
use crate::{Error, Records};

/// A contribution as its contributor knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The hash of the response, which contributors publish.
    pub response_hash: [u8; 64],
    /// The hash of the challenge that the next contribution answers.
    pub next_challenge: [u8; 64],
    /// Who made it, by the file.
    pub attribution: Attribution,
}

/// What a file says about itself. Nothing of it is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The powers of the file and of its ceremony.
    pub header: PtauHeader,
    /// Whether the file has Lagrange sections.
    pub is_prepared: bool,
    /// The contributions, first to last.
    pub contributions: Vec<Contribution>,
    /// The hash of the challenge that a contribution to this file answers.
    pub challenge: [u8; 64],
}

/// Reads what a file says about itself.
///
/// # Errors
/// [`Error::Native`]; [`Error::File`].
pub fn info<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Info, Error> {
    let ptau = Ptau::<E>::open(reader)?;
    let contributions = contributions(&ptau, reader)?;
    Ok(Info {
        header: ptau.header(),
        is_prepared: ptau.is_prepared(),
        challenge: challenge(&ptau, &contributions)?,
        contributions: summary(&contributions)?,
    })
}

/// The contributions, byte by byte, of a file that should have been [verified](super::verify()).
///
/// # Errors
/// [`Error::Native`], [`Error::CeremonyTooLarge`]; [`Error::File`].
pub fn records<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Records, Error> {
    let ptau = Ptau::<E>::open(reader)?;
    let start = first_challenge::<E>(ptau.header().ceremony_power)?;
    let bytes = |contribution: &ptau::Contribution<E>| {
        let mut bytes = Vec::new();
        contribution.encode(&mut bytes)?;
        Ok(bytes)
    };
    let contributions = contributions(&ptau, reader)?;
    let contributions = contributions.iter().map(bytes).collect::<Result<_, Error>>()?;
    Ok(Records::new(start, contributions))
}

/// What contributors know of their contributions.
pub(super) fn summary<E: Engine>(
    contributions: &[ptau::Contribution<E>],
) -> Result<Vec<Contribution>, Error> {
    let one = |contribution: &ptau::Contribution<E>| {
        Ok(Contribution {
            response_hash: contribution.response_hash()?,
            next_challenge: contribution.next_challenge,
            attribution: contribution.attribution.clone(),
        })
    };
    contributions.iter().map(one).collect()
}
