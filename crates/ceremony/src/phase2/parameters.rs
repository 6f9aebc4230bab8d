//! Bellman's parameters beside the first ones of their ceremony.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Dialect, Engine};
use circuit::{
    bellman::{Ceremony, G1Part, Parameters},
    zkey::KeyPoints,
};
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    CHUNK, Settings, chain,
    compare::{Combination, first_undivided},
    reference::same_bytes,
};
use crate::{Error, equations::Equations, trust::ReadSeek};

/// What a contributor to parameters compares them with, and how.
pub struct FirstParameters<'a> {
    /// The first parameters of the ceremony, in the dialect of the others.
    ///
    /// All of them are believed. Whoever did not make them ([`new`](super::new()), then
    /// [`export_bellman`](super::export_bellman)) compares their
    /// [digest](crate::Snapshot::digest) with that of somebody who did.
    pub file: &'a mut dyn ReadSeek,
    /// What the verifier is ready to do.
    pub settings: &'a Settings,
}

/// Requires that every contributor knew their secret and multiplied it in, and that all points are those
/// of the first parameters, divided by `δ` where that stands below.
pub(super) fn check<E: Engine>(
    parameters: &Parameters<E>,
    ceremony: &Ceremony<E>,
    file: &mut (impl Read + Seek),
    FirstParameters { file: mut first_file, settings }: FirstParameters<'_>,
    dialect: Dialect,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<(), Error> {
    let points = parameters.points();
    let generator = E::G1::affine_generator();
    let last = ceremony.contributions.last().map_or(&generator, |last| &last.delta_after);
    chain::check_same_delta(points, last)?;
    chain::check(&ceremony.circuit_hash, &ceremony.contributions, settings, rng, progress)?;

    let first_file = &mut first_file;
    let first = open_first::<E>(first_file, &ceremony.circuit_hash, dialect)?;
    let only_delta = KeyPoints {
        delta_g1: points.delta_g1,
        delta_g2: points.delta_g2,
        ..first.points().clone()
    };
    if only_delta != *points {
        return Err(Error::NotContinued { what: "points that nobody may change are others" });
    }
    let is_long_as = |part| parameters.g1(part).len() == first.g1(part).len();
    if !G1Part::ALL.into_iter().all(is_long_as) || parameters.b_g2().len() != first.b_g2().len() {
        return Err(Error::NotContinued { what: "a list has another number of points" });
    }
    for part in [G1Part::Ic, G1Part::A, G1Part::B] {
        same_bytes(&parameters.g1(part), file, &first.g1(part), first_file)?;
    }
    same_bytes(&parameters.b_g2(), file, &first.b_g2(), first_file)?;
    let ratio = [E::G2::affine_generator(), points.delta_g2];
    check_divided(parameters, file, &first, first_file, ratio, rng, progress)
}

/// Opens parameters to which nobody has contributed, of the circuit.
fn open_first<E: Engine>(
    file: &mut (impl Read + Seek),
    circuit_hash: &[u8; 64],
    dialect: Dialect,
) -> Result<Parameters<E>, Error> {
    let of_first = |reason: Error| Error::FirstKey { reason: Box::new(reason) };
    let first = Parameters::<E>::open(file, dialect).map_err(|reason| of_first(reason.into()))?;
    let ceremony = first.ceremony(file).map_err(|reason| of_first(reason.into()))?;
    let ceremony = ceremony.ok_or(Error::NoCeremony).map_err(of_first)?;
    let points = first.points();
    let is_first = points.delta_g1 == E::G1::affine_generator()
        && points.delta_g2 == E::G2::affine_generator()
        && ceremony.contributions.is_empty();
    match (is_first, ceremony.circuit_hash == *circuit_hash) {
        (false, _) => Err(Error::NotFirst),
        (true, false) => Err(Error::CircuitHash),
        (true, true) => Ok(first),
    }
}

/// Requires that `h` and `l` were divided by the secret of `δ`.
fn check_divided<E: Engine>(
    parameters: &Parameters<E>,
    file: &mut (impl Read + Seek),
    first: &Parameters<E>,
    first_file: &mut (impl Read + Seek),
    ratio: [Affine<E::G2>; 2],
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<(), Error> {
    let mut equations = Equations::<E, G1Part>::new();
    for part in [G1Part::H, G1Part::L] {
        let (list, before, mut sum) =
            (parameters.g1(part), first.g1(part), Combination::<E::G1>::new());
        progress.begin(part.place(), list.len());
        for chunk in list.chunks(file, CHUNK) {
            let (start, divided) = chunk?;
            list.check_subgroup_batch(start, &divided, rng)?;
            let points = before.read(first_file, start, divided.len())?;
            before.check_subgroup_batch(start, &points, rng)?;
            sum.push(&divided, &points, rng);
            progress.advance(divided.len() as u64);
        }
        equations.same_ratio(part, [sum.divided, sum.first], ratio);
    }
    let Err(part) = equations.check(rng) else { return Ok(()) };
    let (list, before) = (parameters.g1(part), first.g1(part));
    let read = |start, count| Ok(before.read(first_file, start, count)?);
    let index = first_undivided::<E>(&list, file, read, ratio, rng)?;
    Err(Error::NotDivided { place: part.place(), index })
}
