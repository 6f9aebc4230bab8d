//! A contribution: from the last key to the next.

use std::io::{Read, Seek, Write};

use algebra::{AffineGroup, Engine, ScalarOf};
use circuit::{
    Attribution,
    zkey::{Contribution, G1Query, Zkey, ZkeyWriter},
};
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    CHUNK, chain,
    key::{Key, Secret, Transcript},
    reference::Against,
    verify::check_input,
};
use crate::{Error, Snapshot, Trust, kernels::times, phase1::Beacon};

/// What a contributor publishes and keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The circuit hash.
    pub circuit_hash: [u8; 64],
    /// The hash of the contribution: its name in public.
    pub contribution_hash: [u8; 64],
    /// The contribution's position in the file, from 0.
    pub index: usize,
}

/// Contributes a secret from `rng` to `old` and writes `new`, an empty file. The same generator makes
/// the same file.
///
/// `old` is verified first ([`trust`](crate::trust) says why); it may have no contributions yet.
///
/// # Errors
/// [`Error::File`] for files that are broken, and for a name that does not fit; those of
/// [`verify`](super::verify()); [`Error::NotFirst`].
pub fn contribute<E: Engine>(
    old: &mut Snapshot<impl Read + Seek>,
    new: &mut impl Write,
    name: Option<String>,
    trust: Trust<'_, Against<'_>>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let attribution = Attribution::participant(name);
    take_turn::<E>(old, new, &Key::random(rng), attribution, trust, progress)
}

/// Contributes what a beacon makes, after which everybody can see that the last contributor did not
/// choose the outcome. There is no secret to protect, and nothing of `old` is verified but that the
/// points that are multiplied are in the group.
///
/// # Errors
/// [`Error::File`] for files that are broken, and for a name that does not fit.
pub fn contribute_beacon<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut impl Write,
    name: Option<String>,
    beacon: &Beacon,
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let attribution = Attribution::beacon(name, beacon.iterations_exp(), beacon.hash().to_vec());
    let key = Key::of_beacon(beacon, progress);
    take_turn::<E>(old, new, &key, attribution, Trust::Skip, progress)
}

fn take_turn<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut impl Write,
    key: &Key<E>,
    attribution: Attribution,
    trust: Trust<'_, Against<'_>>,
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    attribution.require_writable()?;
    let zkey = Zkey::<E>::open(old)?;
    let circuit_hash = zkey.circuit_hash(old)?;
    let mut contributions = chain::contributions(&zkey, old)?;
    if let Trust::Verify { against, mut rng } = trust {
        check_input(&zkey, &contributions, old, against, &mut rng, progress)?;
    }
    let mut transcript = Transcript::new(&circuit_hash);
    contributions.iter().for_each(|before| transcript.push(before));

    let mut header = zkey.header().clone();
    let points = &mut header.points;
    let contribution: Contribution<E> = key.contribution(points.delta_g1, &transcript, attribution);
    points.delta_g1 = contribution.delta_after;
    points.delta_g2 = times::<E::G2>(points.delta_g2, &key.secret.delta);
    let (contribution_hash, index) = (contribution.hash(), contributions.len());
    contributions.push(contribution);

    let mut out = ZkeyWriter::<_, E>::new(new, header)?;
    write_points(&zkey, &key.secret, old, &mut out, progress)?;
    out.contributions(&circuit_hash, &contributions)?;
    out.finish()?;
    progress.finish();
    Ok(Receipt { circuit_hash, contribution_hash, index })
}

/// Writes sections 3 to 9: what `δ` does not touch as it is, and the rest divided by the secret.
pub(super) fn write_points<E: Engine, W: Write>(
    zkey: &Zkey<E>,
    secret: &Secret<ScalarOf<E>>,
    old: &mut (impl Read + Seek),
    out: &mut ZkeyWriter<W, E>,
    progress: &impl Progress,
) -> Result<(), Error> {
    for id in 3..=7 {
        out.copy(old, zkey.table().unique(id)?)?;
    }
    for query in [G1Query::K, G1Query::H] {
        divide(zkey, query, secret, old, out, progress)?;
    }
    Ok(())
}

/// Divides a section by the secret.
fn divide<E: Engine, W: Write>(
    zkey: &Zkey<E>,
    query: G1Query,
    secret: &Secret<ScalarOf<E>>,
    old: &mut (impl Read + Seek),
    out: &mut ZkeyWriter<W, E>,
    progress: &impl Progress,
) -> Result<(), Error> {
    let (list, mut out) = (zkey.g1(query)?, out.g1(query)?);
    progress.begin(list.place(), list.len());
    for chunk in list.chunks(old, CHUNK) {
        let (start, mut points) = chunk?;
        list.check_subgroup(start, &points)?;
        E::G1::scale_all(&mut points, &secret.inverse);
        out.write(&points)?;
        progress.advance(points.len() as u64);
    }
    Ok(out.finish()?.finish()?)
}
