//! The check of a file, and with it of a whole ceremony.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Engine, Group};
use circuit::{
    PointList,
    ptau::{self, G1Section, G2Section, Ptau, PtauHeader, SecretPoints},
};
use rand_core::CryptoRng;
use wire::{Blake2b, Progress};

use super::{
    accumulator::{CHALLENGE, CHUNK, RESPONSE, SECTIONS, Section, hash},
    chain::{self, challenge, contributions},
    info::{Contribution, summary},
    lagrange,
    transfer::Source,
};
use crate::{
    Error, Place,
    equations::{Equations, is_same_ratio},
    kernels, origins,
    progression::{Shift, first_break},
    settings::Settings,
};

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The powers of the file and of its ceremony.
    pub header: PtauHeader,
    /// The contributions, first to last.
    pub contributions: Vec<Contribution>,
    /// Whether the file has Lagrange sections, which then are right.
    pub is_prepared: bool,
    /// Whether the last contribution's hashes were recomputed. They are over the points of the whole
    /// ceremony, so they cannot be if the file was truncated to a smaller power.
    pub is_hash_checked: bool,
}

/// Requires that a file comes from a ceremony in which every contributor knew their secrets, and
/// that all its points are what they should be.
///
/// What is checked: for every contribution its proof of knowledge, and that it continues
/// the one before, by the five points that it left in the file; for every point of the powers that it is
/// in its group and `τ` times its predecessor; the hashes of the last contribution; and the Lagrange
/// sections against the powers. Also: that somebody contributed who is no beacon, that beacons are what they say, that
/// every contribution changes all secrets, and that none is 1 at the end. Equations are checked in random linear combinations, with weights of 128
/// bits from `rng`. On failure the first wrong contribution or point is found and named.
///
/// # Errors
/// [`Error`], naming the contribution, or section and point.
pub fn verify<E: Engine>(
    reader: &mut (impl Read + Seek),
    settings: &Settings,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Verified, Error> {
    let ptau = Ptau::<E>::open(reader)?;
    let header = ptau.header();
    let contributions = contributions(&ptau, reader)?;
    let attributions = contributions.iter().map(|contribution| &contribution.attribution);
    origins::require_participant(attributions)?;
    let is_hash_checked = check_powers(&ptau, &contributions, reader, settings, rng, progress)?;
    if let Some(last) = contributions.last() {
        chain::require_secrets(&last.after)?;
    }
    if ptau.is_prepared() {
        lagrange::check(&ptau, reader, rng, progress)?;
    }
    progress.finish();
    let contributions = summary(&contributions)?;
    Ok(Verified { header, contributions, is_prepared: ptau.is_prepared(), is_hash_checked })
}

/// Requires that contributions, if there are any, continue each other, and that all powers are what the
/// last one leaves. Returns whether its hashes were recomputed.
pub(super) fn check_powers<E: Engine>(
    ptau: &Ptau<E>,
    contributions: &[ptau::Contribution<E>],
    reader: &mut (impl Read + Seek),
    settings: &Settings,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<bool, Error> {
    let header = ptau.header();
    chain::check(header, contributions, settings, rng, progress)?;
    let Some((last, earlier)) = contributions.split_last() else {
        // Without contributions τ, α and β are 1: all points are generators.
        check_points(ptau, &SecretPoints::initial(), reader, rng, progress)?;
        return Ok(false);
    };
    let hashes = match header.is_truncated() {
        true => None,
        false => Some(Hashes::new(&challenge(ptau, earlier)?, last)?),
    };
    let mut points = Points { source: ptau, after: &last.after, hashes, progress };
    points.check(reader, rng)?;
    let is_hash_checked = points.hashes.is_some();
    if let Some(hashes) = points.hashes {
        hashes.check(last, earlier.len())?;
    }
    Ok(is_hash_checked)
}

/// Requires that all points of a file are what some secrets make them, none of which is 1: all that
/// can be checked of a phase 1 whose history was left behind. It does not show who knows the secrets.
///
/// # Errors
/// [`Error::NoSecret`]; [`Error`], naming section and point.
pub fn verify_points<E: Engine>(
    reader: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let ptau = Ptau::<E>::open(reader)?;
    require_secrets::<E>(reader)?;
    check_unattributed(&ptau, reader, rng, progress)?;
    if ptau.is_prepared() {
        lagrange::check(&ptau, reader, rng, progress)?;
    }
    progress.finish();
    Ok(())
}

/// Requires that no secret of a phase 1 is 1.
pub(crate) fn require_secrets<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<(), Error> {
    let ptau = Ptau::<E>::open(reader)?;
    chain::require_secrets(&secret_points(&ptau, reader)?)
}

/// `[τ]₁`, `[τ]₂`, `[α]₁`, `[β]₁` and `[β]₂`, as the sections have them.
fn secret_points<E: Engine>(
    source: &impl Source<E>,
    reader: &mut (impl Read + Seek),
) -> Result<SecretPoints<E>, Error> {
    Ok(SecretPoints {
        tau_g1: source.g1(G1Section::Tau)?.read_one(reader, 1)?,
        tau_g2: source.g2(G2Section::Tau)?.read_one(reader, 1)?,
        alpha_g1: source.g1(G1Section::AlphaTau)?.read_one(reader, 0)?,
        beta_g1: source.g1(G1Section::BetaTau)?.read_one(reader, 0)?,
        beta_g2: source.g2(G2Section::Beta)?.read_one(reader, 0)?,
    })
}

/// Requires that all powers are what the last contribution leaves: without hashes.
pub(super) fn check_points<E: Engine>(
    source: &impl Source<E>,
    after: &SecretPoints<E>,
    reader: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    Points { source, after, hashes: None, progress }.check(reader, rng)
}

/// Requires that the points of a file are those of some secrets. Neither a challenge nor a
/// file without its history shows who contributed to them.
pub(super) fn check_unattributed<E: Engine>(
    source: &impl Source<E>,
    reader: &mut (impl Read + Seek),
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let after = secret_points(source, reader)?;
    // The progressions of sections 2 and 3 show that τ is the same in both groups. β has a single point in
    // G2, hence no progression there, and needs an equation of its own.
    let in_g1: [E::G1; 2] = [E::G1::generator(), after.beta_g1.into()];
    if !is_same_ratio::<E>(in_g1, [E::G2::generator(), after.beta_g2.into()]) {
        let place = source.g2(G2Section::Beta)?.place();
        return Err(Error::Unrelated { place, index: 0 });
    }
    check_points(source, &after, reader, rng, progress)
}

/// The hashes of the last response, up to the public key at its end, and of the challenge that follows it.
struct Hashes {
    response: Blake2b,
    challenge: Blake2b,
}

impl Hashes {
    /// A response begins with the hash of the challenge that it answers, a challenge with that of the response
    /// before it; the points follow in both.
    fn new<E: Engine>(answered: &[u8; 64], last: &ptau::Contribution<E>) -> Result<Self, Error> {
        let (mut response, mut challenge) = (Blake2b::new(), Blake2b::new());
        response.update(answered);
        challenge.update(&last.response_hash()?);
        Ok(Self { response, challenge })
    }

    fn update<G: CurveGroup>(&mut self, points: &[Affine<G>]) {
        rayon::join(
            || hash::<G>(&mut self.response, points, RESPONSE),
            || hash::<G>(&mut self.challenge, points, CHALLENGE),
        );
    }

    fn check<E: Engine>(self, last: &ptau::Contribution<E>, index: usize) -> Result<(), Error> {
        // Both states are compared with zeros behind the filled part of the block, whatever the file has there.
        // An unreadable state matches none, and is refused.
        let stored = Blake2b::from_state(&last.partial_hash).map(|hash| hash.state());
        if stored.ok() != Some(self.response.state()) {
            return Err(Error::ResponseHash { index });
        }
        match self.challenge.finish() == last.next_challenge {
            true => Ok(()),
            false => Err(Error::NextChallenge { index }),
        }
    }
}

/// The check of sections 2 to 6. For a list `P_0, P_1, …` in G1 its equation is
/// `e(Σ ρ_i·P_i, [τ]₂) = e(Σ ρ_i·P_{i+1}, [1]₂)` with random `ρ_i`; for one in G2 likewise, with `[τ]₁`.
struct Points<'a, E: Engine, S, P> {
    source: &'a S,
    /// What the last contribution says about them.
    after: &'a SecretPoints<E>,
    hashes: Option<Hashes>,
    progress: &'a P,
}

impl<E: Engine, S: Source<E>, P: Progress> Points<'_, E, S, P> {
    fn check(
        &mut self,
        reader: &mut (impl Read + Seek),
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<(), Error> {
        let (g, h) = (E::G1::affine_generator(), E::G2::affine_generator());
        let (tau_g1, tau_g2) = ([g, self.after.tau_g1], [h, self.after.tau_g2]);
        let affine = kernels::to_affine::<E::G2>;
        let mut equations = Equations::<E, Section>::new();
        for section in SECTIONS {
            match section {
                Section::G1(kind) => {
                    let known = match kind {
                        G1Section::AlphaTau => vec![self.after.alpha_g1],
                        G1Section::BetaTau => vec![self.after.beta_g1],
                        _ => tau_g1.to_vec(),
                    };
                    let Shift { truncated, shifted, .. } =
                        self.pass(&self.source.g1(kind)?, &known, reader, rng)?;
                    equations.same_ratio(section, [truncated, shifted], tau_g2);
                }
                Section::G2(G2Section::Beta) => {
                    let list = self.source.g2(G2Section::Beta)?;
                    self.pass(&list, &[self.after.beta_g2], reader, rng)?;
                }
                Section::G2(kind) => {
                    let Shift { truncated, shifted, .. } =
                        self.pass(&self.source.g2(kind)?, &tau_g2, reader, rng)?;
                    let shift = [truncated, shifted].map(affine);
                    equations.same_ratio(section, tau_g1, shift);
                }
            }
        }
        let Err(section) = equations.check(rng) else { return Ok(()) };
        // The section that fails is read again, by bisection, to name its first wrong point.
        let (place, index) = match section {
            Section::G1(kind) => {
                let is_tau = |shift: &Shift<E::G1>| {
                    is_same_ratio::<E>([shift.truncated, shift.shifted], tau_g2.map(Into::into))
                };
                (kind.place(), first_break(&self.source.g1(kind)?, reader, is_tau, rng)?)
            }
            Section::G2(kind) => {
                let is_tau = |shift: &Shift<E::G2>| {
                    is_same_ratio::<E>(tau_g1.map(Into::into), [shift.truncated, shift.shifted])
                };
                (kind.place(), first_break(&self.source.g2(kind)?, reader, is_tau, rng)?)
            }
        };
        Err(Error::Progression { place, index })
    }

    /// Reads a section once, for everything: checks that its points are in the group and the first ones those
    /// in `known`, hashes all, and sums the two random linear combinations.
    fn pass<G: CurveGroup>(
        &mut self,
        list: &PointList<G>,
        known: &[Affine<G>],
        reader: &mut (impl Read + Seek),
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Shift<G>, Error> {
        self.progress.begin(list.place(), list.len());
        let mut shift = Shift::new();
        for chunk in list.chunks(reader, CHUNK) {
            let (start, points) = chunk?;
            list.check_subgroup_batch(start, &points, rng)?;
            if start == 0 {
                check_first::<G>(list.place(), &points, known)?;
            }
            if let Some(hashes) = &mut self.hashes {
                hashes.update::<G>(&points);
            }
            let is_last = start + points.len() as u64 == list.len();
            shift.push(&points, is_last, rng);
            self.progress.advance(points.len() as u64);
        }
        Ok(shift)
    }
}

/// Requires the points that the last contribution left: the first two of a list that begins with
/// the generator, the first of others.
fn check_first<G: CurveGroup>(
    place: Place,
    points: &[Affine<G>],
    known: &[Affine<G>],
) -> Result<(), Error> {
    match points.iter().zip(known).position(|(point, known)| point != known) {
        None => Ok(()),
        Some(0) if known.len() > 1 => Err(Error::Generator { place }),
        Some(index) => Err(Error::Singular { place, index: index as u64 }),
    }
}
