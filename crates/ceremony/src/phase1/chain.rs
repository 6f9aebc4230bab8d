//! The chain of contributions, checked on the points that each left in the file.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Engine};
use circuit::{
    Origin,
    ptau::{Contribution, G1Section, Ptau, PtauHeader, SecretPoints},
};
use rand_core::CryptoRng;
use rayon::prelude::*;
use wire::{Blake2b, Progress};

use super::{
    accumulator::{self, RESPONSE},
    initial::first_challenge,
    key::{Beacon, Key, bases},
};
use crate::{Error, Relation, equations::Equations, kernels, origins, settings::Settings};

/// The contributions of a file; those of a native ceremony are elsewhere.
pub(super) fn contributions<E: Engine>(
    ptau: &Ptau<E>,
    reader: &mut (impl Read + Seek),
) -> Result<Vec<Contribution<E>>, Error> {
    if ptau.is_native() {
        return Err(Error::Native);
    }
    Ok(ptau.contributions(reader)?.collect::<Result<_, _>>()?)
}

/// The hash of the challenge that a contribution to this file answers.
pub(super) fn challenge<E: Engine>(
    ptau: &Ptau<E>,
    contributions: &[Contribution<E>],
) -> Result<[u8; 64], Error> {
    match contributions.last() {
        Some(last) => Ok(last.next_challenge),
        None => first_challenge::<E>(ptau.header().ceremony_power),
    }
}

/// Requires that every contributor knew their secrets, that each contribution multiplies these into
/// the one before, and that beacons are what they say. Beacons, which may take hours, come last.
pub(super) fn check<E: Engine>(
    header: PtauHeader,
    contributions: &[Contribution<E>],
    settings: &Settings,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let attributions = contributions.iter().map(|contribution| &contribution.attribution);
    origins::check_work(attributions.map(origins::iterations_exp), settings)?;
    for (index, contribution) in contributions.iter().enumerate() {
        check_response_len(header, index, contribution)?;
    }

    let challenges = challenges(header, contributions)?;
    progress.begin("contributions", contributions.len() as u64);
    let with_bases = contributions.par_iter().zip(&challenges).map(|(contribution, challenge)| {
        let bases = bases(&contribution.public_key, challenge).map(kernels::to_affine);
        progress.advance(1);
        (contribution, bases)
    });
    let mut before = SecretPoints::initial();
    let mut equations = Equations::new();
    for (index, (contribution, bases)) in with_bases.collect::<Vec<_>>().into_iter().enumerate() {
        step(&mut equations, index, &before, contribution, bases);
        before = contribution.after.clone();
    }
    let wrong = equations.check(rng);
    wrong.map_err(|(index, relation)| Error::Contribution { index, relation })?;
    check_changes(contributions.iter().map(|contribution| &contribution.after))?;
    for (index, (contribution, challenge)) in contributions.iter().zip(&challenges).enumerate() {
        check_beacon(index, contribution, challenge, progress)?;
    }
    Ok(())
}

/// Requires that every contribution changes all three secrets.
pub(super) fn check_changes<'a, E: Engine>(
    after: impl Iterator<Item = &'a SecretPoints<E>>,
) -> Result<(), Error> {
    let mut before = &SecretPoints::initial();
    for (index, after) in after.enumerate() {
        let secrets = [
            ("tau", before.tau_g1 == after.tau_g1),
            ("alpha", before.alpha_g1 == after.alpha_g1),
            ("beta", before.beta_g1 == after.beta_g1),
        ];
        if let Some((secret, _)) = secrets.into_iter().find(|(_, is_same)| *is_same) {
            return Err(Error::Idle { index, secret });
        }
        before = after;
    }
    Ok(())
}

/// Requires that no secret is 1.
pub(super) fn require_secrets<E: Engine>(secret_points: &SecretPoints<E>) -> Result<(), Error> {
    let generator = E::G1::affine_generator();
    let points = [
        (G1Section::Tau, 1, secret_points.tau_g1),
        (G1Section::AlphaTau, 0, secret_points.alpha_g1),
        (G1Section::BetaTau, 0, secret_points.beta_g1),
    ];
    match points.into_iter().find(|(_, _, point)| *point == generator) {
        None => Ok(()),
        Some((section, index, _)) => Err(Error::NoSecret { place: section.place(), index }),
    }
}

/// The challenge that each contribution answers.
fn challenges<E: Engine>(
    header: PtauHeader,
    contributions: &[Contribution<E>],
) -> Result<Vec<[u8; 64]>, Error> {
    let first = first_challenge::<E>(header.ceremony_power)?;
    let next = contributions.iter().map(|contribution| contribution.next_challenge);
    Ok(std::iter::once(first).chain(next).take(contributions.len()).collect())
}

/// The nine equations between a contribution and the one before.
fn step<E: Engine>(
    equations: &mut Equations<E, (usize, Relation)>,
    index: usize,
    before: &SecretPoints<E>,
    contribution: &Contribution<E>,
    bases: [Affine<E::G2>; 3],
) {
    let (after, key) = (&contribution.after, &contribution.public_key);
    let ([tau_s, alpha_s, beta_s], [tau_sx, alpha_sx, beta_sx]) = (key.s, key.sx);
    let ([tau_r, alpha_r, beta_r], [tau_rx, alpha_rx, beta_rx]) = (bases, key.rx);
    let (tau, alpha, beta) = ([tau_r, tau_rx], [alpha_r, alpha_rx], [beta_r, beta_rx]);
    let (tau_g2, beta_g2) = ([before.tau_g2, after.tau_g2], [before.beta_g2, after.beta_g2]);

    let mut require = |relation, g1, g2| equations.same_ratio((index, relation), g1, g2);
    require(Relation::KnowsTau, [tau_s, tau_sx], tau);
    require(Relation::KnowsAlpha, [alpha_s, alpha_sx], alpha);
    require(Relation::KnowsBeta, [beta_s, beta_sx], beta);
    require(Relation::TauG1, [before.tau_g1, after.tau_g1], tau);
    require(Relation::AlphaG1, [before.alpha_g1, after.alpha_g1], alpha);
    require(Relation::BetaG1, [before.beta_g1, after.beta_g1], beta);
    require(Relation::TauG2, [tau_s, tau_sx], tau_g2);
    require(Relation::BetaG2, [beta_s, beta_sx], beta_g2);
    require(Relation::BetaBoth, [before.beta_g1, after.beta_g1], beta_g2);
}

/// A stored hash cannot be recomputed for contributions before the last, but its length is known.
fn check_response_len<E: Engine>(
    header: PtauHeader,
    index: usize,
    contribution: &Contribution<E>,
) -> Result<(), Error> {
    let points = accumulator::len::<E>(header.ceremony_power, RESPONSE);
    let hashed = Blake2b::from_state(&contribution.partial_hash).map(|hash| hash.count());
    match hashed {
        Ok(count) if count == 64 + points => Ok(()),
        _ => Err(Error::ResponseLen { index }),
    }
}

fn check_beacon<E: Engine>(
    index: usize,
    contribution: &Contribution<E>,
    challenge: &[u8; 64],
    progress: &impl Progress,
) -> Result<(), Error> {
    let Origin::Beacon { iterations_exp, hash } = &contribution.attribution.origin else {
        return Ok(());
    };
    let beacon = Beacon::new(hash.clone(), *iterations_exp)?;
    match Key::<E>::of_beacon(&beacon, challenge, progress).public == contribution.public_key {
        true => Ok(()),
        false => Err(Error::BeaconKey { index }),
    }
}
