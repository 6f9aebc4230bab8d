//! Lists of Paillier ciphertexts through a permutation that is committed to in a prime-order group.
//!
//! The permutation commitment `a_i = s_i·H + H_{π^{-1}(i)}` is that of [`shuffle::tw`], already
//! proven, and the same that the session's ElGamal lists follow. For `out_j = in_{π(j)}·E(0; r_j)`, a
//! vector e of 128-bit integers drawn after both lists, `e'_j = e_{π(j)}`, `k = sum s_i·e_i` and
//! `u = sum r_j·e'_j`, the proof is
//!
//! ```text
//! PK{(e', k, u):  sum e_i·a_i = k·H + sum e'_j·H_j           in the prime-order group  (S0)
//!                 prod in_i^{e_i}·E(0; u) = prod out_j^{e'_j}   modulo N², per component  (S1)
//! ```
//!
//! with the same responses `z_j = ω_j + c·e'_j`, **integers**, in both equations.
//!
//! # What makes them the same integers
//! (S0) determines e' modulo the group order q only; modulo N² the exponents are integers. Wikström's
//! proof (ACISP 2009), which the paper uses, therefore commits to e' a second time, by Fujisaki and
//! Okamoto modulo N. It is not needed if responses are short: from two accepting challenges,
//! `Δz_j = Δc·e'_j` modulo q, and if responses are below 2^232 then both sides are below q/2 in
//! absolute value, so equal as integers. The check of the range of every response (B8) thus carries
//! the soundness, which needs no assumption modulo N; with slack of 128 bits on challenges of 128
//! bits the range would exceed q, and `e'_j + q` would pass for `e'_j`, with or without a second
//! commitment. Hence:
//!
//! * two independent rounds with challenges of 64 bits each: `c·e' < 2^192`, 2^-128 for both;
//! * masks `ω_j` below 2^232, and **rejection**: a prover whose responses do not all lie in
//!   `[2^192, 2^232)` starts again. Accepted ones are uniform there whatever e' is, so they hide it
//!   perfectly; all are accepted but with probability `2n·2^-40`.
//!
//! The extracted relation `(prod out_j^{e'_j} / prod in_i^{e_i})^{Δc} = E(0; Δu)` says, as Δc is prime to
//! every large factor of the group's order, that the quotient encrypts 0, up to the sign, which
//! decryption ignores. That is soundness. Secrecy needs that the quotient of every row is a mask, for
//! else it marks the row for whoever can tell: under `dealt` it is, since lists have Jacobi symbol +1;
//! what is left under `bcp` is said in [`super`]. For an e drawn afterwards this holds for wrong lists with probability 2^-128.
//!
//! Cost for each ciphertext, in multiplications modulo N² by Pippenger with window w (about 10 for
//! 10^4 rows): proving `2·232/w` and verifying `(128 + 361)/w`, for each component; two short and
//! one or two full points of multi-scalar multiplication in the prime-order group.

mod prove;
#[cfg(test)]
mod tests;
mod verify;

use algebra::{Group, Scalar};
use integer::{Integer, Order};
use shuffle::{encode, tw::Generators};
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader};

pub use prove::{ShuffledCiphertexts, prove_shuffle, shuffle_ciphertexts};
pub use verify::{ShuffleClaim, verify_shuffle};

use super::{
    Ciphertexts, Context, MAX_ROWS, PaillierError, PublicKey,
    encode::{in_range, integer, put_integer},
};

const LABEL: &[u8] = b"subrosa/db/paillier/shuffle/v1";
/// Rounds, with 64 bits of challenge each.
const ROUNDS: usize = 2;
/// `c·e' < 2^192`.
const HIDDEN_BITS: u32 = 64 + 128;
/// Responses `z_j` are below `2^232`.
const RESPONSE_BITS: u32 = HIDDEN_BITS + 40;
/// Group orders are above 2^252 (`algebra::Scalar`), so `Δz_j` and `Δc·e'_j` differ by less than q.
const _: () = assert!(RESPONSE_BITS + 1 < 252);
const RESPONSE_BYTES: usize = RESPONSE_BITS as usize / 8;
/// Bits of the mask of u beyond the encryption randomness: e' and at most 2^20 rows, the
/// challenge, and 128 of slack.
const RERANDOMIZER_BITS: u32 = 128 + 20 + 64 + 128;

/// A proof that a list is another one, permuted as committed and re-encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShuffleProof<G: Group> {
    rounds: [Round<G>; ROUNDS],
}

