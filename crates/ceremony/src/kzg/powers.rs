//! Whether lists are powers of one secret.

use algebra::{Affine, Bls12381, CurveGroup, Pairing};
use circuit::kzg::Powers;
use rand_core::CryptoRng;
use wire::Progress;

use super::error::KzgError;
use crate::{
    equations::{Equations, is_same_ratio},
    kernels::to_affine,
    progression::Shift,
};

pub(super) type G1 = <Bls12381 as Pairing>::G1;
pub(super) type G2 = <Bls12381 as Pairing>::G2;

pub(super) const G1_POWERS: &str = "G1Powers";
pub(super) const G2_POWERS: &str = "G2Powers";

/// Requires as many lists as sizes, each with as many powers; no size is below `(2, 2)`.
pub(super) fn check_sizes<'a>(
    powers: impl ExactSizeIterator<Item = &'a Powers>,
    sizes: &[(usize, usize)],
) -> Result<(), KzgError> {
    let (expected, got) = (sizes.len(), powers.len());
    if expected != got {
        return Err(KzgError::Count { expected, got });
    }
    for (transcript, (powers, size)) in powers.zip(sizes).enumerate() {
        let (got, expected) = ((powers.g1.len(), powers.g2.len()), *size);
        if got != expected || got.0 < 2 || got.1 < 2 {
            return Err(KzgError::Size { transcript, expected, got });
        }
    }
    Ok(())
}

/// Requires that both lists begin with the generators.
pub(super) fn check_generators(transcript: usize, powers: &Powers) -> Result<(), KzgError> {
    if powers.g1.first() != Some(&G1::affine_generator()) {
        return Err(KzgError::Generator { transcript, list: G1_POWERS });
    }
    if powers.g2.first() != Some(&G2::affine_generator()) {
        return Err(KzgError::Generator { transcript, list: G2_POWERS });
    }
    Ok(())
}

/// Which list of which transcript.
#[derive(Clone, Copy)]
struct List {
    transcript: usize,
    in_g2: bool,
}

/// Requires that all lists begin with the generators, and that each point is `τ` times the one before
/// it, with the same `τ` in both groups.
///
/// # Errors
/// [`KzgError`] with the first point that is not.
pub(super) fn check<'a>(
    powers: impl Iterator<Item = &'a Powers>,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<(), KzgError> {
    let powers: Vec<_> = powers.collect();
    progress.begin("powers", powers.iter().map(|one| one.g1.len() as u64).sum());
    let mut equations = Equations::<Bls12381, List>::new();
    for (transcript, powers) in powers.iter().enumerate() {
        check_generators(transcript, powers)?;
        let tau = Taus::of(powers);
        let shift = shift::<G1>(&powers.g1, rng);
        let list = List { transcript, in_g2: false };
        equations.same_ratio(list, [shift.truncated, shift.shifted], tau.g2);
        let shift = shift_g2(powers, rng);
        equations.same_ratio(List { in_g2: true, ..list }, tau.g1, shift);
        progress.advance(powers.g1.len() as u64);
    }
    let Err(List { transcript, in_g2 }) = equations.check(rng) else { return Ok(()) };
    let Some(powers) = powers.get(transcript) else {
        return Err(KzgError::Progression { transcript, list: G1_POWERS, index: 0 });
    };
    let tau = Taus::of(powers);
    let (list, index) = if in_g2 {
        let is_tau = |shift: &Shift<G2>| {
            is_same_ratio::<Bls12381>(tau.g1.map(Into::into), [shift.truncated, shift.shifted])
        };
        (G2_POWERS, first_break::<G2>(&powers.g2, is_tau, rng))
    } else {
        let is_tau = |shift: &Shift<G1>| {
            is_same_ratio::<Bls12381>([shift.truncated, shift.shifted], tau.g2.map(Into::into))
        };
        (G1_POWERS, first_break::<G1>(&powers.g1, is_tau, rng))
    };
    Err(KzgError::Progression { transcript, list, index })
}

/// The first two powers of each group, whose ratio is `τ`.
struct Taus {
    g1: [Affine<G1>; 2],
    g2: [Affine<G2>; 2],
}

impl Taus {
    fn of(powers: &Powers) -> Self {
        // `check_sizes` has refused lists of fewer than two powers.
        let second_g1 = powers.g1.get(1).copied().unwrap_or_else(G1::affine_identity);
        let second_g2 = powers.g2.get(1).copied().unwrap_or_else(G2::affine_identity);
        Self { g1: [G1::affine_generator(), second_g1], g2: [G2::affine_generator(), second_g2] }
    }
}

fn shift<G: CurveGroup>(points: &[Affine<G>], rng: &mut impl CryptoRng) -> Shift<G> {
    let mut shift = Shift::new();
    shift.push(points, true, rng);
    shift
}

fn shift_g2(powers: &Powers, rng: &mut impl CryptoRng) -> [Affine<G2>; 2] {
    let shift = shift::<G2>(&powers.g2, rng);
    [shift.truncated, shift.shifted].map(to_affine)
}

/// The first point that is not `τ` times the one before, in a list where there is one.
fn first_break<G: CurveGroup>(
    points: &[Affine<G>],
    is_tau: impl Fn(&Shift<G>) -> bool,
    rng: &mut impl CryptoRng,
) -> usize {
    // Among the points from `start` to `end`, both included.
    let (mut start, mut end) = (0, points.len() - 1);
    while end - start > 1 {
        let middle = start + (end - start) / 2;
        // The middle is before the end, which is the last point.
        let part = points.get(start..=middle).unwrap_or_default();
        match is_tau(&shift::<G>(part, rng)) {
            true => start = middle,
            false => end = middle,
        }
    }
    end
}
