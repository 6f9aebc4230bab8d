//! Contributions through bellman's parameters: a key goes out, and comes back with contributions.
//!
//! Bellman has `H` in powers, `h_j = [τ^(n+j) − τ^j]/δ` for `j < n − 1`, where keys have the odd
//! Lagrange points of the domain of twice the size,
//!
//! ```text
//! H_i = −1/2n · Σ_j ω^(−(2i+1)j) · h_j    for the root ω of order 2n, j < n.
//! ```
//!
//! Both sides of it are Fourier transforms over the domain of `ω²`. The highest power, `h_(n−1)`, is
//! not in parameters, and no proof needs it: a key that comes back is without.

use std::io::{Read, Seek, SeekFrom, Write};

use algebra::{Affine, AffineGroup, CurveGroup, Dialect, Engine, Scalar, ScalarOf};
use circuit::{
    Attribution, PointList, PointWriter,
    bellman::{Ceremony, G1Part, Parameters, ParametersWriter},
    zkey::{Contribution, G1Query, Zkey, ZkeyHeader, ZkeyWriter},
};
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    CHUNK, chain,
    contribute::Receipt,
    key::{Key, Transcript},
    parameters::{self, FirstParameters},
    verify::{Verified, verify},
};
use crate::{
    Error, Snapshot, Trust,
    kernels::{self, times},
    phase1::Settings,
};

/// The query that a list of parameters holds.
fn query(part: G1Part) -> G1Query {
    match part {
        G1Part::Ic => G1Query::Ic,
        G1Part::H => G1Query::H,
        G1Part::L => G1Query::K,
        G1Part::A => G1Query::A,
        G1Part::B => G1Query::B,
    }
}

/// Writes a key as bellman's parameters with their ceremony, in the dialect of snarkjs byte by byte
/// as `snarkjs zkey export bellman`. It takes memory for `H`.
///
/// # Errors
/// [`Error::File`] for files that are broken.
pub fn export_bellman<E: Engine>(
    key: &mut (impl Read + Seek),
    out: &mut impl Write,
    dialect: Dialect,
    progress: &impl Progress,
) -> Result<(), Error> {
    let zkey = Zkey::<E>::open(key)?;
    let header = zkey.header();
    let circuit_hash = zkey.circuit_hash(key)?;
    let contributions = chain::contributions(&zkey, key)?;
    let mut out = ParametersWriter::<_, E>::new(out, &header.points, dialect)?;
    for part in G1Part::ALL {
        let list = zkey.g1(query(part))?;
        if part == G1Part::H {
            let points = list.read(key, 0, list.len() as usize)?;
            let powers = h_powers::<E>(points)?;
            let mut out = out.g1(part, powers.len() as u32)?;
            out.write(&powers)?;
            out.finish()?;
        } else {
            copy(&list, key, out.g1(part, list.len() as u32)?, |_, _| Ok(()), progress)?;
        }
    }
    let list = zkey.b_g2()?;
    copy(&list, key, out.b_g2(list.len() as u32)?, |_, _| Ok(()), progress)?;
    out.finish(Some(&Ceremony { circuit_hash, contributions }))?;
    progress.finish();
    Ok(())
}

/// The hash of circuit and contributions with which the transcript of the next contribution to
/// parameters begins: the same as in the [`info`](super::info()) of the key.
///
/// # Errors
/// [`Error::NoCeremony`]; [`Error::File`] for files that are broken.
pub fn bellman_transcript<E: Engine>(
    file: &mut (impl Read + Seek),
    dialect: Dialect,
) -> Result<[u8; 64], Error> {
    let ceremony = Parameters::<E>::open(file, dialect)?.ceremony(file)?;
    Ok(transcript(&ceremony.ok_or(Error::NoCeremony)?).finish())
}

