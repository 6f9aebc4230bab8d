//! The check of a whole ceremony.

use std::io::{Read, Seek};

use algebra::{Engine, Group};
use circuit::native::{TflszG1, TflszG2, TflszPoints};
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    file::{File, Info, PROTOCOL, Record},
    key::{check_lengths, check_relations},
    new::ChiPowers,
};
use crate::{
    Error, Relation,
    equations::is_same_ratio,
    series,
    step::{self, Claim, Step},
};

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// What the file says about itself, all of which is true (whose the names are, nobody can tell).
    pub info: Info,
}

impl Verified {
    /// Whether both rounds have contributions, without which everybody knows a secret.
    pub fn is_complete(&self) -> bool {
        !self.info.first.is_empty() && !self.info.second.is_empty()
    }
}

/// Requires that a file was made from a phase 1 by contributors who knew their secrets, and that all
/// its points are what they should be.
///
/// Checked are, in this order: that `χ` is the `τ` of `phase1` (which its own
/// [verification](crate::phase1::verify) must accept besides); that every contributor knew by what
/// they multiplied the points left by the one before; that the file's points have the last ones' secrets;
/// and all that [`verify_key`](super::verify_key) checks. On failure the first wrong contribution or
/// point is found and named.
///
/// # Errors
/// [`Error`], naming the contribution (counted from 0 through both rounds), or list and point.
pub fn verify<E: Engine>(
    reader: &mut (impl Read + Seek),
    phase1: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Verified, Error> {
    let file = File::<E>::read(reader)?;
    check_lengths(&file.points)?;
    if file.record.first.is_empty() {
        return Err(Error::NoContributions);
    }
    check_input(&file, phase1, rng, progress)?;
    progress.finish();
    Ok(Verified { info: Info::new(file.points.size(), &file.record) })
}

/// Requires what [`verify`] does, but that somebody has contributed. The lengths have been checked.
pub(super) fn check_input<E: Engine>(
    File { points, record }: &File<E>,
    phase1: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    check_phase1(points, record, phase1)?;
    step::check(&first_claims(record, points.size()), rng)?;
    check_first(points, record)?;
    step::check(&second_claims(record, points), rng)?;
    check_second(points, record)?;
    check_relations(points, rng, progress)
}

fn check_phase1<E: Engine>(
    points: &TflszPoints<E>,
    record: &Record<E>,
    phase1: &mut (impl Read + Seek),
) -> Result<(), Error> {
    let powers = ChiPowers::<E>::read(phase1, (points.size() + 1).trailing_zeros())?;
    if powers.challenge != record.phase1 {
        return Err(Error::OtherPhase1);
    }
    let wrong = points.chi.iter().zip(powers.g1.iter().skip(1)).position(|(a, b)| a != b);
    let wrong_g2 = points.chi_g2.iter().zip(powers.g2.iter().skip(1)).position(|(a, b)| a != b);
    let wrong = wrong.map(|index| (TflszG1::Chi.place(), index));
    match wrong.or(wrong_g2.map(|index| (TflszG2::Chi.place(), index))) {
        Some((place, index)) => Err(Error::NotPhase1 { place, index: index as u64 }),
        None => Ok(()),
    }
}

/// What the proofs of round 1 claim, each bound to all contributions before it.
fn first_claims<E: Engine>(record: &Record<E>, size: u64) -> Vec<Claim<E::G1>> {
    let hashes = record.hashes(size);
    let mut claims = Vec::new();
    for (index, (one, hash)) in record.first.iter().zip(&hashes).enumerate() {
        let mut transcript = series::proofs(PROTOCOL, 1, hash, &one.name, &one.input);
        let [theta, beta, beta_hat, rho] = record.after(index);
        let mut claim = |step: &Step<E::G1>, before, relation| {
            claims.push(step.claim(&mut transcript, &before, index, relation));
        };
        claim(&one.steps.theta, theta, Relation::KnowsTheta);
        claim(&one.steps.beta, beta, Relation::KnowsBeta);
        claim(&one.steps.beta_hat, beta_hat, Relation::KnowsBetaHat);
        claim(&one.steps.rho, rho, Relation::KnowsRho);
    }
    claims
}

/// The secrets of the points are those that the last contribution to round 1 left, and `[β]₂`, where
/// round 2 starts, has that of `[β]₁`.
fn check_first<E: Engine>(points: &TflszPoints<E>, record: &Record<E>) -> Result<(), Error> {
    let [theta, beta, beta_hat, rho] = record.after(record.first.len());
    let single = TflszG1::Single.place();
    let pairs = [
        (TflszG1::Theta.place(), 0, points.theta.first(), theta),
        (TflszG1::BetaChi.place(), 0, points.beta_chi.first(), beta),
        (single, 3, Some(&points.single.beta_hat), beta_hat),
        (single, 1, Some(&points.single.rho), rho),
    ];
    for (place, index, point, expected) in pairs {
        if point != Some(&expected) {
            return Err(Error::Singular { place, index });
        }
    }
    let (g1, g2) = ([E::G1::generator(), beta.into()], points.single_g2.beta.into());
    match is_same_ratio::<E>(g1, [E::G2::generator(), g2]) {
        true => Ok(()),
        false => Err(Error::Unrelated { place: TflszG2::Single.place(), index: 3 }),
    }
}

/// What the proofs of round 2 claim, each bound to all contributions before it. With `γ = 1`, `[γβ]₂`
/// is `[β]₂`.
fn second_claims<E: Engine>(record: &Record<E>, points: &TflszPoints<E>) -> Vec<Claim<E::G2>> {
    let hashes = record.hashes(points.size());
    let indices = record.first.len()..;
    let mut before = points.single_g2.beta;
    let mut claims = Vec::new();
    for ((index, one), hash) in
        indices.zip(&record.second).zip(hashes.iter().skip(record.first.len()))
    {
        let mut transcript = series::proofs(PROTOCOL, 2, hash, &one.name, &one.input);
        claims.push(one.gamma.claim(&mut transcript, &before, index, Relation::KnowsGamma));
        before = one.gamma.after;
    }
    claims
}

/// `[γβ]₂` is what the last contribution to round 2 left.
fn check_second<E: Engine>(points: &TflszPoints<E>, record: &Record<E>) -> Result<(), Error> {
    let last = record.second.last().map_or(points.single_g2.beta, |last| last.gamma.after);
    match points.single_g2.beta2 == last {
        true => Ok(()),
        false => Err(Error::Singular { place: TflszG2::Single.place(), index: 5 }),
    }
}
