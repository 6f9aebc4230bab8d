//! The first file, and contributions to it.

use std::io::{Read, Seek, Write};

use algebra::{AffineGroup, CurveGroup, Engine, Group, Scalar, ScalarOf};
use circuit::native::{SonicG1, SonicG2, SonicSrs, SonicWriter};
use rand_core::CryptoRng;
use wire::{Digest, Encode, Progress};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    file::{PROTOCOL, Points, Record, Turn, open},
    verify::check_input,
};
use crate::{
    Error, Snapshot, Trust,
    phase1::secret,
    powers::Powers,
    series::{self, Receipt, check_name},
    step::Step,
};

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
    // `hashes` begins with the one before the first contribution.
    Ok(record.hashes(degree).pop().unwrap_or([0; 64]))
}

/// Contributes secrets from `rng` to `old` and writes `new`. The same generator makes the same file.
///
/// `old` is verified first ([`trust`](crate::trust) says why); it may have no contributions yet. The
/// proofs bind its digest. Takes memory for the whole file, and `4d` multiplications in each group.
///
/// # Errors
/// [`Error::File`] for a broken file, and for a name that does not fit; those of
/// [`verify`](super::verify()).
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
    // As in `new`; and behind it there is one for each contribution.
    let before = record.hashes(srs.degree()).pop().unwrap_or([0; 64]);
    let place = Place { before, name, input: old.digest() };
    let secrets = Secrets { x: secret::<ScalarOf<E>>(rng), alpha: secret(rng) };
    record.0.push(secrets.prove(&points, place, rng));
    secrets.multiply(&mut points, progress)?;

    points.write(SonicWriter::ceremony(new, srs.degree(), &record.to_bytes())?)?;
    progress.finish();
    let hash = record.hashes(srs.degree()).pop().unwrap_or([0; 64]);
    Ok(Receipt { hash, index: record.0.len() - 1 })
}

/// What a contribution's proofs are bound to.
struct Place {
    before: [u8; 64],
    name: Option<String>,
    input: Digest,
}

/// One contributor's shares, erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Secrets<S: Scalar> {
    x: S,
    alpha: S,
}

impl<S: Scalar> Secrets<S> {
    fn prove<E>(
        &self,
        points: &Points<E>,
        Place { before, name, input }: Place,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Turn<E>
    where
        E: Engine<G1: Group<Scalar = S>, G2: Group<Scalar = S>>,
    {
        let mut transcript = series::proofs(PROTOCOL, 1, &before, &name, &input);
        let x = Step::prove(&mut transcript, &points.x(), &self.x, rng);
        let alpha = Step::prove(&mut transcript, &points.alpha_g2(), &self.alpha, rng);
        Turn { name, input, x, alpha }
    }

    /// Multiplies `x^i` and `αx^i` into the points.
    fn multiply<E>(&self, points: &mut Points<E>, progress: &impl Progress) -> Result<(), Error>
    where
        E: Engine<G1: Group<Scalar = S>, G2: Group<Scalar = S>>,
    {
        progress.begin("contributing", 4);
        let degree = points.degree;
        let inverse = Zeroizing::new(self.x.invert().ok_or(Error::NoContributions)?);
        let negative = Powers::new(S::one(), *inverse).take(degree + 1);
        // There is one power at least, that of 0.
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use std::io::Cursor;

    use algebra::{Bls12381, Bn254};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::sonic::verify;

    const DEGREE: u64 = 2;

    fn rng() -> ChaCha20Rng {
        ChaCha20Rng::from_seed([9; 32])
    }

    /// A contribution by secrets of its maker's choice, with right proofs.
    fn choose<E: Engine>(old: &[u8], [x, alpha]: [u64; 2]) -> Vec<u8> {
        let mut old = Snapshot::take(Cursor::new(old), &()).unwrap();
        let (srs, mut record): (SonicSrs<E>, Record<E>) = open(&mut old).unwrap();
        let mut points = Points::read(&srs, &mut old).unwrap();
        let before = record.hashes(DEGREE).pop().unwrap();
        let place = Place { before, name: None, input: old.digest() };
        let [x, alpha] = [x, alpha].map(ScalarOf::<E>::from_u64);
        let secrets = Secrets { x, alpha };
        record.0.push(secrets.prove(&points, place, &mut rng()));
        secrets.multiply(&mut points, &()).unwrap();
        let new = SonicWriter::ceremony(Vec::new(), DEGREE, &record.to_bytes()).unwrap();
        points.write(new).unwrap()
    }

    /// A contribution that everybody can make, with right proofs, counted as somebody's.
    fn idle<E: Engine>() {
        let mut start = Vec::new();
        new::<E>(DEGREE, &mut start, &()).unwrap();
        let honest = choose::<E>(&start, [2, 3]);
        let verified = |file: &[u8]| verify::<E>(&mut Cursor::new(file), &mut rng(), &());
        verified(&choose::<E>(&honest, [5, 7])).unwrap();
        for (secrets, expected) in [([1, 7], "x"), ([5, 1], "alpha"), ([1, 1], "x")] {
            let refused = verified(&choose::<E>(&start, secrets)).unwrap_err();
            assert!(matches!(refused, Error::NoSecret { .. }), "{refused}");
            let file = choose::<E>(&honest, secrets);
            let refused = verified(&file).unwrap_err();
            assert!(
                matches!(refused, Error::Idle { index: 1, secret } if secret == expected),
                "{refused}"
            );
            // Nor does anybody contribute to it.
            for (file, at) in [(&choose::<E>(&start, secrets), 0), (&file, 1)] {
                let mut old = Snapshot::take(Cursor::new(file), &()).unwrap();
                let mut verifier = rng();
                let trust = Trust::verify((), &mut verifier);
                let refused =
                    contribute::<E>(&mut old, &mut Vec::new(), None, trust, &mut rng(), &());
                assert!(
                    matches!(refused, Err(Error::Idle { index, .. }) if index == at),
                    "{refused:?}"
                );
            }
        }
        let refused = verified(&choose::<E>(&honest, [5, 0])).unwrap_err();
        assert!(refused.to_string().contains("infinity"), "{refused}");
    }

    #[test]
    fn a_secret_of_one_is_no_contribution() {
        idle::<Bn254>();
        idle::<Bls12381>();
    }
}
