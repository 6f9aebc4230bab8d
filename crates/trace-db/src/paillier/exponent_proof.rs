//! One secret exponent behind several powers, in a group of unknown order.
//!
//! `PK{x: Y_i = B_i^x for all i}`: announcements `T_i = B_i^ω`, challenge c of 128 bits, response
//! `z = ω + c·x` over the integers, equations `B_i^z = T_i·Y_i^c`. The mask ω is 256 bits longer
//! than x, so that z tells nothing of x but with probability 2^-128 (B1); a response beyond that
//! range is refused (B8). The equations stay apart: one folded equation in a cyclic group always
//! has some exponent (B15).
//!
//! Equations hold up to the sign: −1 has order 2, so no exponent proof can exclude it. Whoever
//! uses the images squares them.

use integer::{Integer, Modulus, Order, SecretInteger, random_bits};
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader};
use zeroize::Zeroizing;

use super::{
    encode::{Elements, in_range, integer, put_integer},
    scheme::{CHALLENGE_BITS, SLACK_BITS},
};

/// `Y_i = B_i^x` for an x below `2^bits`.
pub(super) struct ExponentStatement<'a> {
    pub modulus: &'a Modulus,
    pub bases: Vec<&'a Integer>,
    pub images: Vec<&'a Integer>,
    pub bits: u32,
}

/// A proof of knowledge of one exponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExponentProof {
    announcements: Elements,
    response: Integer,
}

impl ExponentProof {
    pub(super) fn prove(
        transcript: &mut Transcript,
        statement: &ExponentStatement<'_>,
        secret: &SecretInteger,
        rng: &mut impl CryptoRng,
    ) -> Self {
        let modulus = statement.modulus;
        let mut masks = mask_rng(transcript, &[secret], rng);
        let mask = random_bits(statement.bits + CHALLENGE_BITS + SLACK_BITS, &mut masks);
        let announcements = statement.bases.iter().map(|base| modulus.secure_pow(base, &mask));
        let announcements = Elements::new(modulus, announcements.collect());
        let challenge = statement.challenge(transcript, &announcements);
        let masked = SecretInteger::new(Integer::from(secret.expose() * &challenge));
        let response = Integer::from(masked.expose() + mask.expose());
        Self { announcements, response }
    }

    #[must_use]
    pub(super) fn verify(
        &self,
        transcript: &mut Transcript,
        statement: &ExponentStatement<'_>,
    ) -> bool {
        let ExponentStatement { modulus, bases, images, bits } = statement;
        if !in_range(&self.response, response_bits(*bits))
            || bases.len() != images.len()
            || bases.len() != self.announcements.len()
        {
            return false;
        }
        let challenge = statement.challenge(transcript, &self.announcements);
        let mut rows = bases.iter().zip(images).zip(self.announcements.values());
        rows.all(|((base, image), announcement)| {
            let left = modulus.pow(base, &self.response);
            let right = modulus.mul(announcement, &modulus.pow(image, &challenge));
            modulus.equal_up_to_sign(&left, &right)
        })
    }

    /// z.
    pub fn response(&self) -> &Integer {
        &self.response
    }

    #[cfg(test)]
    pub(super) fn shift_response(&mut self, by: &Integer) {
        self.response += by;
    }

    /// Reads a proof about `equations` powers of an exponent below `2^bits`: `(T_i)`, z.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        moduli: (&Modulus, &Modulus),
        equations: usize,
        bits: u32,
    ) -> Result<Self, DecodeError> {
        let announcements = Elements::decode(reader, moduli, "announcement", equations)?;
        let response = integer(reader, "response", response_bits(bits))?;
        Ok(Self { announcements, response })
    }
}

impl ExponentStatement<'_> {
    fn challenge(&self, transcript: &mut Transcript, announcements: &Elements) -> Integer {
        transcript.absorb(b"proof", b"exponent/v1");
        transcript.absorb_u64(b"bits", self.bits.into());
        for (base, image) in self.bases.iter().zip(&self.images) {
            transcript.absorb(b"B", &self.modulus.encode(base));
            transcript.absorb(b"Y", &self.modulus.encode(image));
        }
        transcript.absorb(b"T", announcements.encoding());
        Integer::from(transcript.challenge_short(b"c"))
    }
}

impl Encode for ExponentProof {
    fn encode(&self, out: &mut Vec<u8>) {
        self.announcements.encode(out);
        put_integer(&self.response, out);
    }
}

/// A generator of masks, keyed by the transcript, the secrets and the caller's randomness: a seed
/// that is used again never gives the same mask under two challenges.
pub(super) fn mask_rng<R: CryptoRng>(
    transcript: &Transcript,
    secrets: &[&SecretInteger],
    rng: &mut R,
) -> impl CryptoRng + use<R> {
    let keyed = secrets.iter().fold(transcript.build_rng(), |builder, secret| {
        let bytes = Zeroizing::new(secret.expose().to_digits::<u8>(Order::Lsf));
        builder.rekey_with_witness_bytes(b"secret", &bytes)
    });
    keyed.finalize(rng)
}

/// Bits of the longest honest response.
fn response_bits(bits: u32) -> u32 {
    bits + CHALLENGE_BITS + SLACK_BITS + 1
}
