//! The first file, and contributions to it.

use std::io::{Read, Seek, Write};

use algebra::{Engine, ScalarOf};
use circuit::ptau::{Ptau, PtauHeader, PtauWriter};
use rand_core::CryptoRng;
use wire::{Encode, Progress};

use super::{
    Receipt,
    record::{After, PROTOCOL, Proofs, Record, beacon_secrets, open, start},
    verify::check_powers,
};
use crate::{
    Error, Snapshot, Trust,
    phase1::{
        Beacon, Settings,
        initial::write_generators,
        key::{Secrets, secret},
        transfer::{Multiply, transfer},
    },
    series::check_name,
    turns::{Known, Origin, Place, Turn, Turns},
};

/// Writes the file to which nobody has contributed, `τ = α = β = 1`. Everybody makes the same.
///
/// Returns the hash that the first contribution answers.
///
/// # Errors
/// [`Error::File`] for a power that the curve's field does not have; errors of the writer.
pub fn new<E: Engine>(
    writer: impl Write,
    power: u32,
    progress: &impl Progress,
) -> Result<[u8; 64], Error> {
    let header = PtauHeader::new(power);
    let mut out = PtauWriter::<_, E>::native(writer, header, false)?;
    write_generators(&mut out, power, progress)?;
    finish(out, &Turns(Vec::new()))?;
    progress.finish();
    Ok(start::<E>(header))
}

/// Contributes secrets from `rng` to `old` and writes `new`, an empty file. The same generator
/// makes the same file.
///
/// `old` is verified first, all of it but the Lagrange sections, which are not taken over
/// ([`trust`](crate::trust) says why); it may have no contributions yet. The proofs bind its digest.
///
/// # Errors
/// [`Error::Reduced`], [`Error::NotNative`]; [`Error::File`] for files that are broken, and for a name
/// that does not fit; those of [`verify`](super::verify()).
pub fn contribute<E: Engine>(
    old: &mut Snapshot<impl Read + Seek>,
    new: &mut impl Write,
    name: Option<String>,
    trust: Trust<'_, &Settings>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let input = old.digest();
    take_turn::<E>(old, new, name, trust, progress, |place| {
        let secrets = Secrets { tau: secret(rng), alpha: secret(rng), beta: secret(rng) };
        let proofs = Proofs::new(&secrets, place, &input);
        (secrets, Origin::Participant(Known { input, proofs }))
    })
}

/// Contributes what a beacon makes, after which everybody can see that the last contributor did not
/// choose the outcome. The secrets depend on everything before as well. They are public, and nothing of
/// `old` is verified but that its points are in the groups.
///
/// # Errors
/// [`Error::Reduced`], [`Error::NotNative`]; [`Error::File`].
pub fn contribute_beacon<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut impl Write,
    name: Option<String>,
    beacon: &Beacon,
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    take_turn::<E>(old, new, name, Trust::Skip, progress, |place| {
        (beacon_secrets(place, beacon, progress), Origin::Beacon(beacon.clone()))
    })
}

fn take_turn<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut impl Write,
    name: Option<String>,
    trust: Trust<'_, &Settings>,
    progress: &impl Progress,
    make: impl FnOnce(&Place<'_>) -> (Secrets<ScalarOf<E>>, Origin<Proofs<E>>),
) -> Result<Receipt, Error> {
    check_name(&name)?;
    let (ptau, mut record): (Ptau<E>, Record<E>) = open(old)?;
    let header = ptau.header();
    if header.is_truncated() {
        return Err(Error::Reduced { ceremony_power: header.ceremony_power });
    }
    if let Trust::Verify { against: settings, rng } = trust {
        check_powers(&ptau, &record, old, settings, rng, progress)?;
    }
    let start = start::<E>(header);
    let before = record.last_hash(start);
    let place = Place { protocol: PROTOCOL.as_bytes(), before, name: &name };
    let (secrets, origin) = make(&place);

    let mut out = PtauWriter::<_, E>::native(new, header, false)?;
    let mut step = Multiply::new(&secrets, None);
    let after = After(transfer(&ptau, old, &mut out, &mut step, progress)?);
    record.0.push(Turn { name, after, origin });
    finish(out, &record)?;
    progress.finish();
    Ok(Receipt { hash: record.last_hash(start), index: record.0.len() - 1 })
}

/// Ends a file whose points are written.
fn finish<W: Write, E: Engine>(mut out: PtauWriter<W, E>, record: &Record<E>) -> Result<(), Error> {
    out.contributions(&[])?;
    out.transcript(&record.to_bytes())?;
    out.finish()?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use std::io::Cursor;

    use algebra::{Bls12381, Bn254, Scalar};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::phase1::native::verify;

    /// A contribution by secrets of its maker's choice, with right proofs.
    fn choose<E: Engine>(old: &[u8], [tau, alpha, beta]: [u64; 3]) -> Vec<u8> {
        let [tau, alpha, beta] = [tau, alpha, beta].map(Scalar::from_u64);
        let secrets = Secrets::<ScalarOf<E>> { tau, alpha, beta };
        let input = Snapshot::take(Cursor::new(old), &()).unwrap().digest();
        let (mut old, mut new) = (Cursor::new(old), Vec::new());
        take_turn::<E>(&mut old, &mut new, None, Trust::Skip, &(), |place| {
            let proofs = Proofs::new(&secrets, place, &input);
            (secrets, Origin::Participant(Known { input, proofs }))
        })
        .unwrap();
        new
    }

    /// A contribution that everybody can make, with right proofs, counted as somebody's.
    fn idle<E: Engine>() {
        let mut start = Vec::new();
        new::<E>(&mut start, 2, &()).unwrap();
        let honest = choose::<E>(&start, [2, 3, 4]);
        let rng = || ChaCha20Rng::from_seed([9; 32]);
        let settings = Settings::default();
        let verified =
            |file: &[u8]| verify::<E>(&mut Cursor::new(file), &settings, &mut rng(), &());
        verified(&choose::<E>(&honest, [5, 6, 7])).unwrap();
        for (secrets, expected) in
            [([1, 6, 7], "tau"), ([5, 1, 7], "alpha"), ([5, 6, 1], "beta"), ([1, 1, 1], "tau")]
        {
            for (at, old) in [&start, &honest].into_iter().enumerate() {
                let file = choose::<E>(old, secrets);
                let refused = verified(&file).unwrap_err();
                assert!(
                    matches!(refused, Error::Idle { index, secret } if (index, secret) == (at, expected)),
                    "{refused}"
                );
                // Nor does anybody contribute to it.
                let (mut old, mut verifier) =
                    (Snapshot::take(Cursor::new(&file), &()).unwrap(), rng());
                let trust = Trust::verify(&settings, &mut verifier);
                let refused =
                    contribute::<E>(&mut old, &mut Vec::new(), None, trust, &mut rng(), &());
                assert!(matches!(refused, Err(Error::Idle { .. })), "{refused:?}");
            }
        }
        for secrets in [[0, 6, 7], [5, 0, 7], [5, 6, 0]] {
            let refused = verified(&choose::<E>(&honest, secrets)).unwrap_err();
            assert!(refused.to_string().contains("infinity"), "{refused}");
        }
    }

    #[test]
    fn a_secret_of_one_is_no_contribution() {
        idle::<Bn254>();
        idle::<Bls12381>();
    }
}
