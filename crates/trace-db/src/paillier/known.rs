//! What both proofs that openings are known have in common: the statement, masks, challenges.

use integer::{Integer, SecretInteger, random_bits};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};

use super::{
    Ciphertexts, Context, Openings, PaillierError, PublicKey, encode::in_range, error::require,
    exponent_proof::mask_rng,
};

/// Starts the transcript of a list whose plaintexts are claimed to be below `2^bits`.
pub(super) fn statement(
    label: &'static [u8],
    key: &PublicKey,
    context: &Context<'_>,
    ciphertexts: &Ciphertexts,
    bits: u32,
) -> Transcript {
    let mut transcript = key.transcript(label, context);
    transcript.absorb_u64(b"n", ciphertexts.len() as u64);
    transcript.absorb_u64(b"bits", bits.into());
    for component in ciphertexts.components() {
        transcript.absorb(b"C", component.encoding());
    }
    transcript
}

/// One challenge for each of n ciphertexts, after all announcements.
pub(super) fn challenges(
    transcript: &mut Transcript,
    announcements: &Ciphertexts,
    n: usize,
) -> Vec<u128> {
    for component in announcements.components() {
        transcript.absorb(b"T", component.encoding());
    }
    transcript.challenge_shorts(b"c", n)
}

/// Requires openings of the whole list, with plaintexts below `2^bits`.
pub(super) fn require_openings(
    ciphertexts: &Ciphertexts,
    openings: &Openings,
    bits: u32,
) -> Result<(), PaillierError> {
    require("plaintexts", ciphertexts.len(), openings.plaintexts.len())?;
    require("randomness", ciphertexts.len(), openings.randomness.len())?;
    let mut plaintexts = openings.plaintexts.iter();
    match plaintexts.position(|m| !in_range(m.expose(), bits)) {
        Some(index) => Err(PaillierError::Plaintext { index }),
        None => Ok(()),
    }
}

/// Draws n openings to announce: each number of as many bits as an honest one, and `longer` more.
pub(super) fn masks(
    key: &PublicKey,
    transcript: &Transcript,
    openings: &Openings,
    n: usize,
    (bits, longer): (u32, u32),
    rng: &mut impl CryptoRng,
) -> Openings {
    let secrets: Vec<_> = openings.plaintexts.iter().chain(&openings.randomness).collect();
    let mut masks = mask_rng(transcript, &secrets, rng);
    let mut draw = |bits: u32| -> Vec<SecretInteger> {
        (0..n).map(|_| random_bits(bits + longer, &mut masks)).collect()
    };
    Openings { plaintexts: draw(bits), randomness: draw(key.randomness_bits()) }
}

/// What a secret adds to its response.
pub(super) fn weighted(secret: &SecretInteger, challenge: u128) -> SecretInteger {
    SecretInteger::new(Integer::from(secret.expose() * challenge))
}