/// One round: announcements and responses.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Round<G: Group> {
    /// `T_k = ω_k·H + sum ω_j·H_j`.
    opening: G,
    /// `T = E(0; ω_u)·prod out_j^{ω_j}`.
    announcement: Ciphertexts,
    /// `z_j = ω_j + c·e'_j`.
    challenges: Vec<Integer>,
    /// `z_k = ω_k + c·k` modulo q.
    opening_response: G::Scalar,
    /// `z_u = ω_u − c·u`.
    rerandomizer: Integer,
}

impl<G: Group> ShuffleProof<G> {
    /// Reads the proof about lists of n ciphertexts: both rounds' announcements and responses.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, key: &PublicKey, n: usize) -> Result<Self, DecodeError> {
        let mut round = || Round::decode(reader, key, n);
        Ok(Self { rounds: [round()?, round()?] })
    }
}

impl<G: Group> Round<G> {
    fn decode(reader: &mut Reader<'_>, key: &PublicKey, n: usize) -> Result<Self, DecodeError> {
        let opening = encode::point(reader, "T_k")?;
        let announcement = Ciphertexts::decode_exactly(reader, key, 1)?;
        let responses = reader.items(n, RESPONSE_BYTES)?.chunks(RESPONSE_BYTES);
        let challenges = responses.map(|bytes| Integer::from_digits(bytes, Order::Lsf)).collect();
        let opening_response = encode::scalar::<G>(reader, "z_k")?;
        let rerandomizer = integer(reader, "z_u", rerandomizer_bits(key))?;
        Ok(Self { opening, announcement, challenges, opening_response, rerandomizer })
    }

    /// Whether all integer responses are in their range.
    fn in_range(&self, key: &PublicKey) -> bool {
        self.challenges.iter().all(|z| in_range(z, RESPONSE_BITS))
            && in_range(&self.rerandomizer, rerandomizer_bits(key))
    }

    fn absorb_announcements(&self, transcript: &mut Transcript) {
        transcript.absorb(b"T_k", &self.opening.encode());
        for component in self.announcement.components() {
            transcript.absorb(b"T", component.encoding());
        }
    }

    fn put_responses(&self, out: &mut Vec<u8>) {
        for response in &self.challenges {
            let mut bytes = response.to_digits::<u8>(Order::Lsf);
            bytes.resize(RESPONSE_BYTES, 0);
            out.extend(bytes);
        }
        out.extend(self.opening_response.encode());
        put_integer(&self.rerandomizer, out);
    }
}

impl<G: Group> Encode for ShuffleProof<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        for round in &self.rounds {
            out.extend(round.opening.encode());
            round.announcement.put_components(out);
            round.put_responses(out);
        }
    }
}

/// Bits of `z_u`.
fn rerandomizer_bits(key: &PublicKey) -> u32 {
    key.randomness_bits() + RERANDOMIZER_BITS
}

/// Requires 1 to [`MAX_ROWS`] rows, and generators for them.
fn require_rows<G: Group>(rows: usize, generators: &Generators<G>) -> Result<(), PaillierError> {
    if rows == 0 || rows > MAX_ROWS {
        return Err(PaillierError::Rows { rows });
    }
    match generators.len() {
        available if available < rows => Err(PaillierError::Generators { available, needed: rows }),
        _ => Ok(()),
    }
}

/// Absorbs the statement and draws e.
fn statement<G: Group>(
    key: &PublicKey,
    context: &Context<'_>,
    commitment: &shuffle::PointList<G>,
    before: &Ciphertexts,
    after: &Ciphertexts,
) -> (Transcript, Vec<u128>) {
    let mut transcript = key.transcript(LABEL, context);
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"generators", Generators::<G>::LABEL);
    transcript.absorb_u64(b"n", before.len() as u64);
    transcript.absorb(b"a", commitment.encoding());
    for component in before.components().iter().chain(after.components()) {
        transcript.absorb(b"list", component.encoding());
    }
    let e = transcript.challenge_shorts(b"e", before.len());
    (transcript, e)
}

/// The two rounds' challenges, after both announcements.
fn round_challenges<G: Group>(
    transcript: &mut Transcript,
    rounds: &[Round<G>; ROUNDS],
) -> [u64; ROUNDS] {
    rounds.iter().for_each(|round| round.absorb_announcements(transcript));
    let challenge = transcript.challenge_short(b"c");
    [challenge as u64, (challenge >> 64) as u64]
}
