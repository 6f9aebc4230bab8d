//! The chain of contributions, checked on what each left in the file.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Engine};
use circuit::{
    Origin,
    zkey::{Contribution, KeyPoints, Zkey},
};
use rand_core::CryptoRng;
use rayon::prelude::*;
use wire::Progress;

use super::key::{Key, Transcript};
use crate::{
    Error, Relation,
    equations::{Equations, is_same_ratio},
    kernels::to_affine,
    origins,
    phase1::{Beacon, Settings},
};

/// The contributions of a key; those of a native ceremony are elsewhere.
pub(super) fn contributions<E: Engine>(
    zkey: &Zkey<E>,
    reader: &mut (impl Read + Seek),
) -> Result<Vec<Contribution<E>>, Error> {
    if zkey.is_native() {
        return Err(Error::Native);
    }
    Ok(zkey.contributions(reader)?.collect::<Result<_, _>>()?)
}

/// Requires that every contributor knew their secret, that each contribution multiplies it into the
/// `δ` before, and that beacons are what they say. Beacons, which may take hours, come last.
pub(super) fn check<E: Engine>(
    circuit_hash: &[u8; 64],
    contributions: &[Contribution<E>],
    settings: &Settings,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let attributions = contributions.iter().map(|contribution| &contribution.attribution);
    origins::check_work(attributions.map(origins::iterations_exp), settings)?;
    let mut transcript = Transcript::new(circuit_hash);
    for (index, contribution) in contributions.iter().enumerate() {
        if transcript.digest::<E>(&contribution.s, &contribution.sx) != contribution.transcript {
            return Err(Error::Transcript { index });
        }
        transcript.push(contribution);
    }

    progress.begin("contributions", contributions.len() as u64);
    let bases: Vec<Affine<E::G2>> = contributions
        .par_iter()
        .map(|contribution| {
            progress.advance(1);
            to_affine(E::hash_to_g2(&contribution.transcript))
        })
        .collect();
    let mut before = E::G1::affine_generator();
    let mut equations = Equations::<E, _>::new();
    for (index, (one, base)) in contributions.iter().zip(bases).enumerate() {
        let ratio = [base, one.rx];
        equations.same_ratio((index, Relation::KnowsDelta), [one.s, one.sx], ratio);
        equations.same_ratio((index, Relation::Delta), [before, one.delta_after], ratio);
        before = one.delta_after;
    }
    let wrong = equations.check(rng);
    wrong.map_err(|(index, relation)| Error::Contribution { index, relation })?;
    check_changes::<E>(contributions.iter().map(|contribution| contribution.delta_after))?;
    for (index, contribution) in contributions.iter().enumerate() {
        check_beacon(index, contribution, progress)?;
    }
    Ok(())
}

/// Requires that every contribution changes `δ`.
pub(super) fn check_changes<E: Engine>(
    after: impl Iterator<Item = Affine<E::G1>>,
) -> Result<(), Error> {
    let mut before = E::G1::affine_generator();
    for (index, after) in after.enumerate() {
        if before == after {
            return Err(Error::Idle { index, secret: "delta" });
        }
        before = after;
    }
    Ok(())
}

fn check_beacon<E: Engine>(
    index: usize,
    contribution: &Contribution<E>,
    progress: &impl Progress,
) -> Result<(), Error> {
    let Origin::Beacon { iterations_exp, hash } = &contribution.attribution.origin else {
        return Ok(());
    };
    let key = Key::<E>::of_beacon(&Beacon::new(hash.clone(), *iterations_exp)?, progress);
    // The rest follows from these two and the equations.
    match key.s == contribution.s && key.sx() == contribution.sx {
        true => Ok(()),
        false => Err(Error::BeaconKey { index }),
    }
}

/// The `[δ]₁` that the last contribution left.
pub(super) fn last_delta<E: Engine>(
    contributions: &[Contribution<E>],
) -> Result<&Affine<E::G1>, Error> {
    contributions.last().map(|last| &last.delta_after).ok_or(Error::NoContributions)
}

/// Requires that a key has a secret below its proofs, that of the last contribution.
///
/// With `δ = γ` everybody can forge: `A = α`, `B = β`, and a `C` that cancels the public inputs.
pub(super) fn check_delta<E: Engine>(
    points: &KeyPoints<E>,
    last: &Affine<E::G1>,
) -> Result<(), Error> {
    check_same_delta(points, last)?;
    let (g, h) = (E::G1::affine_generator(), E::G2::affine_generator());
    if points.delta_g1 == g || points.delta_g2 == h || points.delta_g2 == points.gamma_g2 {
        return Err(Error::Forgeable);
    }
    Ok(())
}

/// Requires that `γ` is 1 and `δ` the same in both groups: what the last contribution left, or, if there
/// is none, 1.
pub(super) fn check_same_delta<E: Engine>(
    points: &KeyPoints<E>,
    last: &Affine<E::G1>,
) -> Result<(), Error> {
    let (g, h) = (E::G1::affine_generator(), E::G2::affine_generator());
    if points.gamma_g2 != h {
        return Err(Error::KeyPoint { field: "gamma2" });
    }
    if points.delta_g1 != *last {
        return Err(Error::KeyPoint { field: "delta1" });
    }
    let (in_g1, in_g2) = ([g, points.delta_g1], [h, points.delta_g2]);
    match is_same_ratio::<E>(in_g1.map(Into::into), in_g2.map(Into::into)) {
        true => Ok(()),
        false => Err(Error::KeyPoint { field: "delta2" }),
    }
}
