//! The first key, and contributions to it.

use std::io::{Read, Seek, Write};

use algebra::{Engine, ScalarOf};
use circuit::zkey::ZkeyWriter;
use rand_core::CryptoRng;
use wire::{Encode, Progress};

use super::{
    Receipt,
    record::{After, File, PROTOCOL, Record},
    verify::check_input,
};
use crate::{
    Error, Snapshot, Trust,
    kernels::times,
    knowledge::{DELTA, Knowledge},
    phase2::{
        Against, Beacon, Created, Settings,
        contribute::write_points,
        key::Secret,
        new::{Form, write},
    },
    series::check_name,
    turns::{Known, Origin, Place, Turn, Turns},
};

/// Writes the first key of a circuit as [`phase2::new`](crate::phase2::new()) does, for a native
/// ceremony.
///
/// # Errors
/// Those of [`phase2::new`](crate::phase2::new()).
pub fn new<E: Engine>(
    circuit: &mut (impl Read + Seek),
    ptau: &mut (impl Read + Seek),
    key: &mut impl Write,
    settings: &Settings,
    progress: &impl Progress,
) -> Result<Created, Error> {
    let transcript: Record<E> = Turns(Vec::new());
    write::<E>(circuit, ptau, key, Form::Native(transcript.to_bytes()), settings, progress)
}

/// Contributes a secret from `rng` to `old` and writes `new`, an empty file. The same generator makes
/// the same file.
///
/// `old` is verified first ([`trust`](crate::trust) says why); it may have no contributions yet. The proof
/// binds its digest.
///
/// # Errors
/// [`Error::NotNative`]; [`Error::File`] for files that are broken, and for a name that does not fit;
/// those of [`verify`](super::verify()); [`Error::NotFirst`].
pub fn contribute<E: Engine>(
    old: &mut Snapshot<impl Read + Seek>,
    new: &mut impl Write,
    name: Option<String>,
    trust: Trust<'_, Against<'_>>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let input = old.digest();
    take_turn::<E>(old, new, name, trust, progress, |place| {
        let secret = Secret::random(rng);
        let proofs = Knowledge::prove(&DELTA, &place.challenge(&input), &secret.delta);
        (secret, Origin::Participant(Known { input, proofs }))
    })
}

/// Contributes what a beacon makes, after which everybody can see that the last contributor did not
/// choose the outcome. The secret depends on everything before as well. It is public, and nothing of
/// `old` is verified but that the points that are multiplied are in the group.
///
/// # Errors
/// [`Error::NotNative`]; [`Error::File`].
pub fn contribute_beacon<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut impl Write,
    name: Option<String>,
    beacon: &Beacon,
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    take_turn::<E>(old, new, name, Trust::Skip, progress, |place| {
        (Secret::of_beacon(place, beacon, progress), Origin::Beacon(beacon.clone()))
    })
}

fn take_turn<E: Engine>(
    old: &mut (impl Read + Seek),
    new: &mut impl Write,
    name: Option<String>,
    trust: Trust<'_, Against<'_>>,
    progress: &impl Progress,
    make: impl FnOnce(&Place<'_>) -> (Secret<ScalarOf<E>>, Origin<Knowledge<E>>),
) -> Result<Receipt, Error> {
    check_name(&name)?;
    let file = File::<E>::open(old)?;
    if let Trust::Verify { against, mut rng } = trust {
        check_input(&file, old, against, &mut rng, progress)?;
    }
    let start = file.start();
    let File { zkey, circuit_hash, mut record } = file;
    let before = record.last_hash(start);
    let place = Place { protocol: PROTOCOL.as_bytes(), before, name: &name };
    let (secret, origin) = make(&place);

    let mut header = zkey.header().clone();
    let points = &mut header.points;
    points.delta_g1 = times::<E::G1>(points.delta_g1, &secret.delta);
    points.delta_g2 = times::<E::G2>(points.delta_g2, &secret.delta);
    let after = After(points.delta_g1);

    let mut out = ZkeyWriter::<_, E>::native(new, header)?;
    write_points(&zkey, &secret, old, &mut out, progress)?;
    record.0.push(Turn { name, after, origin });
    out.contributions(&circuit_hash, &[])?;
    out.transcript(&record.to_bytes())?;
    out.finish()?;
    progress.finish();
    Ok(Receipt { hash: record.last_hash(start), index: record.0.len() - 1 })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use std::io::Cursor;

    use algebra::{Bn254, Scalar};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::{
        chunks::{circuit, phase1},
        phase2::{Reference, native::verify},
    };

    type E = Bn254;

    /// A contribution by a secret of its maker's choice, with a right proof.
    fn choose(old: &[u8], delta: u64) -> Vec<u8> {
        let delta = ScalarOf::<E>::from_u64(delta);
        let secret = Secret { delta, inverse: delta.invert().unwrap() };
        let input = Snapshot::take(Cursor::new(old), &()).unwrap().digest();
        let (mut old, mut new) = (Cursor::new(old), Vec::new());
        take_turn::<E>(&mut old, &mut new, None, Trust::Skip, &(), |place| {
            let proofs = Knowledge::prove(&DELTA, &place.challenge(&input), &secret.delta);
            (secret, Origin::Participant(Known { input, proofs }))
        })
        .unwrap();
        new
    }

    /// A contribution that everybody can make, with a right proof, counted as somebody's.
    #[test]
    fn a_secret_of_one_is_no_contribution() {
        let (mut circuit, mut ptau, mut start) = (circuit(2), Cursor::new(Vec::new()), Vec::new());
        crate::phase1::prepare::<E>(&mut phase1(4, true), &mut ptau, &()).unwrap();
        let (settings, rng) = (Settings::default(), || ChaCha20Rng::from_seed([9; 32]));
        new::<E>(&mut circuit, &mut ptau, &mut start, &settings, &()).unwrap();
        let mut verified = |key: &[u8]| {
            let key = &mut Cursor::new(key);
            verify::<E>(&mut circuit, &mut ptau, key, &settings, &mut rng(), &())
        };
        let honest = choose(&start, 5);
        verified(&choose(&honest, 7)).unwrap();
        assert!(matches!(verified(&choose(&start, 1)), Err(Error::Forgeable)));
        let idle = choose(&honest, 1);
        let refused = verified(&idle).unwrap_err();
        assert!(matches!(refused, Error::Idle { index: 1, secret: "delta" }), "{refused}");
        // Nor does anybody contribute to it, before or after another contribution.
        for (key, at) in [(choose(&start, 1), 0), (idle.clone(), 1), (choose(&idle, 7), 1)] {
            let (mut first, mut verifier) = (Cursor::new(&start), rng());
            let against = Against { reference: Reference::First(&mut first), settings: &settings };
            let trust = Trust::verify(against, &mut verifier);
            let mut old = Snapshot::take(Cursor::new(&key), &()).unwrap();
            let refused = contribute::<E>(&mut old, &mut Vec::new(), None, trust, &mut rng(), &());
            assert!(
                matches!(refused, Err(Error::Idle { index, .. }) if index == at),
                "{refused:?}"
            );
        }
    }
}
