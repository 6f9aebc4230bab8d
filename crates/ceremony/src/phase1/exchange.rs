//! Contributions through the files of bellman's ceremonies: a challenge goes out, and a response
//! comes back.

use std::io::{Read, Seek, SeekFrom, Write};

use algebra::{Dialect, Engine, PointForm};
use circuit::{
    Attribution,
    bellman::{PowersFile, PowersKind, PowersWriter},
    ptau::{Contribution, Ptau, PtauWriter},
};
use rand_core::CryptoRng;
use wire::{Blake2b, Progress};

use super::{
    accumulator::{CHALLENGE, RESPONSE},
    chain::{challenge, contributions},
    contribute::{Receipt, Turn},
    key::Key,
    transfer::{HashOnly, Multiply, transfer},
    verify::{check_unattributed, verify},
};
use crate::{Error, Snapshot, Trust, settings::Settings};

/// Writes the challenge that the next contribution to a `.ptau` file answers, byte by byte as
/// `snarkjs powersoftau export challenge`, and returns its hash.
///
/// # Errors
/// [`Error::NextChallenge`] and [`Error::FirstChallenge`] if the file's points are not those that its
/// contributions announce; [`Error::Reduced`]; [`Error::File`].
pub fn export_challenge<E: Engine>(
    file: &mut (impl Read + Seek),
    out: &mut impl Write,
    progress: &impl Progress,
) -> Result<[u8; 64], Error> {
    let ptau = Ptau::<E>::open(file)?;
    let header = ptau.header();
    if header.is_truncated() {
        return Err(Error::Reduced { ceremony_power: header.ceremony_power });
    }
    let contributions = contributions(&ptau, file)?;
    let last = contributions.last().map(Contribution::response_hash).transpose()?;
    // The first contribution answers the hash of nothing.
    let previous = last.unwrap_or_else(|| Blake2b::digest(b""));

    let (kind, dialect) = (PowersKind::Challenge, Dialect::Snarkjs);
    let mut out = PowersWriter::<_, E>::new(out, kind, header.power, dialect, &previous)?;
    let mut hash = Blake2b::new();
    hash.update(&previous);
    let mut step = HashOnly { hash: &mut hash, form: CHALLENGE };
    transfer(&ptau, file, &mut out, &mut step, progress)?;
    out.finish_challenge()?;
    progress.finish();

    let written = hash.finish();
    match (written == challenge(&ptau, &contributions)?, contributions.len().checked_sub(1)) {
        (true, _) => Ok(written),
        (false, Some(index)) => Err(Error::NextChallenge { index }),
        (false, None) => Err(Error::FirstChallenge),
    }
}

/// What somebody who answered a challenge publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The binary logarithm of the number of powers.
    pub power: u32,
    /// The hash of the challenge.
    pub challenge: [u8; 64],
    /// The hash of the response: the contribution's name in public.
    pub response_hash: [u8; 64],
}

/// The hash of a challenge file: what its answer proves knowledge for, and whoever made it announces.
///
/// # Errors
/// Those of the reader.
pub fn challenge_hash(
    challenge: &mut (impl Read + Seek),
    progress: &impl Progress,
) -> Result<[u8; 64], Error> {
    progress.begin("hashing", challenge.seek(SeekFrom::End(0))?);
    challenge.seek(SeekFrom::Start(0))?;
    let (mut hash, mut buffer) = (Blake2b::new(), vec![0; 1 << 16]);
    loop {
        let read = challenge.read(&mut buffer)?;
        if read == 0 {
            return Ok(hash.finish());
        }
        // A reader that claims more than the buffer holds gives nothing, which makes another hash.
        hash.update(buffer.get(..read).unwrap_or_default());
        progress.advance(read as u64);
    }
}