/// Contributes a secret from `rng` to parameters with their ceremony. The same generator makes the
/// same file.
///
/// The parameters are verified first, against the first ones of their ceremony
/// ([`trust`](crate::trust) says why).
///
/// # Errors
/// [`Error::NoCeremony`]; [`Error::File`] for files that are broken; [`Error::FirstKey`],
/// [`Error::NotFirst`]; those of [`verify`](fn@verify).
pub fn answer_bellman<E: Engine>(
    file: &mut Snapshot<impl Read + Seek>,
    out: &mut impl Write,
    dialect: Dialect,
    trust: Trust<'_, FirstParameters<'_>>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let parameters = Parameters::<E>::open(file, dialect)?;
    let mut ceremony = parameters.ceremony(file)?.ok_or(Error::NoCeremony)?;
    if let Trust::Verify { against, mut rng } = trust {
        parameters::check(&parameters, &ceremony, file, against, dialect, &mut rng, progress)?;
    }
    let (key, mut points) = (Key::<E>::random(rng), parameters.points().clone());
    let attribution = Attribution::participant(None);
    let contribution = key.contribution(points.delta_g1, &transcript(&ceremony), attribution);
    points.delta_g1 = contribution.delta_after;
    points.delta_g2 = times::<E::G2>(points.delta_g2, &key.secret.delta);
    let (circuit_hash, contribution_hash) = (ceremony.circuit_hash, contribution.hash());
    let index = ceremony.contributions.len();
    ceremony.contributions.push(contribution);

    let mut out = ParametersWriter::<_, E>::new(out, &points, dialect)?;
    for part in G1Part::ALL {
        let list = parameters.g1(part);
        let divide = |start, points: &mut [Affine<E::G1>]| {
            if matches!(part, G1Part::H | G1Part::L) {
                list.check_subgroup(start, points)?;
                E::G1::scale_all(points, &key.secret.inverse);
            }
            Ok(())
        };
        copy(&list, file, out.g1(part, list.len() as u32)?, divide, progress)?;
    }
    let list = parameters.b_g2();
    copy(&list, file, out.b_g2(list.len() as u32)?, |_, _| Ok(()), progress)?;
    out.finish(Some(&ceremony))?;
    progress.finish();
    Ok(Receipt { circuit_hash, contribution_hash, index })
}

/// The files that an import reads, the second and third as in [`verify`](fn@verify).
pub struct Import<'a, R, C, P, K> {
    /// The parameters that came back.
    pub response: &'a mut R,
    /// The circuit.
    pub circuit: &'a mut C,
    /// The prepared phase 1.
    pub ptau: &'a mut P,
    /// The key from which the parameters were exported.
    pub old: &'a mut K,
}

