//! What is left of a key without its long lists: who contributed to it.

use std::io::{Read, Seek};

use algebra::{CurveGroup, Engine};
use circuit::{
    json::VerifyingKey,
    zkey::{Zkey, ZkeyHeader},
};
use rand_core::CryptoRng;
use wire::Progress;

use super::{chain, native};
use crate::{
    Error, contribution::Contribution, equations::is_same_ratio, origins, phase1::Settings,
};

/// What a record shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded<E: Engine> {
    /// Whether the ceremony is a native one.
    pub is_native: bool,
    /// The circuit hash, by the record's word.
    pub circuit_hash: [u8; 64],
    /// The contributions, first to last.
    pub contributions: Vec<Contribution>,
    /// Sizes, and points that stand alone.
    pub header: ZkeyHeader<E>,
    /// The verification key.
    pub key: VerifyingKey<E>,
}

/// Requires that every contribution in the [record](Zkey::write_record) of a key was made by somebody who knew
/// a secret and multiplied it into `δ`, and that the key's `δ` is what the last one left.
///
/// That is all that a record shows. Where `α`, `β` and `IC` come from it does not: who chose these by hand
/// proves everything under the key, whatever others contributed to `δ`. [`verify`](super::verify()) compares
/// them with those of circuit and phase 1.
///
/// # Errors
/// [`Error::NoContributions`], [`Error::OnlyBeacons`], [`Error::Forgeable`]; [`Error`], naming the contribution.
pub fn verify_record<E: Engine>(
    record: &mut (impl Read + Seek),
    settings: &Settings,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<Recorded<E>, Error> {
    let zkey = Zkey::<E>::open_record(record)?;
    let key = VerifyingKey::of_zkey(&zkey, record)?;
    let header = zkey.header().clone();
    check_beta(&header)?;
    let is_native = zkey.is_native();
    let (circuit_hash, contributions) = match is_native {
        true => native::check_record(zkey, record, settings, rng, progress)?,
        false => check_record(&zkey, record, settings, rng, progress)?,
    };
    progress.finish();
    Ok(Recorded { is_native, circuit_hash, contributions, header, key })
}

/// Requires the same `β` in both groups.
fn check_beta<E: Engine>(header: &ZkeyHeader<E>) -> Result<(), Error> {
    let points = &header.points;
    let in_g1 = [E::G1::affine_generator(), points.beta_g1].map(Into::into);
    let in_g2 = [E::G2::affine_generator(), points.beta_g2].map(Into::into);
    match is_same_ratio::<E>(in_g1, in_g2) {
        true => Ok(()),
        false => Err(Error::KeyPoint { field: "beta1" }),
    }
}

fn check_record<E: Engine>(
    zkey: &Zkey<E>,
    record: &mut (impl Read + Seek),
    settings: &Settings,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<([u8; 64], Vec<Contribution>), Error> {
    let circuit_hash = zkey.circuit_hash(record)?;
    let contributions = chain::contributions(zkey, record)?;
    chain::check_delta(&zkey.header().points, chain::last_delta(&contributions)?)?;
    origins::require_participant(contributions.iter().map(|one| &one.attribution))?;
    chain::check(&circuit_hash, &contributions, settings, rng, progress)?;
    Ok((circuit_hash, contributions.iter().map(Contribution::of).collect()))
}
