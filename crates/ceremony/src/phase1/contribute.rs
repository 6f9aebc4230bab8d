//! A contribution: from the last file to the next.

use std::io::{Read, Seek, SeekFrom, Write};

use algebra::{CurveGroup, Engine};
use circuit::{
    Attribution, PointList,
    ptau::{Contribution, Ptau, PtauWriter, rewrite_contributions},
};
use rand_core::CryptoRng;
use wire::{Blake2b, Progress};

use super::{
    accumulator::{self, CHALLENGE, CHUNK, RESPONSE, SECTIONS, Section, hash},
    chain::{challenge, contributions},
    key::{Beacon, Key},
    transfer::{HashOnly, Multiply, transfer},
    verify::check_powers,
};
use crate::{Error, Snapshot, Trust, settings::Settings};

/// What a contributor publishes and keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The hash of the response: the contribution's name in public.
    pub response_hash: [u8; 64],
    /// The hash of the challenge that the next contribution answers.
    pub next_challenge: [u8; 64],
    /// The contribution's position in the file, from 0.
    pub index: usize,
}

/// Contributes secrets from `rng` to `old` and writes `new`, an empty file. The same generator
/// makes the same file.
///
/// `old` is verified first, all of it but the Lagrange sections, which are not taken over
/// ([`trust`](crate::trust) says why); it may have no contributions yet.
///
/// # Errors
/// [`Error::Reduced`]; [`Error::File`] for files that are broken, and for a name that does not fit;
/// those of [`verify`](super::verify()).
pub fn contribute<E: Engine>(
    old: &mut Snapshot<impl Read + Seek>,
    new: &mut (impl Read + Write + Seek),
    name: Option<String>,
    trust: Trust<'_, &Settings>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let attribution = Attribution::participant(name);
    let turn = Turn::<E>::open(old, &attribution)?;
    if let Trust::Verify { against: settings, rng } = trust {
        check_powers(&turn.ptau, &turn.contributions, old, settings, rng, progress)?;
    }
    let key = Key::random(&turn.challenge, rng);
    turn.take(old, new, &key, attribution, progress)
}

/// Contributes what a beacon makes, after which everybody can see that the last contributor did not
/// choose the outcome. There is no secret to protect, and nothing of `old` is verified but that its
/// points are in the groups. Lagrange sections are not taken over.
///
/// # Errors
/// [`Error::Reduced`]; [`Error::File`] for files that are broken, and for a name that does not fit.
pub fn contribute_beacon<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut (impl Read + Write + Seek),
    name: Option<String>,
    beacon: &Beacon,
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let attribution = Attribution::beacon(name, beacon.iterations_exp(), beacon.hash().to_vec());
    let turn = Turn::<E>::open(old, &attribution)?;
    let key = Key::of_beacon(beacon, &turn.challenge, progress);
    turn.take(old, new, &key, attribution, progress)
}

/// A contribution in the making: first what is known before the secrets are.
pub(super) struct Turn<E: Engine> {
    pub ptau: Ptau<E>,
    contributions: Vec<Contribution<E>>,
    /// The hash of the challenge that is answered.
    pub challenge: [u8; 64],
}

impl<E: Engine> Turn<E> {
    pub fn open(old: &mut (impl Read + Seek), attribution: &Attribution) -> Result<Self, Error> {
        attribution.require_writable()?;
        let ptau = Ptau::<E>::open(old)?;
        let ceremony_power = ptau.header().ceremony_power;
        if ptau.header().is_truncated() {
            return Err(Error::Reduced { ceremony_power });
        }
        let contributions = contributions(&ptau, old)?;
        let challenge = challenge(&ptau, &contributions)?;
        Ok(Self { ptau, contributions, challenge })
    }

    fn take(
        self,
        old: &mut (impl Read + Seek),
        new: &mut (impl Read + Write + Seek),
        key: &Key<E>,
        attribution: Attribution,
        progress: &impl Progress,
    ) -> Result<Receipt, Error> {
        let mut response = Blake2b::new();
        response.update(&self.challenge);
        let mut out = PtauWriter::<_, E>::new(&mut *new, self.ptau.header(), false)?;
        let hash = HashOnly { hash: &mut response, form: RESPONSE };
        let mut step = Multiply::new(&key.secrets, Some(hash));
        let after = transfer(&self.ptau, old, &mut out, &mut step, progress)?;
        let contribution = Contribution {
            after,
            public_key: key.public.clone(),
            partial_hash: response.state(),
            next_challenge: [0; 64],
            attribution,
        };
        self.finish(out, contribution)?.seal(new, progress)
    }

    /// Ends a file whose points are written, with a contribution that lacks the next challenge.
    pub fn finish<W: Write>(
        mut self,
        mut out: PtauWriter<W, E>,
        contribution: Contribution<E>,
    ) -> Result<Unsealed<E>, Error> {
        let (index, response_hash) = (self.contributions.len(), contribution.response_hash()?);
        self.contributions.push(contribution);
        out.contributions(&self.contributions)?;
        out.finish()?;
        Ok(Unsealed { contributions: self.contributions, response_hash, index })
    }
}

/// A file that is complete but for the hash of the next challenge.
pub(super) struct Unsealed<E: Engine> {
    contributions: Vec<Contribution<E>>,
    response_hash: [u8; 64],
    index: usize,
}

impl<E: Engine> Unsealed<E> {
    /// The next challenge hashes the response's hash first, and then all the points again.
    pub fn seal(
        self,
        new: &mut (impl Read + Write + Seek),
        progress: &impl Progress,
    ) -> Result<Receipt, Error> {
        let Self { mut contributions, response_hash, index } = self;
        let ptau = Ptau::<E>::open(new)?;
        let next_challenge = hash_points(&ptau, new, &response_hash, progress)?;
        if let Some(last) = contributions.last_mut() {
            last.next_challenge = next_challenge;
        }
        rewrite_contributions(&ptau, new, &contributions)?;
        new.seek(SeekFrom::Start(0))?;
        progress.finish();
        Ok(Receipt { response_hash, next_challenge, index })
    }
}

/// The hash of a challenge: the hash of the response before it, and all the points of a file.
fn hash_points<E: Engine>(
    ptau: &Ptau<E>,
    reader: &mut (impl Read + Seek),
    response_hash: &[u8; 64],
    progress: &impl Progress,
) -> Result<[u8; 64], Error> {
    let mut challenge = Blake2b::new();
    challenge.update(response_hash);
    progress.begin("hashing", accumulator::len::<E>(ptau.header().power, CHALLENGE));
    for section in SECTIONS {
        match section {
            Section::G1(section) => {
                let list = ptau.g1(section)?;
                hash_list(&list, reader, &mut challenge, progress)?;
            }
            Section::G2(section) => {
                let list = ptau.g2(section)?;
                hash_list(&list, reader, &mut challenge, progress)?;
            }
        }
    }
    Ok(challenge.finish())
}

fn hash_list<G: CurveGroup>(
    list: &PointList<G>,
    reader: &mut (impl Read + Seek),
    challenge: &mut Blake2b,
    progress: &impl Progress,
) -> Result<(), Error> {
    for chunk in list.chunks(reader, CHUNK) {
        let (_, points) = chunk?;
        hash::<G>(challenge, &points, CHALLENGE);
        progress.advance((points.len() * G::form_len(CHALLENGE)) as u64);
    }
    Ok(())
}
