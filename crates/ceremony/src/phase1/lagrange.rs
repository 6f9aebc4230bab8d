//! The check of Lagrange sections against the powers.
//!
//! For random weights `ρ` the Lagrange points must satisfy `Σ ρ_j·V^L[j] = Σ c_i·V[i]`, where the
//! coefficients `c` are the inverse Fourier transform of `ρ`: that matrix is its own transpose. All
//! domains of a section share one sum over the powers.
//!
//! The largest domain of section 12 has `2^(power+1)` points, for which the file lacks the highest
//! power `[τ^(2n−1)]₁`. In the file of a whole ceremony the neutral element stands in for it. A file
//! that was cut may have the true one, which the domain itself gives away as the highest coefficient
//! of its Fourier transform: one pairing compares it with the power before.

use std::{
    io::{Read, Seek},
    marker::PhantomData,
    ops::Range,
};

use algebra::{AffineGroup, CurveGroup, Engine, Group, Scalar, ScalarOf};
use circuit::{
    PointList,
    ptau::{G1Section, G2Section, Ptau},
};
use rand_core::CryptoRng;
use wire::Progress;

use super::{accumulator::CHUNK, prepare::G1_FORMS};
use crate::{
    Error,
    equations::{is_same_ratio, random_weight},
    kernels,
    powers::Powers,
};

/// Requires that sections 12 to 15 are the Lagrange form of sections 2 to 5.
pub(super) fn check<E: Engine>(
    ptau: &Ptau<E>,
    reader: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let power = ptau.header().power;
    for (form, powers) in G1_FORMS {
        let has_one_more = form == G1Section::LagrangeTau && !ptau.lacks_largest_domain();
        let sizes = 0..=power + u32::from(has_one_more);
        let domains = sizes.map(|log_size| ptau.lagrange_g1(form, log_size));
        let domains = domains.collect::<Result<Vec<_>, _>>()?;
        let powers = ptau.g1(powers)?;
        let beyond = match domains.last() {
            Some(largest) if has_one_more && ptau.header().is_truncated() => {
                highest_power(ptau, largest, &powers, reader, rng)?
            }
            _ => E::G1::identity(),
        };
        let section = Section::<E, E::G1> { powers, beyond, domains, engine: PhantomData };
        section.check(reader, rng, progress)?;
    }
    let domains = (0..=power).map(|log_size| ptau.lagrange_g2(log_size));
    let domains = domains.collect::<Result<Vec<_>, _>>()?;
    let (powers, beyond) = (ptau.g2(G2Section::Tau)?, E::G2::identity());
    let section = Section::<E, E::G2> { powers, beyond, domains, engine: PhantomData };
    section.check(reader, rng, progress)
}

