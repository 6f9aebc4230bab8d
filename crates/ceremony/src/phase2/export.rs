//! The verification key, if it is worth anything.

use std::io::{Read, Seek};

use algebra::Engine;
use circuit::{json::VerifyingKey, zkey::Zkey};

use super::{chain, native};
use crate::{Error, contribution::Contribution, origins};

/// The verification key inside a key.
///
/// `key` should have been [verified](super::verify()): this checks that somebody contributed who is no
/// beacon and that `δ` is that of the last contribution, neither `γ` nor the generator, and nothing
/// more.
///
/// # Errors
/// [`Error::NoContributions`], [`Error::OnlyBeacons`], [`Error::Forgeable`], [`Error::KeyPoint`]; [`Error::File`] for files
/// that are broken.
pub fn export<E: Engine>(key: &mut (impl Read + Seek)) -> Result<VerifyingKey<E>, Error> {
    let zkey = Zkey::<E>::open(key)?;
    let (last, contributions) = match zkey.is_native() {
        true => (native::last_delta::<E>(key)?, native::info::<E>(key)?.contributions),
        false => {
            let contributions = chain::contributions(&zkey, key)?;
            let last = *chain::last_delta(&contributions)?;
            (last, contributions.iter().map(Contribution::of).collect())
        }
    };
    origins::require_participant(contributions.iter().map(|one| &one.attribution))?;
    chain::check_delta(&zkey.header().points, &last)?;
    Ok(VerifyingKey::of_zkey(&zkey, key)?)
}
