//! Proofs that the plaintexts of a list are known, verified many lists at a time.
//!
//! `PK{(M, r): C = E(M; r)}` for each ciphertext: announcement `T = E(a; b)`, a 128-bit challenge c
//! of its own from a transcript of the whole list, responses `z_M = a + c·M` and `z_r = b + c·r` over
//! the integers, equation `E(z_M; z_r) = T·C^c`. Masks are 256 bits longer than what they hide;
//! responses out of range are refused (B8). Soundness is up to the sign of C, which decryption
//! ignores. That M is short is shown with the slack of the mask, 257 bits, and relied on nowhere.
//!
//! The equations of all claims are checked as one, weighted with 128 bits each, drawn from a
//! transcript of everything; if it fails, it is halved until a row is named.

use integer::{Integer, SecretInteger};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader};

use super::{
    Ciphertexts, Context, Openings, PaillierError, PublicKey,
    encode::{Elements, in_range, integer, put_integer},
    error::require,
    known::{challenges, masks, require_openings, statement, weighted},
    scheme::{CHALLENGE_BITS, SLACK_BITS},
};

const LABEL: &[u8] = b"subrosa/db/paillier/plaintext/v1";
const WEIGHTS_LABEL: &[u8] = b"subrosa/db/paillier/plaintext/weights/v1";
/// Bits that a response has more than what it hides.
const EXCESS_BITS: u32 = CHALLENGE_BITS + SLACK_BITS + 1;

/// One proof for each ciphertext of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaintextProofs {
    announcements: Ciphertexts,
    /// `(z_M, z_r)` for each ciphertext.
    responses: Vec<[Integer; 2]>,
}

/// A list, what is claimed of it and by whom, and the proofs.
#[derive(Clone, Copy, Debug)]
pub struct PlaintextClaim<'a> {
    /// Who proves it, and what for.
    pub context: Context<'a>,
    /// The ciphertexts.
    pub ciphertexts: &'a Ciphertexts,
    /// Bits of an honest plaintext, such as [`PACKED_BITS`](super::PACKED_BITS).
    pub bits: u32,
    /// The proofs.
    pub proofs: &'a PlaintextProofs,
}

impl PlaintextProofs {
    /// Proves that the prover knows the openings of a list, whose plaintexts are below `2^bits`.
    /// Constant time for a key without tables.
    ///
    /// # Errors
    /// [`PaillierError::Length`], [`PaillierError::Plaintext`] for one that is longer.
    pub fn prove(
        key: &PublicKey,
        context: &Context<'_>,
        ciphertexts: &Ciphertexts,
        openings: &Openings,
        bits: u32,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, PaillierError> {
        require_openings(ciphertexts, openings, bits)?;
        let n = ciphertexts.len();
        let mut transcript = statement(LABEL, key, context, ciphertexts, bits);
        let masks = masks(key, &transcript, openings, n, (bits, EXCESS_BITS - 1), rng);
        let announcements = key.encrypt_with(&masks);
        let challenges = challenges(&mut transcript, &announcements, n);

        let respond = |((mask, secret), &c): ((&SecretInteger, &SecretInteger), &u128)| {
            Integer::from(mask.expose() + weighted(secret, c).expose())
        };
        let plaintexts =
            masks.plaintexts.iter().zip(&openings.plaintexts).zip(&challenges).map(respond);
        let randomness =
            masks.randomness.iter().zip(&openings.randomness).zip(&challenges).map(respond);
        let responses = plaintexts.zip(randomness).map(|(z_m, z_r)| [z_m, z_r]).collect();
        Ok(Self { announcements, responses })
    }

    #[cfg(test)]
    pub(super) fn shift_response(&mut self, index: usize, which: usize, by: &Integer) {
        if let Some(z) = self.responses.as_flattened_mut().get_mut(2 * index + which) {
            *z += by;
        }
    }

    /// Reads the proofs of a list of n ciphertexts whose plaintexts have this many bits: n
    /// announcements, then `z_M` and `z_r` of every ciphertext.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(
        reader: &mut Reader<'_>,
        key: &PublicKey,
        n: usize,
        bits: u32,
    ) -> Result<Self, DecodeError> {
        let announcements = Ciphertexts::decode_exactly(reader, key, n)?;
        let mut response = || {
            let z_m = integer(reader, "z_M", bits + EXCESS_BITS)?;
            Ok([z_m, integer(reader, "z_r", key.randomness_bits() + EXCESS_BITS)?])
        };
        let responses = (0..n).map(|_| response()).collect::<Result<_, DecodeError>>()?;
        Ok(Self { announcements, responses })
    }
}

