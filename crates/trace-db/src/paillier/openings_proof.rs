//! One proof that the openings of a whole list are known, whose size does not depend on the list.
//!
//! `PK{(M_l, r_l): C_l = E(M_l; r_l) for all l}`: announcement `T = E(a; b)`, a 128-bit challenge `c_l`
//! for every ciphertext, responses `z_M = a + Σ c_l·M_l` and `z_r = b + Σ c_l·r_l` over the integers,
//! equation `E(z_M; z_r) = T·Π C_l^{c_l}`. Two accepted answers to challenges that differ in `c_l`
//! alone give the plaintext of `C_l` modulo N, as differences below 2^128 are units if N has no small
//! factors. Soundness is up to the sign of C, which decryption ignores. Unlike
//! [`PlaintextProofs`](super::PlaintextProofs) it names no row, and it says nothing of how long a
//! plaintext is.

use integer::{Integer, SecretInteger};
use rand_core::CryptoRng;
use wire::{DecodeError, Encode, Reader};

use super::{
    Ciphertexts, Context, MAX_ROWS, Openings, PaillierError, PublicKey,
    encode::{fixed, in_range, put_fixed},
    known::{challenges, masks, require_openings, statement, weighted},
    scheme::{CHALLENGE_BITS, SLACK_BITS},
};

const LABEL: &[u8] = b"subrosa/db/paillier/openings/v1";
/// Bits that a sum of as many as [`MAX_ROWS`] products has more than a product.
const SUM_BITS: u32 = MAX_ROWS.ilog2();
/// Bits that a response has more than what it hides.
const EXCESS_BITS: u32 = CHALLENGE_BITS + SUM_BITS + SLACK_BITS + 1;

/// A proof of knowledge of all openings of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningsProof {
    announcement: Ciphertexts,
    /// `z_M` and `z_r`.
    responses: [Integer; 2],
    /// Bits that these may have.
    limits: [u32; 2],
}

impl OpeningsProof {
    /// Proves that the prover knows the openings of a list, whose plaintexts are below `2^bits`.
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
        let mut transcript = statement(LABEL, key, context, ciphertexts, bits);
        let masks = masks(key, &transcript, openings, 1, (bits, EXCESS_BITS - 1), rng);
        let announcement = key.encrypt_with(&masks);
        let challenges = challenges(&mut transcript, &announcement, ciphertexts.len());
        let respond = |mask: &[SecretInteger], secrets: &[SecretInteger]| {
            let hidden = secrets.iter().zip(&challenges).map(|(secret, &c)| weighted(secret, c));
            let masked = mask.iter().cloned().chain(hidden);
            masked.fold(Integer::new(), |sum, term| sum + term.expose())
        };
        let responses = [
            respond(&masks.plaintexts, &openings.plaintexts),
            respond(&masks.randomness, &openings.randomness),
        ];
        Ok(Self { announcement, responses, limits: limits(key, bits) })
    }

    /// Whether the proof holds. Variable time.
    #[must_use]
    pub fn verify(
        &self,
        key: &PublicKey,
        context: &Context<'_>,
        ciphertexts: &Ciphertexts,
        bits: u32,
    ) -> bool {
        let limits = limits(key, bits);
        let ranged = self.responses.iter().zip(limits).all(|(z, bits)| in_range(z, bits));
        if !ranged || limits != self.limits || self.announcement.len() != 1 {
            return false;
        }
        let mut transcript = statement(LABEL, key, context, ciphertexts, bits);
        let challenges = challenges(&mut transcript, &self.announcement, ciphertexts.len());
        let [z_m, z_r] = &self.responses;
        let left = key.public_encryption(z_m, z_r);
        let powers = ciphertexts.product_of_short_powers(key, &challenges);
        let announced = self.announcement.components().iter().flat_map(|t| t.values());
        left.iter().zip(powers).zip(announced).all(|((left, power), announced)| {
            key.cipher().equal_up_to_sign(left, &key.cipher().mul(announced, &power))
        })
    }

    /// Reads a proof about plaintexts that have this many bits: T, `z_M`, `z_r`.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(
        reader: &mut Reader<'_>,
        key: &PublicKey,
        bits: u32,
    ) -> Result<Self, DecodeError> {
        let announcement = Ciphertexts::decode_exactly(reader, key, 1)?;
        let limits @ [plaintext, randomness] = limits(key, bits);
        let responses = [fixed(reader, "z_M", plaintext)?, fixed(reader, "z_r", randomness)?];
        Ok(Self { announcement, responses, limits })
    }
}

/// T, then both responses, each of its full length.
impl Encode for OpeningsProof {
    fn encode(&self, out: &mut Vec<u8>) {
        self.announcement.put_components(out);
        let responses = self.responses.iter().zip(self.limits);
        responses.for_each(|(response, bits)| put_fixed(response, bits, out));
    }
}

/// Bits of the longest honest responses.
fn limits(key: &PublicKey, bits: u32) -> [u32; 2] {
    [bits, key.randomness_bits()].map(|bits| bits + EXCESS_BITS)
}
