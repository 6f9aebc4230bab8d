//! The check of a key, and with it of a whole ceremony.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Engine};
use circuit::zkey::Zkey;
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    Contribution, Info,
    record::{After, File, PROTOCOL, Record},
};
use crate::{
    Error, Relation,
    equations::Equations,
    kernels::times,
    knowledge::DELTA,
    phase2::{
        Settings, chain,
        key::Secret,
        reference::{Against, Reference},
        verify::require_phase1,
    },
    turns::Known,
};

/// Requires that a key is that of a circuit and a phase 1, and that every contribution in it was made
/// by somebody who knew a secret and multiplied it in.
///
/// The first key is computed again, and its hash; the points that `δ` does not touch must be the
/// same, and the others are divided by the secret of `δ`, up to a probability of 2^−128. `rng` must be
/// unpredictable for whoever made the key. `ptau` should have been verified; that somebody
/// contributed to it is checked here ([`Settings::may_lack_phase1_history`]).
///
/// Returns what the key says about itself, all of which is true (whose the names are, nobody can
/// tell).
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
) -> Result<Info, Error> {
    let file = File::<E>::open(key)?;
    require_phase1::<E>(ptau, settings.may_lack_phase1_history)?;
    file.record.require_participant()?;
    let After(last) = file.record.after()?;
    chain::check_delta(&file.zkey.header().points, last)?;
    let against = Against { reference: Reference::Circuit { circuit, ptau }, settings };
    check_input(&file, key, against, rng, progress)?;
    progress.finish();
    Ok(Info::new(&file))
}

/// Requires that the record of a key has a chain of contributions, to which somebody contributed, and the
/// `δ` that the last one left. Returns the circuit hash and the contributions.
pub(in crate::phase2) fn check_record<E: Engine>(
    zkey: Zkey<E>,
    record: &mut (impl Read + Seek),
    settings: &Settings,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<([u8; 64], Vec<Contribution>), Error> {
    let file = File::<E>::of(zkey, record)?;
    file.record.require_participant()?;
    let After(last) = file.record.after()?;
    chain::check_delta(&file.zkey.header().points, last)?;
    check_chain(&file.record, file.start(), settings, rng, progress)?;
    Ok((file.circuit_hash, file.record.contributions(file.start())))
}

/// Requires what [`verify`] does, but that somebody has contributed.
pub(super) fn check_input<E: Engine>(
    file: &File<E>,
    key: &mut (impl Read + Seek),
    mut against: Against<'_>,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<(), Error> {
    let generator = E::G1::affine_generator();
    let last = file.record.0.last().map_or(&generator, |turn| &turn.after.0);
    chain::check_same_delta(&file.zkey.header().points, last)?;
    let settings = against.settings;
    let reference = against.open(&file.zkey, key)?;
    check_chain(&file.record, file.start(), settings, rng, progress)?;
    reference.check_points(&file.zkey, key, settings, rng, progress)?;
    Ok(())
}

/// Requires that every contributor knew their secret, that each contribution multiplies it into the
/// `δ` before, and that beacons are what they say. Beacons, which may take hours, come last.
fn check_chain<E: Engine>(
    record: &Record<E>,
    start: [u8; 64],
    settings: &Settings,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    record.check_work(settings)?;
    let origins = record.origins(
        PROTOCOL,
        start,
        |place, Known { input, proofs }| {
            (proofs.commitment, proofs.ratio(&DELTA, &place.challenge(input)))
        },
        progress,
    );
    let g: Affine<E::G1> = E::G1::affine_generator();
    let mut before = g;
    let (mut equations, mut beacons) = (Equations::<E, _>::new(), Vec::new());
    for (index, (place, turn, origin)) in origins.into_iter().enumerate() {
        let after = turn.after.0;
        match origin {
            Ok((commitment, ratio)) => {
                equations.same_ratio((index, Relation::KnowsDelta), [g, commitment], ratio);
                equations.same_ratio((index, Relation::Delta), [before, after], ratio);
            }
            Err(beacon) => beacons.push((index, place, beacon, before, after)),
        }
        before = after;
    }
    let wrong = equations.check(rng);
    wrong.map_err(|(index, relation)| Error::Contribution { index, relation })?;
    chain::check_changes::<E>(record.0.iter().map(|turn| turn.after.0))?;
    for (index, place, beacon, before, after) in beacons {
        let secret = Secret::of_beacon(&place, beacon, progress);
        if times::<E::G1>(before, &secret.delta) != after {
            return Err(Error::BeaconKey { index });
        }
    }
    Ok(())
}
