//! The points of an accumulator on their way from one file to another.

use std::io::{Read, Seek, Write};

use algebra::{Affine, CurveGroup, Engine, PointForm, Scalar, ScalarOf};
use circuit::{
    Error as FileError, PointList, PointWriter,
    bellman::{PowersFile, PowersWriter},
    ptau::{G1Section, G2Section, Ptau, PtauWriter, SecretPoints},
};
use wire::{Blake2b, Progress};

use super::{
    accumulator::{CHUNK, SECTIONS, Section, hash},
    key::Secrets,
};
use crate::{Error, powers::Powers};

/// A file that has an accumulator's lists.
pub(super) trait Source<E: Engine> {
    fn g1(&self, section: G1Section) -> Result<PointList<E::G1>, FileError>;
    fn g2(&self, section: G2Section) -> Result<PointList<E::G2>, FileError>;
}

impl<E: Engine> Source<E> for Ptau<E> {
    fn g1(&self, section: G1Section) -> Result<PointList<E::G1>, FileError> {
        Ptau::g1(self, section)
    }

    fn g2(&self, section: G2Section) -> Result<PointList<E::G2>, FileError> {
        Ptau::g2(self, section)
    }
}

impl<E: Engine> Source<E> for PowersFile<E> {
    fn g1(&self, section: G1Section) -> Result<PointList<E::G1>, FileError> {
        PowersFile::g1(self, section)
    }

    fn g2(&self, section: G2Section) -> Result<PointList<E::G2>, FileError> {
        PowersFile::g2(self, section)
    }
}

/// A file that takes an accumulator's lists, one after the other.
pub(super) trait Target<E: Engine> {
    fn g1(
        &mut self,
        section: G1Section,
        chunks: impl Iterator<Item = Chunk<E::G1>>,
    ) -> Result<(), Error>;

    fn g2(
        &mut self,
        section: G2Section,
        chunks: impl Iterator<Item = Chunk<E::G2>>,
    ) -> Result<(), Error>;
}

type Chunk<G> = Result<Vec<Affine<G>>, Error>;

impl<E: Engine, W: Write> Target<E> for PtauWriter<W, E> {
    fn g1(
        &mut self,
        section: G1Section,
        chunks: impl Iterator<Item = Chunk<E::G1>>,
    ) -> Result<(), Error> {
        Ok(fill(PtauWriter::g1(self, section)?, chunks)?.finish()?)
    }

    fn g2(
        &mut self,
        section: G2Section,
        chunks: impl Iterator<Item = Chunk<E::G2>>,
    ) -> Result<(), Error> {
        Ok(fill(PtauWriter::g2(self, section)?, chunks)?.finish()?)
    }
}

impl<E: Engine, W: Write> Target<E> for PowersWriter<W, E> {
    fn g1(
        &mut self,
        section: G1Section,
        chunks: impl Iterator<Item = Chunk<E::G1>>,
    ) -> Result<(), Error> {
        fill(PowersWriter::g1(self, section)?, chunks).map(drop)
    }

    fn g2(
        &mut self,
        section: G2Section,
        chunks: impl Iterator<Item = Chunk<E::G2>>,
    ) -> Result<(), Error> {
        fill(PowersWriter::g2(self, section)?, chunks).map(drop)
    }
}

fn fill<W: Write, G: CurveGroup>(
    mut out: PointWriter<W, G>,
    chunks: impl Iterator<Item = Chunk<G>>,
) -> Result<W, Error> {
    for chunk in chunks {
        out.write(&chunk?)?;
    }
    Ok(out.finish()?)
}

/// What happens to the points on their way.
pub(super) trait Step<S: Scalar> {
    /// A section begins.
    fn begin(&mut self, section: Section);

    /// Points of a list from `start` on, which follow those before.
    fn apply<G: CurveGroup<Scalar = S>>(
        &mut self,
        list: &PointList<G>,
        start: u64,
        points: &mut [Affine<G>],
    ) -> Result<(), Error>;
}

/// Hashes the points and leaves them as they are. Their groups are not checked.
pub(super) struct HashOnly<'a> {
    pub hash: &'a mut Blake2b,
    pub form: PointForm,
}

