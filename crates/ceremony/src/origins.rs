//! Where the secrets of a ceremony's contributions come from, and what follows from that alone.

use circuit::{Attribution, Origin};

use crate::{Error, settings::Settings};

/// How many contributions are of somebody who drew secrets, and not of a beacon, whose secrets
/// everybody can compute.
pub(crate) fn participants<'a>(attributions: impl Iterator<Item = &'a Attribution>) -> usize {
    attributions.filter(|one| one.origin == Origin::Participant).count()
}

/// Requires that somebody contributed who could have kept a secret to themselves.
pub(crate) fn require_participant<'a>(
    attributions: impl ExactSizeIterator<Item = &'a Attribution>,
) -> Result<(), Error> {
    match (attributions.len(), participants(attributions)) {
        (0, _) => Err(Error::NoContributions),
        (_, 0) => Err(Error::OnlyBeacons),
        _ => Ok(()),
    }
}

/// The binary logarithm of a beacon's hashes.
pub(crate) fn iterations_exp(attribution: &Attribution) -> Option<u8> {
    match attribution.origin {
        Origin::Participant => None,
        Origin::Beacon { iterations_exp, .. } => Some(iterations_exp),
    }
}

/// Requires that a verifier is ready to recompute all beacons of a file, counted before the first is
/// hashed: a file may have thousands. `exponents` has an entry for every contribution.
pub(crate) fn check_work(
    exponents: impl Iterator<Item = Option<u8>>,
    settings: &Settings,
) -> Result<(), Error> {
    let limit = settings.max_iterations_exp;
    let mut hashes = 0_u128;
    for (index, exponent) in exponents.enumerate() {
        let Some(exponent) = exponent else { continue };
        if exponent > limit {
            return Err(Error::BeaconTooLong { index, exponent, limit });
        }
        // Exponents are at most 63, and contributions fewer than 2^32.
        hashes += 1 << exponent;
        if hashes > 1 << limit.min(127) {
            return Err(Error::BeaconsTooLong { index, limit });
        }
    }
    Ok(())
}