/// Contributes secrets from `rng` to a challenge file and writes the response. The same generator
/// makes the same response.
///
/// The dialect makes a difference on BLS12-381 alone, in the flags of a response's points: Zcash's
/// programs take those of [`Dialect::Bellman`]. A challenge does not show who contributed before.
/// What it shows by itself is verified first: that its points are those of some secrets
/// ([`trust`](crate::trust) says why).
///
/// # Errors
/// [`Error::ChallengeLen`]; [`Error::Generator`], [`Error::Progression`], [`Error::Unrelated`];
/// [`Error::File`] for files that are broken.
pub fn answer<E: Engine>(
    file: &mut Snapshot<impl Read + Seek>,
    response: &mut impl Write,
    dialect: Dialect,
    trust: Trust<'_>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Answer, Error> {
    let len = file.seek(SeekFrom::End(0))?;
    let power = PowersFile::<E>::power_of_len(PowersKind::Challenge, len);
    let power = power.ok_or(Error::ChallengeLen { len })?;
    let source = PowersFile::<E>::open(file, PowersKind::Challenge, power, dialect)?;
    let challenge = challenge_hash(file, progress)?;
    if let Trust::Verify { rng, .. } = trust {
        check_unattributed(&source, file, rng, progress)?;
    }
    let key = Key::<E>::random(&challenge, rng);

    let kind = PowersKind::Response;
    let mut out = PowersWriter::<_, E>::new(response, kind, power, dialect, &challenge)?;
    let mut hash = Blake2b::new();
    hash.update(&challenge);
    let form = PointForm::Compressed(dialect);
    let mut step = Multiply::new(&key.secrets, Some(HashOnly { hash: &mut hash, form }));
    transfer(&source, file, &mut out, &mut step, progress)?;
    out.finish_response(&key.public)?;
    let mut public_key = Vec::new();
    key.public.write_form(PointForm::Uncompressed(dialect), &mut public_key);
    hash.update(&public_key);
    progress.finish();
    Ok(Answer { power, challenge, response_hash: hash.finish() })
}

/// Adds a response to the `.ptau` file that it answers and writes `new`, an empty file, byte by byte
/// as `snarkjs powersoftau import response`. The new file, and with it the whole ceremony, is then
/// [verified](verify): what is returned without an error was accepted.
///
/// A response over BLS12-381 must have snarkjs' flags: the hashes of `.ptau` files are over these.
///
/// # Errors
/// [`Error::OtherChallenge`]; [`Error::Reduced`]; [`Error::File`]; those of [`verify`].
pub fn import_response<E: Engine>(
    old: &mut (impl Read + Seek),
    response: &mut (impl Read + Seek),
    new: &mut (impl Read + Write + Seek),
    name: Option<String>,
    settings: &Settings,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<Receipt, Error> {
    let attribution = Attribution::participant(name);
    let turn = Turn::<E>::open(old, &attribution)?;
    let (header, kind) = (turn.ptau.header(), PowersKind::Response);
    let source = PowersFile::<E>::open(response, kind, header.power, Dialect::Snarkjs)?;
    if source.previous_hash(response)? != turn.challenge {
        return Err(Error::OtherChallenge);
    }
    // Only a challenge has no key, and this was opened as a response.
    let public_key = source.public_key(response)?.ok_or(Error::OtherChallenge)?;

    let mut hash = Blake2b::new();
    hash.update(&turn.challenge);
    let mut out = PtauWriter::<_, E>::new(&mut *new, header, false)?;
    let mut step = HashOnly { hash: &mut hash, form: RESPONSE };
    let after = transfer(&source, response, &mut out, &mut step, progress)?;
    let (partial_hash, next_challenge) = (hash.state(), [0; 64]);
    let contribution =
        Contribution { after, public_key, partial_hash, next_challenge, attribution };
    let receipt = turn.finish(out, contribution)?.seal(new, progress)?;
    verify::<E>(new, settings, rng, progress)?;
    new.seek(SeekFrom::Start(0))?;
    Ok(receipt)
}
