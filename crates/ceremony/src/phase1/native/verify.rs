//! The check of a file, and with it of a whole ceremony.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Engine};
use circuit::ptau::{Ptau, SecretPoints};
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    Info,
    record::{After, PROTOCOL, Proofs, Record, beacon_secrets, open, start},
};
use crate::{
    Error, Relation,
    equations::Equations,
    phase1::{
        Settings,
        chain::{check_changes, require_secrets},
        lagrange,
        verify::check_points,
    },
    turns::Known,
};

/// Requires that a file comes from a ceremony in which every contributor knew their secrets, and
/// that all its points are what they should be.
///
/// What is checked, in this order: every contribution's proofs of knowledge and its continuation of
/// the one before; every point of the powers, that it is in its group and `τ` times its predecessor;
/// and the Lagrange sections against the powers. All combinations are random, with weights from `rng`
/// of 128 bits. On failure the first wrong contribution or point is found and named.
///
/// Returns what the file says about itself, all of which is true (whose the names are, nobody can
/// tell).
///
/// # Errors
/// [`Error`], naming the contribution, or section and point.
pub fn verify<E: Engine>(
    reader: &mut (impl Read + Seek),
    settings: &Settings,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Info, Error> {
    let (ptau, record) = open::<E>(reader)?;
    record.require_participant()?;
    check_powers(&ptau, &record, reader, settings, rng, progress)?;
    require_secrets(&record.after()?.0)?;
    if ptau.is_prepared() {
        lagrange::check(&ptau, reader, rng, progress)?;
    }
    progress.finish();
    Ok(Info::new(&ptau, &record))
}

/// Requires that contributions, if there are any, continue each other, and that all powers are what the
/// last one leaves.
pub(super) fn check_powers<E: Engine>(
    ptau: &Ptau<E>,
    record: &Record<E>,
    reader: &mut (impl Read + Seek),
    settings: &Settings,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    check_chain(record, start::<E>(ptau.header()), settings, rng, progress)?;
    // A file without contributions has the points of the secret 1.
    let last = record.0.last().map(|turn| turn.after.0.clone());
    check_points(ptau, &last.unwrap_or_else(SecretPoints::initial), reader, rng, progress)
}

/// Requires that every contributor knew their secrets, that each contribution multiplies these into
/// the one before, and that beacons are what they say. Beacons, which may take hours, come last.
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
        |place, Known { input, proofs }| (proofs, proofs.ratios(place, input)),
        progress,
    );
    let mut before = After(SecretPoints::initial());
    let (mut equations, mut beacons) = (Equations::new(), Vec::new());
    for (index, (place, turn, origin)) in origins.into_iter().enumerate() {
        match origin {
            Ok((proofs, ratios)) => {
                step(&mut equations, index, [&before.0, &turn.after.0], proofs, ratios);
            }
            Err(beacon) => beacons.push((index, place, beacon, before, &turn.after)),
        }
        before = turn.after.clone();
    }
    let wrong = equations.check(rng);
    wrong.map_err(|(index, relation)| Error::Contribution { index, relation })?;
    check_changes(record.0.iter().map(|turn| &turn.after.0))?;
    for (index, place, beacon, before, after) in beacons {
        let secrets = beacon_secrets(&place, beacon, progress);
        if After::of(&before.0, &secrets) != *after {
            return Err(Error::BeaconKey { index });
        }
    }
    Ok(())
}

/// The eight equations between a contribution and what was before it: its maker knows the logarithms
/// of the commitments, and the five points changed by these.
fn step<E: Engine>(
    equations: &mut Equations<E, (usize, Relation)>,
    index: usize,
    [before, after]: [&SecretPoints<E>; 2],
    proofs: &Proofs<E>,
    [tau, alpha, beta]: [[Affine<E::G2>; 2]; 3],
) {
    let g = E::G1::affine_generator();
    let own = |commitment| [g, commitment];
    let mut require = |relation, g1, g2| equations.same_ratio((index, relation), g1, g2);
    require(Relation::KnowsTau, own(proofs.tau.commitment), tau);
    require(Relation::KnowsAlpha, own(proofs.alpha.commitment), alpha);
    require(Relation::KnowsBeta, own(proofs.beta.commitment), beta);
    require(Relation::TauG1, [before.tau_g1, after.tau_g1], tau);
    require(Relation::AlphaG1, [before.alpha_g1, after.alpha_g1], alpha);
    require(Relation::BetaG1, [before.beta_g1, after.beta_g1], beta);
    require(Relation::TauG2, own(proofs.tau.commitment), [before.tau_g2, after.tau_g2]);
    require(Relation::BetaG2, own(proofs.beta.commitment), [before.beta_g2, after.beta_g2]);
}