/// Adds the contributions of parameters to the key that they were exported from and writes `new`, an
/// empty file, byte by byte as `snarkjs zkey import bellman`. The new key is then
/// [verified](fn@verify) against circuit and phase 1: what is returned without an error was
/// accepted.
///
/// Parameters are without the highest power of `H`, so the settings must allow that it is missing.
///
/// Taken from the parameters are `δ`, `H`, `L` and the new contributions, all of which get the name;
/// the rest stays that of the old key.
///
/// # Errors
/// [`Error::NotContinued`] if the parameters are not of this key, drop or alter a contribution, or
/// have no new one; [`Error::NoCeremony`]; [`Error::File`]; those of [`verify`](fn@verify).
pub fn import_bellman<E: Engine>(
    files: Import<'_, impl Read + Seek, impl Read + Seek, impl Read + Seek, impl Read + Seek>,
    new: &mut (impl Read + Write + Seek),
    dialect: Dialect,
    name: Option<String>,
    settings: &Settings,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<Verified, Error> {
    let Import { response, circuit, ptau, old } = files;
    let attribution = Attribution::participant(name);
    attribution.require_writable()?;
    let zkey = Zkey::<E>::open(old)?;
    let circuit_hash = zkey.circuit_hash(old)?;
    let mut contributions = chain::contributions(&zkey, old)?;
    let parameters = Parameters::<E>::open(response, dialect)?;
    let ceremony = parameters.ceremony(response)?.ok_or(Error::NoCeremony)?;
    if ceremony.circuit_hash != circuit_hash {
        return Err(Error::NotContinued { what: "another circuit hash" });
    }
    contributions.extend(new_contributions(&contributions, ceremony.contributions, &attribution)?);
    let mut header = zkey.header().clone();
    check_lengths(&parameters, &header)?;
    header.points.delta_g1 = parameters.points().delta_g1;
    header.points.delta_g2 = parameters.points().delta_g2;

    let mut out = ZkeyWriter::<_, E>::new(&mut *new, header)?;
    for id in [3, 4] {
        out.copy(old, zkey.table().unique(id)?)?;
    }
    let h = parameters.g1(G1Part::H);
    let h = h_points::<E>(h.read(response, 0, h.len() as usize)?)?;
    let mut section = out.g1(G1Query::H)?;
    section.write(&h)?;
    section.finish()?.finish()?;
    let l = parameters.g1(G1Part::L);
    copy(&l, response, out.g1(G1Query::K)?, |_, _| Ok(()), progress)?.finish()?;
    for id in 5..=7 {
        out.copy(old, zkey.table().unique(id)?)?;
    }
    out.contributions(&circuit_hash, &contributions)?;
    out.finish()?;
    let verified = verify::<E>(circuit, ptau, new, settings, rng, progress)?;
    new.seek(SeekFrom::Start(0))?;
    Ok(verified)
}

/// The contributions behind those of the old key, which must be the first of them.
fn new_contributions<E: Engine>(
    old: &[Contribution<E>],
    mut all: Vec<Contribution<E>>,
    attribution: &Attribution,
) -> Result<Vec<Contribution<E>>, Error> {
    // Parameters do not say who contributed.
    let is_same = |(ours, theirs): (&Contribution<E>, &Contribution<E>)| {
        Contribution { attribution: Attribution::default(), ..ours.clone() } == *theirs
    };
    if all.len() < old.len() || !old.iter().zip(&all).all(is_same) {
        return Err(Error::NotContinued { what: "an earlier contribution is missing or altered" });
    }
    let mut new = all.split_off(old.len());
    if new.is_empty() {
        return Err(Error::NotContinued { what: "there is no new contribution" });
    }
    new.iter_mut().for_each(|one| one.attribution = attribution.clone());
    Ok(new)
}

fn check_lengths<E: Engine>(
    parameters: &Parameters<E>,
    header: &ZkeyHeader<E>,
) -> Result<(), Error> {
    let expected = |part| match part {
        G1Part::H => u64::from(header.domain_size) - 1,
        part => query(part).len(header),
    };
    let is_same = |part: G1Part| parameters.g1(part).len() == expected(part);
    match G1Part::ALL.into_iter().all(is_same)
        && parameters.b_g2().len() == u64::from(header.variables)
    {
        true => Ok(()),
        false => Err(Error::NotContinued { what: "a list has another number of points" }),
    }
}

fn transcript<E: Engine>(ceremony: &Ceremony<E>) -> Transcript {
    let mut transcript = Transcript::new(&ceremony.circuit_hash);
    ceremony.contributions.iter().for_each(|before| transcript.push(before));
    transcript
}

/// Takes a list from one file to another and hands the writer back.
fn copy<G: CurveGroup, W: Write>(
    list: &PointList<G>,
    reader: &mut (impl Read + Seek),
    mut out: PointWriter<W, G>,
    step: impl Fn(u64, &mut [Affine<G>]) -> Result<(), Error>,
    progress: &impl Progress,
) -> Result<W, Error> {
    progress.begin(list.place(), list.len());
    for chunk in list.chunks(reader, CHUNK) {
        let (start, mut points) = chunk?;
        step(start, &mut points)?;
        out.write(&points)?;
        progress.advance(points.len() as u64);
    }
    Ok(out.finish()?)
}

/// From `H` of a key to `h`: `h_j = −2 ω^j Σ_i ω^(2ij) H_i`, but for the last.
fn h_powers<E: Engine>(mut points: Vec<Affine<E::G1>>) -> Result<Vec<Affine<E::G1>>, Error> {
    kernels::values::<E, E::G1>(&mut points)?;
    let root = odd_root::<E>(points.len())?;
    scale::<E>(&mut points, -ScalarOf::<E>::from_u64(2), root);
    points.pop();
    Ok(points)
}

/// From `h` to `H` of a key, as if the last `h_j` were neutral.
fn h_points<E: Engine>(mut powers: Vec<Affine<E::G1>>) -> Result<Vec<Affine<E::G1>>, Error> {
    powers.push(E::G1::affine_identity());
    let invert = |scalar: ScalarOf<E>| scalar.invert().ok_or(Error::Domain { log_size: 0 });
    let (root, two) = (odd_root::<E>(powers.len())?, ScalarOf::<E>::from_u64(2));
    scale::<E>(&mut powers, -invert(two)?, invert(root)?);
    kernels::lagrange::<E, E::G1>(&powers)
}

/// The root of unity of twice the order.
fn odd_root<E: Engine>(size: usize) -> Result<ScalarOf<E>, Error> {
    let log_size = size.trailing_zeros() + 1;
    E::root_of_unity(log_size).ok_or(Error::Domain { log_size })
}

/// `points_j = first · base^j · points_j`.
fn scale<E: Engine>(points: &mut [Affine<E::G1>], first: ScalarOf<E>, base: ScalarOf<E>) {
    let mut scalars = vec![ScalarOf::<E>::one(); points.len()];
    algebra::scale_by_powers(&mut scalars, first, base);
    E::G1::scale_each(points, &scalars);
}
