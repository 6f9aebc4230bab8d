//! The first file, and contributions to it.

use std::io::{Read, Seek, Write};

use algebra::{AffineGroup, CurveGroup, Engine, Group, Scalar, ScalarOf};
use circuit::native::{SonicG1, SonicG2, SonicSrs, SonicWriter};
use rand_core::CryptoRng;
use wire::{Encode, Progress};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    file::{Points, Record, Turn, open},
    verify::check_input,
};
use crate::{
    Error, Snapshot, Trust,
    phase1::secret,
    powers::Powers,
    series::{self, Receipt, check_name},
    step::Step,
};

/// The Fiat-Shamir label of the proofs.
pub(super) const PROTOCOL: &[u8] = b"subrosa/ceremony/sonic/v2";

/// Writes the file that a ceremony of degree `d` begins with: `x = α = 1`. Everybody makes the same.
///
/// Returns the hash that the first contribution answers.
///
/// # Errors
/// [`Error::File`] for a degree out of range, and of the writer.
pub fn new<E: Engine>(
    degree: u64,
    new: &mut impl Write,
    progress: &impl Progress,
) -> Result<[u8; 64], Error> {
    progress.begin("writing", 4);
    let record = Record::<E>(Vec::new());
    let mut out = SonicWriter::<_, E>::ceremony(new, degree, &record.to_bytes())?;
    for list in [SonicG1::Powers, SonicG1::AlphaPowers] {
        let mut points = out.g1(list)?;
        points.repeat(&E::G1::affine_generator(), points.remaining())?;
        points.finish()?;
        progress.advance(1);
    }
    for list in [SonicG2::Powers, SonicG2::AlphaPowers] {
        let mut points = out.g2(list)?;
        points.repeat(&E::G2::affine_generator(), points.remaining())?;
        points.finish()?;
        progress.advance(1);
    }
    out.finish()?;
    progress.finish();
    Ok(record.hashes(degree).pop().unwrap_or([0; 64]))
}

/// Contributes secrets from `rng` to `old` and writes `new`. The same generator makes the same file.
///
/// `old` is verified first ([`trust`](crate::trust) says why); it may have no contributions yet. The
/// proofs bind its digest. Takes memory for the whole file, and `4d` multiplications in each group.
///
/// # Errors
/// [`Error::File`] for a broken file, and for a name that does not fit; those of
/// [`verify`](super::verify).
pub fn contribute<E: Engine>(
    old: &mut Snapshot<impl Read + Seek>,
    new: &mut impl Write,
    name: Option<String>,
    trust: Trust<'_>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    check_name(&name)?;
    let (srs, mut record): (SonicSrs<E>, Record<E>) = open(old)?;
    let mut points = Points::read(&srs, old)?;
    if let Trust::Verify { rng, .. } = trust {
        check_input(&points, &record, rng, progress)?;
    }
    let before = record.hashes(srs.degree()).pop().unwrap_or([0; 64]);
    let secrets = Secrets { x: secret::<ScalarOf<E>>(rng), alpha: secret(rng) };

    let input = old.digest();
    let mut transcript = series::proofs(PROTOCOL, 1, &before, &name, &input);
    let x = Step::prove(&mut transcript, &points.x(), &secrets.x, rng);
    let alpha = Step::prove(&mut transcript, &points.alpha_g2(), &secrets.alpha, rng);
    record.0.push(Turn { name, input, x, alpha });
    secrets.multiply(&mut points, progress)?;

    points.write(SonicWriter::ceremony(new, srs.degree(), &record.to_bytes())?)?;
    progress.finish();
    let hash = record.hashes(srs.degree()).pop().unwrap_or([0; 64]);
    Ok(Receipt { hash, index: record.0.len() - 1 })
}

/// One contributor's shares, erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Secrets<S: Scalar> {
    x: S,
    alpha: S,
}

impl<S: Scalar> Secrets<S> {
    /// Multiplies `x^i` and `αx^i` into the points.
    fn multiply<E>(&self, points: &mut Points<E>, progress: &impl Progress) -> Result<(), Error>
    where
        E: Engine<G1: Group<Scalar = S>, G2: Group<Scalar = S>>,
    {
        progress.begin("contributing", 4);
        let degree = points.degree;
        let inverse = Zeroizing::new(self.x.invert().ok_or(Error::NoContributions)?);
        let negative = Powers::new(S::one(), *inverse).take(degree + 1);
        let lowest = negative.last().copied().unwrap_or_else(S::one);
        let powers = Powers::new(lowest, self.x).take(2 * degree + 1);
        let alpha_powers = Powers::new(lowest * self.alpha, self.x).take(2 * degree + 1);
        let mut without_zero = Zeroizing::new(Vec::with_capacity(2 * degree));
        without_zero.extend(alpha_powers.iter().take(degree));
        without_zero.extend(alpha_powers.iter().skip(degree + 1));

        E::G1::scale_each(&mut points.powers, &powers);
        progress.advance(1);
        E::G1::scale_each(&mut points.alpha_powers, &without_zero);
        progress.advance(1);
        E::G2::scale_each(&mut points.powers_g2, &powers);
        progress.advance(1);
        E::G2::scale_each(&mut points.alpha_powers_g2, &alpha_powers);
        progress.advance(1);
        Ok(())
    }
}