/// The highest power in the largest domain: `τ` times the last of the file, or the neutral element.
fn highest_power<E: Engine>(
    ptau: &Ptau<E>,
    domain: &PointList<E::G1>,
    powers: &PointList<E::G1>,
    reader: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<E::G1, Error> {
    let log_size = ptau.header().power + 1;
    let root = E::root_of_unity(log_size).and_then(|root| root.invert());
    let root = root.ok_or(Error::Domain { log_size })?;
    let (mut factors, mut highest) = (Powers::new(Scalar::one(), root), E::G1::identity());
    for chunk in domain.chunks(reader, CHUNK) {
        let (start, points) = chunk?;
        domain.check_subgroup_batch(start, &points, rng)?;
        highest += E::G1::msm_affine(&factors.take(points.len()), &points);
    }
    let last = powers.read_one(reader, powers.len() - 1)?.into();
    let tau = ptau.g2(G2Section::Tau)?.read_one(reader, 1)?.into();
    let is_next = || is_same_ratio::<E>([last, highest], [E::G2::generator(), tau]);
    match highest.is_identity() || is_next() {
        true => Ok(highest),
        false => Err(Error::LargestDomain { place: domain.place(), log_size }),
    }
}

/// Powers, and what should be their Lagrange form for domains of 1, 2, 4, … points.
struct Section<E: Engine, G: CurveGroup> {
    powers: PointList<G>,
    /// What stands at the place after the last power.
    beyond: G,
    domains: Vec<PointList<G>>,
    engine: PhantomData<fn() -> E>,
}

impl<E: Engine, G: CurveGroup<Scalar = ScalarOf<E>>> Section<E, G> {
    fn check(
        &self,
        reader: &mut (impl Read + Seek),
        rng: &mut (impl CryptoRng + ?Sized),
        progress: &impl Progress,
    ) -> Result<(), Error> {
        let Some(place) = self.domains.first().map(PointList::place) else { return Ok(()) };
        let points: u64 = self.domains.iter().map(PointList::len).sum();
        progress.begin(place, points + self.powers.len());
        let mut coefficients = Vec::new();
        let mut sum = G::identity();
        for domain in &self.domains {
            sum +=
                self.combine(domain, 0..domain.len(), &mut coefficients, reader, rng, progress)?;
        }
        if self.evaluate(&coefficients, reader, progress)? == sum {
            return Ok(());
        }
        self.locate(place, reader, rng)
    }

    /// A random combination of part of a domain, and its coefficients in the powers.
    fn combine(
        &self,
        domain: &PointList<G>,
        range: Range<u64>,
        coefficients: &mut Vec<G::Scalar>,
        reader: &mut (impl Read + Seek),
        rng: &mut (impl CryptoRng + ?Sized),
        progress: &impl Progress,
    ) -> Result<G, Error> {
        let part = domain.part(range.start, range.end - range.start)?;
        let mut transform = vec![G::Scalar::zero(); domain.len() as usize];
        let mut weights = transform.iter_mut().skip(range.start as usize);
        let mut sum = G::identity();
        for chunk in part.chunks(reader, CHUNK) {
            let (start, points) = chunk?;
            domain.check_subgroup_batch(range.start + start, &points, rng)?;
            let drawn: Vec<_> = points.iter().map(|_| random_weight(rng)).collect();
            // The list that ends first comes first: `zip` would take a weight more from the other.
            for (&drawn, weight) in drawn.iter().zip(weights.by_ref()) {
                *weight = Scalar::from_u128(drawn);
            }
            sum += G::msm_short_affine(&drawn, &points);
            progress.advance(points.len() as u64);
        }
        kernels::scalar_ifft::<E>(&mut transform)?;
        coefficients.resize(coefficients.len().max(transform.len()), G::Scalar::zero());
        coefficients.iter_mut().zip(transform).for_each(|(sum, term)| *sum += term);
        Ok(sum)
    }

    /// The combination of the powers.
    fn evaluate(
        &self,
        coefficients: &[G::Scalar],
        reader: &mut (impl Read + Seek),
        progress: &impl Progress,
    ) -> Result<G, Error> {
        let powers = self.powers.part(0, self.powers.len().min(coefficients.len() as u64))?;
        let beyond = coefficients.get(self.powers.len() as usize);
        let mut sum = beyond.map_or_else(G::identity, |factor| self.beyond.mul(factor));
        for (chunk, coefficients) in powers.chunks(reader, CHUNK).zip(coefficients.chunks(CHUNK)) {
            let (_, points) = chunk?;
            sum += G::msm_affine(coefficients, &points);
            progress.advance(points.len() as u64);
        }
        Ok(sum)
    }

    /// Names a wrong point of the smallest domain that has one.
    fn locate(
        &self,
        place: &'static str,
        reader: &mut (impl Read + Seek),
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<(), Error> {
        let count = self.domains.len();
        for (domain, log_size) in self.domains.iter().zip(0..) {
            let mut wrong = 0..domain.len();
            let is_last = log_size as usize + 1 == count;
            if !is_last && self.is_right(domain, wrong.clone(), reader, rng)? {
                continue;
            }
            while wrong.end - wrong.start > 1 {
                let middle = wrong.start + (wrong.end - wrong.start) / 2;
                let first = wrong.start..middle;
                wrong = match self.is_right(domain, first.clone(), reader, rng)? {
                    true => middle..wrong.end,
                    false => first,
                };
            }
            return Err(Error::Lagrange { place, log_size, index: wrong.start });
        }
        Ok(())
    }

    fn is_right(
        &self,
        domain: &PointList<G>,
        range: Range<u64>,
        reader: &mut (impl Read + Seek),
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<bool, Error> {
        let mut coefficients = Vec::new();
        let sum = self.combine(domain, range, &mut coefficients, reader, rng, &())?;
        Ok(self.evaluate(&coefficients, reader, &())? == sum)
    }
}
