//! The check of a key, and with it of a whole ceremony.

use std::io::{Read, Seek};

use algebra::{CurveGroup, Engine};
use circuit::zkey::{self, Zkey};
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    chain,
    reference::{Against, Compared, Reference},
};
use crate::{
    Error,
    contribution::Contribution,
    origins,
    phase1::{self, Settings},
};

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The circuit hash.
    pub circuit_hash: [u8; 64],
    /// Whether the circuit hash was checked, which it is but for keys of snarkjs whose circuit fills
    /// a phase 1 of more than 2^14 powers: that hash is of bytes that nobody else has. The key itself
    /// is compared with circuit and phase 1 all the same.
    pub is_hash_checked: bool,
    /// Whether the key has the highest power of `H`, which no proof needs. Without it is what came through
    /// bellman's parameters, and refused unless the [`Settings`] allow it.
    pub has_top_power: bool,
    /// The contributions, first to last.
    pub contributions: Vec<Contribution>,
}

/// Requires that a key is that of a circuit and a phase 1, and that every contribution in it was made
/// by somebody who knew a secret and multiplied it in.
///
/// What takes no time comes first: the header, with the sizes of circuit and phase 1, then the equations
/// between the contributions, then their beacons. The first key is computed again; the points in it that
/// `δ` does not touch must be the same, and the others are divided by the secret of `δ`, up to a
/// probability of 2^−128. `rng` must be
/// unpredictable for whoever made the key. `ptau` should have been verified; that somebody
/// contributed to it is checked here ([`Settings::may_lack_phase1_history`]).
///
/// # Errors
/// [`Error::Phase1`]; [`Error`], naming the section and position, or the contribution.
pub fn verify<E: Engine>(
    circuit: &mut (impl Read + Seek),
    ptau: &mut (impl Read + Seek),
    key: &mut (impl Read + Seek),
    settings: &Settings,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<Verified, Error> {
    let zkey = Zkey::<E>::open(key)?;
    require_phase1::<E>(ptau, settings.may_lack_phase1_history)?;
    let circuit_hash = zkey.circuit_hash(key)?;
    let contributions = chain::contributions(&zkey, key)?;
    chain::check_delta(&zkey.header().points, chain::last_delta(&contributions)?)?;
    origins::require_participant(contributions.iter().map(|one| &one.attribution))?;

    let mut against = Against { reference: Reference::Circuit { circuit, ptau }, settings };
    let reference = against.open(&zkey, key)?;
    chain::check(&circuit_hash, &contributions, settings, rng, progress)?;
    let Compared { is_hash_checked, has_top_power } =
        reference.check_points(&zkey, key, settings, rng, progress)?;
    progress.finish();
    let contributions = contributions.iter().map(Contribution::of).collect();
    Ok(Verified { circuit_hash, is_hash_checked, has_top_power, contributions })
}

/// Requires what [`verify`] does, but that somebody has contributed.
pub(super) fn check_input<E: Engine>(
    zkey: &Zkey<E>,
    contributions: &[zkey::Contribution<E>],
    key: &mut (impl Read + Seek),
    mut against: Against<'_>,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<(), Error> {
    let (circuit_hash, points) = (zkey.circuit_hash(key)?, &zkey.header().points);
    let generator = E::G1::affine_generator();
    let last = contributions.last().map_or(&generator, |last| &last.delta_after);
    chain::check_same_delta(points, last)?;
    let settings = against.settings;
    let reference = against.open(zkey, key)?;
    chain::check(&circuit_hash, contributions, settings, rng, progress)?;
    reference.check_points(zkey, key, settings, rng, progress)?;
    Ok(())
}

/// Requires a phase 1 whose secrets not everybody knows: somebody contributed to it, unless it
/// lacks its history and may, and none of its secrets is 1.
pub(super) fn require_phase1<E: Engine>(
    ptau: &mut (impl Read + Seek),
    may_lack_history: bool,
) -> Result<(), Error> {
    let about_phase1 = |reason| match reason {
        Error::File(_) => reason,
        _ => Error::Phase1 { reason: Box::new(reason) },
    };
    let history = phase1::history::<E>(ptau).map_err(about_phase1)?;
    if !(may_lack_history && history.contributions.is_empty()) {
        history.require_participant().map_err(about_phase1)?;
    }
    phase1::require_secrets::<E>(ptau).map_err(about_phase1)
}
