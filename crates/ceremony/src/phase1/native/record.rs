//! The transcript in the file.

use std::io::{Read, Seek};

use algebra::{Affine, AffineGroup, Engine, Group, Pairing, Scalar, ScalarOf};
use circuit::{
    Error as FileError,
    ptau::{Ptau, PtauHeader, SecretPoints},
};
use wire::{Decode, DecodeError, Digest, Encode, Progress, Reader};

use super::Contribution;
use crate::{
    Error, Records,
    kernels::times,
    knowledge::{ALPHA, BETA, Knowledge, TAU},
    phase1::{Beacon, key::Secrets},
    series,
    step::point,
    turns::{Place, Turns},
};

/// The label of the chain and of the proofs.
pub(super) const PROTOCOL: &str = "subrosa/ceremony/phase1/v2";

/// What a turn left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct After<E: Engine>(pub SecretPoints<E>);

/// That its maker knew the secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proofs<E: Engine> {
    pub tau: Knowledge<E>,
    pub alpha: Knowledge<E>,
    pub beta: Knowledge<E>,
}

/// Everybody who contributed.
pub(super) type Record<E> = Turns<After<E>, Proofs<E>>;

impl<E: Engine> After<E> {
    /// What secrets make of what was before.
    pub fn of(before: &SecretPoints<E>, secrets: &Secrets<ScalarOf<E>>) -> Self {
        let Secrets { tau, alpha, beta } = secrets;
        Self(SecretPoints {
            tau_g1: times::<E::G1>(before.tau_g1, tau),
            tau_g2: times::<E::G2>(before.tau_g2, tau),
            alpha_g1: times::<E::G1>(before.alpha_g1, alpha),
            beta_g1: times::<E::G1>(before.beta_g1, beta),
            beta_g2: times::<E::G2>(before.beta_g2, beta),
        })
    }
}

impl<E: Engine> Proofs<E> {
    pub fn new(secrets: &Secrets<ScalarOf<E>>, place: &Place<'_>, input: &Digest) -> Self {
        let challenge = place.challenge(input);
        Self {
            tau: Knowledge::prove(&TAU, &challenge, &secrets.tau),
            alpha: Knowledge::prove(&ALPHA, &challenge, &secrets.alpha),
            beta: Knowledge::prove(&BETA, &challenge, &secrets.beta),
        }
    }

    /// `R` and `x·R` for `τ`, `α` and `β`.
    pub fn ratios(&self, place: &Place<'_>, input: &Digest) -> [[Affine<E::G2>; 2]; 3] {
        let challenge = place.challenge(input);
        let Self { tau, alpha, beta } = self;
        [(tau, TAU), (alpha, ALPHA), (beta, BETA)].map(|(one, tag)| one.ratio(&tag, &challenge))
    }
}

/// The secrets of a beacon, which everybody can recompute.
pub(super) fn beacon_secrets<S: Scalar>(
    place: &Place<'_>,
    beacon: &Beacon,
    progress: &impl Progress,
) -> Secrets<S> {
    let mut next = place.secrets(beacon, progress);
    Secrets { tau: next(), alpha: next(), beta: next() }
}

impl<E: Engine> Encode for After<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        let SecretPoints { tau_g1, tau_g2, alpha_g1, beta_g1, beta_g2 } = &self.0;
        [tau_g1, alpha_g1, beta_g1]
            .into_iter()
            .for_each(|point| out.extend(E::G1::from_affine(point).encode()));
        [tau_g2, beta_g2]
            .into_iter()
            .for_each(|point| out.extend(E::G2::from_affine(point).encode()));
    }
}

impl<E: Engine> Decode for After<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(SecretPoints {
            tau_g1: point::<E::G1>(reader, "[tau]1")?,
            alpha_g1: point::<E::G1>(reader, "[alpha]1")?,
            beta_g1: point::<E::G1>(reader, "[beta]1")?,
            tau_g2: point::<E::G2>(reader, "[tau]2")?,
            beta_g2: point::<E::G2>(reader, "[beta]2")?,
        }))
    }
}

impl<E: Engine> Encode for Proofs<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        [&self.tau, &self.alpha, &self.beta].into_iter().for_each(|proof| proof.encode(out));
    }
}

impl<E: Engine> Decode for Proofs<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut proof = || Knowledge::decode(reader);
        Ok(Self { tau: proof()?, alpha: proof()?, beta: proof()? })
    }
}

/// The hash that the first contribution answers.
pub(super) fn start<E: Engine>(header: PtauHeader) -> [u8; 64] {
    let power = u64::from(header.ceremony_power).to_le_bytes();
    series::start(PROTOCOL, &[<E as Pairing>::NAME.as_bytes(), &power])
}

/// Opens a file.
pub(super) fn open<E: Engine>(
    reader: &mut (impl Read + Seek),
) -> Result<(Ptau<E>, Record<E>), Error> {
    let ptau = Ptau::<E>::open(reader)?;
    if !ptau.is_native() {
        return Err(Error::NotNative);
    }
    if ptau.contributions(reader)?.next().transpose()?.is_some() {
        return Err(Error::TwoCeremonies);
    }
    let record = Record::from_bytes(&ptau.transcript(reader)?);
    let place = "ptau section 100 (native transcript)";
    Ok((ptau, record.map_err(|reason| FileError::Record { place, reason })?))
}

/// Whether a `.ptau` file is of a native ceremony.
///
/// # Errors
/// [`Error::File`].
pub fn is_native<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<bool, Error> {
    Ok(Ptau::<E>::open(reader)?.is_native())
}

/// What a file says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The powers of the file and of its ceremony.
    pub header: PtauHeader,
    /// Whether the file has Lagrange sections.
    pub is_prepared: bool,
    /// The contributions, first to last.
    pub contributions: Vec<Contribution>,
    /// The hash that the next contribution answers.
    pub challenge: [u8; 64],
}

impl Info {
    pub(super) fn new<E: Engine>(ptau: &Ptau<E>, record: &Record<E>) -> Self {
        let (header, is_prepared) = (ptau.header(), ptau.is_prepared());
        let start = start::<E>(header);
        let (contributions, challenge) = (record.contributions(start), record.last_hash(start));
        Self { header, is_prepared, contributions, challenge }
    }
}

/// Reads what a file says about itself. Nothing of it is checked.
///
/// # Errors
/// [`Error::NotNative`], [`Error::TwoCeremonies`]; [`Error::File`].
pub fn info<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Info, Error> {
    let (ptau, record) = open::<E>(reader)?;
    Ok(Info::new(&ptau, &record))
}

/// The contributions, byte by byte, of a file that should have been [verified](super::verify()).
///
/// # Errors
/// Those of [`info`].
pub fn records<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Records, Error> {
    let (ptau, record) = open::<E>(reader)?;
    Ok(record.records(start::<E>(ptau.header())))
}
