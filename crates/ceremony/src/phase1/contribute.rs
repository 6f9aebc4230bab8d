//! A contribution: from the last file to the next.

use std::io::{Read, Seek, SeekFrom, Write};

use algebra::{Affine, CurveGroup, Engine, Scalar, ScalarOf};
use circuit::{
    Attribution, PointList, PointWriter,
    ptau::{Contribution, G1Section, G2Section, Ptau, PtauWriter, Singular, rewrite_contributions},
};
use rand_core::CryptoRng;
use wire::{Blake2b, Progress};

use super::{
    accumulator::{self, CHALLENGE, CHUNK, RESPONSE, SECTIONS, Section, hash},
    initial::first_challenge,
    key::{Beacon, Key, Secrets},
    powers::Powers,
};
use crate::Error;

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
/// `old` should have been [verified](super::verify): this checks that its points are in the groups,
/// so that none gives away anything about the secrets, and nothing more. Lagrange sections are not
/// taken over.
///
/// # Errors
/// [`Error::Reduced`]; [`Error::File`] for files that are broken, and for a name that does not fit.
pub fn contribute<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut (impl Read + Write + Seek),
    name: Option<String>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let attribution = Attribution::participant(name);
    let turn = Turn::<E>::open(old, &attribution)?;
    let key = Key::random(&turn.challenge, rng);
    turn.take(old, new, &key, attribution, progress)
}

/// Contributes what a beacon makes, after which everybody can see that the last contributor did not
/// choose the outcome. The rest is as in [`contribute`].
///
/// # Errors
/// Those of [`contribute`].
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

/// The hash of the challenge that a contribution to this file answers.
pub(super) fn challenge<E: Engine>(ptau: &Ptau<E>, contributions: &[Contribution<E>]) -> [u8; 64] {
    match contributions.last() {
        Some(last) => last.next_challenge,
        None => first_challenge::<E>(ptau.header().ceremony_power),
    }
}

/// What is known before the secrets are.
struct Turn<E: Engine> {
    ptau: Ptau<E>,
    contributions: Vec<Contribution<E>>,
    challenge: [u8; 64],
}

impl<E: Engine> Turn<E> {
    fn open(old: &mut (impl Read + Seek), attribution: &Attribution) -> Result<Self, Error> {
        attribution.require_writable()?;
        let ptau = Ptau::<E>::open(old)?;
        let ceremony_power = ptau.header().ceremony_power;
        if ptau.header().is_truncated() {
            return Err(Error::Reduced { ceremony_power });
        }
        let contributions = ptau.contributions(old)?.collect::<Result<Vec<_>, _>>()?;
        let challenge = challenge(&ptau, &contributions);
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
        let Self { ptau, mut contributions, challenge } = self;
        let mut response = Blake2b::new();
        response.update(&challenge);
        let mut out = PtauWriter::<_, E>::new(&mut *new, ptau.header(), false)?;
        let after = Multiplication {
            ptau: &ptau,
            secrets: &key.secrets,
            response: &mut response,
            progress,
        }
        .run(old, &mut out)?;
        let index = contributions.len();
        contributions.push(Contribution {
            after,
            public_key: key.public.clone(),
            partial_hash: response.state(),
            next_challenge: [0; 64],
            attribution,
        });
        out.contributions(&contributions)?;
        out.finish()?;

        // The next challenge hashes the response's hash first, and then all the points again.
        let response_hash = match contributions.last() {
            Some(last) => last.response_hash()?,
            None => [0; 64],
        };
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

/// The multiplication of all points by the secrets.
struct Multiplication<'a, E: Engine, P> {
    ptau: &'a Ptau<E>,
    secrets: &'a Secrets<ScalarOf<E>>,
    response: &'a mut Blake2b,
    progress: &'a P,
}

impl<E: Engine, P: Progress> Multiplication<'_, E, P> {
    /// Writes sections 2 to 6 and returns the points that tell the new secrets apart.
    fn run<W: Write>(
        mut self,
        old: &mut (impl Read + Seek),
        out: &mut PtauWriter<W, E>,
    ) -> Result<Singular<E>, Error> {
        let mut after = Singular::<E>::initial();
        let one = ScalarOf::<E>::one();
        let Secrets { tau, alpha, beta } = self.secrets;
        for section in SECTIONS {
            match section {
                Section::G1(section) => {
                    let first = match section {
                        G1Section::AlphaTau => *alpha,
                        G1Section::BetaTau => *beta,
                        _ => one,
                    };
                    let (list, powers) = (self.ptau.g1(section)?, Powers::new(first, *tau));
                    let [zeroth, second] = self.section(&list, powers, old, out.g1(section)?)?;
                    match section {
                        G1Section::AlphaTau => after.alpha_g1 = zeroth,
                        G1Section::BetaTau => after.beta_g1 = zeroth,
                        _ => after.tau_g1 = second,
                    }
                }
                Section::G2(section) => {
                    let first = if section == G2Section::Beta { *beta } else { one };
                    let (list, powers) = (self.ptau.g2(section)?, Powers::new(first, *tau));
                    let [zeroth, second] = self.section(&list, powers, old, out.g2(section)?)?;
                    match section {
                        G2Section::Beta => after.beta_g2 = zeroth,
                        _ => after.tau_g2 = second,
                    }
                }
            }
        }
        Ok(after)
    }

    /// Returns the section's first two points, or the neutral element where there is none.
    fn section<G: CurveGroup<Scalar = ScalarOf<E>>, W: Write>(
        &mut self,
        list: &PointList<G>,
        mut powers: Powers<G::Scalar>,
        old: &mut (impl Read + Seek),
        mut out: PointWriter<wire::SectionBody<'_, W>, G>,
    ) -> Result<[Affine<G>; 2], Error> {
        self.progress.begin(list.place(), list.len());
        let mut first = [G::affine_identity(); 2];
        for chunk in list.chunks(old, CHUNK) {
            let (start, mut points) = chunk?;
            list.check_subgroup(start, &points)?;
            let scalars = powers.take(points.len());
            G::scale_each(&mut points, &scalars);
            out.write(&points)?;
            hash::<G>(self.response, &points, RESPONSE);
            if start == 0 {
                first.iter_mut().zip(&points).for_each(|(first, point)| *first = *point);
            }
            self.progress.advance(points.len() as u64);
        }
        out.finish()?.finish()?;
        Ok(first)
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