impl Encode for PlaintextProofs {
    fn encode(&self, out: &mut Vec<u8>) {
        self.announcements.put_components(out);
        self.responses.as_flattened().iter().for_each(|response| put_integer(response, out));
    }
}

/// One ciphertext's equation.
struct Row<'a> {
    claim: usize,
    index: usize,
    /// `(T, C)` for each component.
    elements: Vec<[&'a Integer; 2]>,
    responses: &'a [Integer; 2],
    /// `w` and `w·c`.
    weights: [Integer; 2],
}

/// Verifies the proofs of many lists at once.
///
/// # Errors
/// [`PaillierError::Length`], [`PaillierError::PlaintextProof`] with the first claim and row that
/// fail.
pub fn verify_plaintexts(
    key: &PublicKey,
    claims: &[PlaintextClaim<'_>],
) -> Result<(), PaillierError> {
    let mut weighing = Transcript::new(WEIGHTS_LABEL);
    let mut all_challenges = Vec::with_capacity(claims.len());
    for (claim, PlaintextClaim { context, ciphertexts, bits, proofs }) in claims.iter().enumerate()
    {
        let n = ciphertexts.len();
        require("announcements", n, proofs.announcements.len())?;
        require("responses", n, proofs.responses.len())?;
        let limits = [*bits, key.randomness_bits()].map(|bits| bits + EXCESS_BITS);
        let ranged = |z: &[Integer; 2]| z.iter().zip(limits).all(|(z, bits)| in_range(z, bits));
        if let Some(index) = proofs.responses.iter().position(|z| !ranged(z)) {
            return Err(PaillierError::PlaintextProof { claim, index });
        }
        let mut transcript = statement(LABEL, key, context, ciphertexts, *bits);
        let challenges = challenges(&mut transcript, &proofs.announcements, n);
        // The transcript's own state stands for the whole statement and the announcements.
        weighing.absorb(b"claim", &transcript.challenge_wide(b"digest"));
        let mut responses = Vec::new();
        proofs.responses.as_flattened().iter().for_each(|z| put_integer(z, &mut responses));
        weighing.absorb(b"z", &responses);
        all_challenges.push(challenges);
    }

    let mut rows = Vec::new();
    for (claim, (statement, challenges)) in claims.iter().zip(&all_challenges).enumerate() {
        let weights = weighing.challenge_shorts(b"w", challenges.len());
        let responses = &statement.proofs.responses;
        let scalars = responses.iter().zip(challenges).zip(weights);
        for (index, ((responses, &c), weight)) in scalars.enumerate() {
            let elements = rows_of(&statement.proofs.announcements, statement.ciphertexts, index);
            let weights = [Integer::from(weight), Integer::from(weight) * c];
            rows.push(Row { claim, index, elements, responses, weights });
        }
    }
    match first_failing(key, &rows) {
        None => Ok(()),
        Some(&Row { claim, index, .. }) => Err(PaillierError::PlaintextProof { claim, index }),
    }
}

fn rows_of<'a>(
    announcements: &'a Ciphertexts,
    ciphertexts: &'a Ciphertexts,
    index: usize,
) -> Vec<[&'a Integer; 2]> {
    let element = |component: &'a Elements| component.values().get(index);
    let pairs = announcements.components().iter().zip(ciphertexts.components());
    pairs.filter_map(|(t, c)| Some([element(t)?, element(c)?])).collect()
}

/// The first row whose equation fails, by halving.
fn first_failing<'a, 'b>(key: &PublicKey, rows: &'b [Row<'a>]) -> Option<&'b Row<'a>> {
    if rows.is_empty() || holds(key, rows) {
        return None;
    }
    if let [row] = rows {
        return Some(row);
    }
    let (left, right) = rows.split_at(rows.len() / 2);
    first_failing(key, left).or_else(|| first_failing(key, right))
}

/// `E(sum w·z_M; sum w·z_r) = prod T^w·C^{w·c}`, up to the sign of every component.
fn holds(key: &PublicKey, rows: &[Row<'_>]) -> bool {
    let [z_m, z_r] = [0, 1].map(|which: usize| {
        let weighted = rows.iter().filter_map(|row| {
            Some(Integer::from(row.responses.get(which)? * row.weights.first()?))
        });
        weighted.sum::<Integer>()
    });
    let left = key.public_encryption(&z_m, &z_r);
    left.iter().enumerate().all(|(component, left)| {
        let pairs = rows.iter().filter_map(|row| {
            Some(row.elements.get(component)?.iter().copied().cloned().zip(row.weights.clone()))
        });
        let (elements, weights): (Vec<Integer>, Vec<Integer>) = pairs.flatten().unzip();
        key.cipher().equal_up_to_sign(left, &key.cipher().multi_exp(&elements, &weights))
    })
}
