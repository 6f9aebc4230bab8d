//! The check of a reference string, and of a whole ceremony.

use std::{
    io::{Read, Seek},
    ops::Range,
};

use algebra::{CurveGroup, Engine};
use circuit::native::{SonicG1, SonicG2, SonicSrs};
use rand_core::CryptoRng;
use wire::Progress;

use super::file::{Info, PROTOCOL, Points, Record, open};
use crate::{
    Error, Relation,
    relations::{self, Family, Product, combine},
    series,
    step::{self, Claim},
};

/// Points of G2 that stand in pairings; the generator is base 0.
const H: usize = 0;
const X: usize = 1;
const ALPHA: usize = 2;

/// Requires that every contributor knew their secrets, and that all points are what these make them.
///
/// On failure the first wrong contribution or point is found and named. Returns what the file says
/// about itself, all of which is true (whose the names are, nobody can tell).
///
/// # Errors
/// [`Error`], naming contribution, or list and point.
pub fn verify<E: Engine>(
    reader: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Info, Error> {
    let (srs, record) = open::<E>(reader)?;
    let points = Points::read(&srs, reader)?;
    if record.0.is_empty() {
        return Err(Error::NoContributions);
    }
    check_secrets(&points)?;
    check_input(&points, &record, rng, progress)?;
    Ok(Info::new(srs.degree(), &record))
}

/// Requires what [`verify`] does, but that somebody has contributed.
pub(super) fn check_input<E: Engine>(
    points: &Points<E>,
    record: &Record<E>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let degree = points.degree as u64;
    let claims = claims(record, degree);
    step::check(&claims.x, rng)?;
    step::check(&claims.alpha, rng)?;
    let last = record.0.last();
    if points.x() != last.map_or_else(E::G1::affine_generator, |last| last.x.after) {
        return Err(Error::Singular { place: SonicG1::Powers.place(), index: degree + 1 });
    }
    if points.alpha_g2() != last.map_or_else(E::G2::affine_generator, |last| last.alpha.after) {
        return Err(Error::Singular { place: SonicG2::AlphaPowers.place(), index: degree });
    }
    check_points(points, rng, progress)
}

/// Requires that the points of a reference string are those of some `x` and `α`, neither of which is
/// 1. That nobody knows them is for [`verify`] to say.
///
/// # Errors
/// [`Error::NoSecret`], [`Error::Unrelated`], [`Error::File`], naming list and position.
pub fn verify_srs<E: Engine>(
    reader: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let srs = SonicSrs::<E>::open(reader)?;
    let points = Points::read(&srs, reader)?;
    check_secrets(&points)?;
    check_points(&points, rng, progress)
}

/// What the proofs claim of `x` in G1 and of `α` in G2.
struct Claims<E: Engine> {
    x: Vec<Claim<E::G1>>,
    alpha: Vec<Claim<E::G2>>,
}

/// Each proof is bound to all contributions before it.
fn claims<E: Engine>(record: &Record<E>, degree: u64) -> Claims<E> {
    let (mut x, mut alpha) = (E::G1::affine_generator(), E::G2::affine_generator());
    let mut claims = Claims { x: Vec::new(), alpha: Vec::new() };
    for (index, (turn, hash)) in record.0.iter().zip(record.hashes(degree)).enumerate() {
        let mut transcript = series::proofs(PROTOCOL, 1, &hash, &turn.name, &turn.input);
        claims.x.push(turn.x.claim(&mut transcript, &x, index, Relation::KnowsX));
        let claim = turn.alpha.claim(&mut transcript, &alpha, index, Relation::KnowsAlpha);
        claims.alpha.push(claim);
        (x, alpha) = (turn.x.after, turn.alpha.after);
    }
    claims
}

/// The power 0 is the generator in both groups, and with `[x]₁` and `[α]₂` as they are:
///
/// * `e([x^{i+1}]₁, H) = e([x^i]₁, [x]₂)` for `i` from `−d` to `d − 1`,
/// * `e(G, [x^i]₂) = e([x^i]₁, H)`,
/// * `e([αx^i]₁, H) = e([x^i]₁, [α]₂)` for `i ≠ 0`,
/// * `e(G, [αx^i]₂) = e([x^i]₁, [α]₂)`:
///
/// one product of four pairings, with weights of 128 bits.
fn check_points<E: Engine>(
    points: &Points<E>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    check_zeroth(points)?;
    let degree = points.degree;
    // The powers 0, −1, …, −d; and all but 0.
    let down: Vec<_> = points.powers.iter().take(degree + 1).rev().copied().collect();
    // There are 2d + 1 powers (`SonicSrs`).
    let (negative, rest) = points.powers.split_at_checked(degree).unwrap_or_default();
    let without_zero: Vec<_> = negative.iter().chain(rest.iter().skip(1)).copied().collect();
    let (g1, g2) = (SonicG1::Powers.place(), SonicG2::Powers.place());
    let x_g2 = [points.x_g2()];
    let x = [points.x()];

    // Outwards from the power 0, so that the first row that fails is about the wrong point.
    let (later, earlier) = (part(&points.powers, degree + 2), part(&points.powers, degree + 1));
    let downwards = |rows: Range<usize>, weights: &[u128], product: &mut Product<E>| {
        product.add(X, combine::<E::G1>(part(&down, 1), &rows, weights));
        product.add(H, -combine::<E::G1>(&down, &rows, weights));
    };
    let families = [
        Family::times_g2(g2, degree as u64 + 1, &x_g2, &x, H),
        Family::times(g1, degree as u64 + 2, later, earlier, X),
        Family::new(g1, degree as u64 - 1, degree, downwards).downwards(),
        Family::times_g2(g2, 0, &points.powers_g2, &points.powers, H),
        Family::times(SonicG1::AlphaPowers.place(), 0, &points.alpha_powers, &without_zero, ALPHA),
        Family::times_g2(
            SonicG2::AlphaPowers.place(),
            0,
            &points.alpha_powers_g2,
            &points.powers,
            ALPHA,
        ),
    ];
    let bases = [E::G2::affine_generator(), points.x_g2(), points.alpha_g2()];
    relations::check(&bases, &families, rng, progress)?;
    progress.finish();
    Ok(())
}

/// `[x^0]₁` and `[x^0]₂` are the generators.
fn check_zeroth<E: Engine>(points: &Points<E>) -> Result<(), Error> {
    let (generator, generator_g2) = (E::G1::affine_generator(), E::G2::affine_generator());
    let degree = points.degree;
    let index = degree as u64;
    if points.powers.get(degree) != Some(&generator) {
        return Err(Error::Unrelated { place: SonicG1::Powers.place(), index });
    }
    if points.powers_g2.get(degree) != Some(&generator_g2) {
        return Err(Error::Unrelated { place: SonicG2::Powers.place(), index });
    }
    Ok(())
}

/// `[x]₁` and `[α]₂` are not the generators.
fn check_secrets<E: Engine>(points: &Points<E>) -> Result<(), Error> {
    let (generator, generator_g2) = (E::G1::affine_generator(), E::G2::affine_generator());
    let index = points.degree as u64;
    if points.x() == generator {
        return Err(Error::NoSecret { place: SonicG1::Powers.place(), index: index + 1 });
    }
    if points.alpha_g2() == generator_g2 {
        return Err(Error::NoSecret { place: SonicG2::AlphaPowers.place(), index });
    }
    Ok(())
}

fn part<P>(points: &[P], from: usize) -> &[P] {
    // The lists have 2d + 1 places (`SonicSrs`), so that none is cut short.
    points.get(from..).unwrap_or_default()
}