impl<S: Scalar> Step<S> for HashOnly<'_> {
    fn begin(&mut self, _section: Section) {}

    fn apply<G: CurveGroup<Scalar = S>>(
        &mut self,
        _list: &PointList<G>,
        _start: u64,
        points: &mut [Affine<G>],
    ) -> Result<(), Error> {
        hash::<G>(self.hash, points, self.form);
        Ok(())
    }
}

/// Multiplies a contributor's secrets into points, which must be in their groups so that none gives
/// away anything about the secrets, and hashes the products where a hash is asked for.
pub(super) struct Multiply<'a, S: Scalar> {
    secrets: &'a Secrets<S>,
    powers: Powers<S>,
    response: Option<HashOnly<'a>>,
}

impl<'a, S: Scalar> Multiply<'a, S> {
    pub fn new(secrets: &'a Secrets<S>, response: Option<HashOnly<'a>>) -> Self {
        Self { secrets, powers: Powers::new(S::one(), secrets.tau), response }
    }
}

impl<S: Scalar> Step<S> for Multiply<'_, S> {
    fn begin(&mut self, section: Section) {
        let Secrets { tau, alpha, beta } = self.secrets;
        let first = match section {
            Section::G1(G1Section::AlphaTau) => *alpha,
            Section::G1(G1Section::BetaTau) | Section::G2(G2Section::Beta) => *beta,
            _ => S::one(),
        };
        self.powers = Powers::new(first, *tau);
    }

    fn apply<G: CurveGroup<Scalar = S>>(
        &mut self,
        list: &PointList<G>,
        start: u64,
        points: &mut [Affine<G>],
    ) -> Result<(), Error> {
        list.check_subgroup(start, points)?;
        G::scale_each(points, &self.powers.take(points.len()));
        if let Some(response) = &mut self.response {
            hash::<G>(response.hash, points, response.form);
        }
        Ok(())
    }
}

/// Takes all points from one file to another and returns those that tell the secrets apart.
pub(super) fn transfer<E: Engine>(
    source: &impl Source<E>,
    reader: &mut (impl Read + Seek),
    target: &mut impl Target<E>,
    step: &mut impl Step<ScalarOf<E>>,
    progress: &impl Progress,
) -> Result<SecretPoints<E>, Error> {
    let mut after = SecretPoints::<E>::initial();
    for section in SECTIONS {
        step.begin(section);
        match section {
            Section::G1(section) => {
                let (list, mut first) = (source.g1(section)?, [E::G1::affine_identity(); 2]);
                target.g1(section, chunks(&list, reader, step, &mut first, progress))?;
                let [zeroth, second] = first;
                match section {
                    G1Section::AlphaTau => after.alpha_g1 = zeroth,
                    G1Section::BetaTau => after.beta_g1 = zeroth,
                    _ => after.tau_g1 = second,
                }
            }
            Section::G2(section) => {
                let (list, mut first) = (source.g2(section)?, [E::G2::affine_identity(); 2]);
                target.g2(section, chunks(&list, reader, step, &mut first, progress))?;
                let [zeroth, second] = first;
                match section {
                    G2Section::Beta => after.beta_g2 = zeroth,
                    _ => after.tau_g2 = second,
                }
            }
        }
    }
    Ok(after)
}

/// A list's points after their step. `first` receives the first two, as far as there are two.
fn chunks<G: CurveGroup>(
    list: &PointList<G>,
    reader: &mut (impl Read + Seek),
    step: &mut impl Step<G::Scalar>,
    first: &mut [Affine<G>; 2],
    progress: &impl Progress,
) -> impl Iterator<Item = Chunk<G>> {
    progress.begin(list.place(), list.len());
    list.chunks(reader, CHUNK).map(move |chunk| {
        let (start, mut points) = chunk?;
        step.apply(list, start, &mut points)?;
        if start == 0 {
            first.iter_mut().zip(&points).for_each(|(first, point)| *first = *point);
        }
        progress.advance(points.len() as u64);
        Ok(points)
    })
}
