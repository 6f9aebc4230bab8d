//! Who made a phase 1, whatever the form of its ceremony: what everything that is built on it must
//! know.

use std::io::{Read, Seek};

use algebra::Engine;
use circuit::ptau::Ptau;

use super::{info, native};
use crate::{Error, origins, phase2};

/// Who made a phase 1, by its file's word, which verification bears out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// Whether the ceremony is a native one.
    pub is_native: bool,
    /// The contributions, first to last, with the hashes that their makers published.
    pub contributions: Vec<phase2::Contribution>,
    /// What a further contribution would answer.
    pub challenge: [u8; 64],
}

/// Reads who made a phase 1.
///
/// # Errors
/// [`Error::TwoCeremonies`], [`Error::CeremonyTooLarge`]; [`Error::File`].
pub fn history<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<History, Error> {
    let is_native = Ptau::<E>::open(reader)?.is_native();
    if is_native {
        let native::Info { contributions, challenge, .. } = native::info::<E>(reader)?;
        return Ok(History { is_native, contributions, challenge });
    }
    let info = info::info::<E>(reader)?;
    let contributions = info.contributions.into_iter().map(Into::into).collect();
    Ok(History { is_native, contributions, challenge: info.challenge })
}

impl History {
    /// How many contributed who drew secrets: beacons are public.
    pub fn participants(&self) -> usize {
        origins::participants(self.contributions.iter().map(|one| &one.attribution))
    }

    /// Requires that somebody contributed who could have kept a secret to themselves.
    ///
    /// # Errors
    /// [`Error::NoContributions`], [`Error::OnlyBeacons`].
    pub fn require_participant(&self) -> Result<(), Error> {
        origins::require_participant(self.contributions.iter().map(|one| &one.attribution))
    }
}

impl From<info::Contribution> for phase2::Contribution {
    fn from(contribution: info::Contribution) -> Self {
        let info::Contribution { response_hash, attribution, .. } = contribution;
        Self { hash: response_hash, attribution, input: None }
    }
}
