//! Keys that fewer than all servers decrypt with: integer secret sharing of the `α_k`.
//!
//! Server k deals `f_k(X) = Δ·α_k + sum_j a_{k,j}·X^j` of degree t − 1 over the integers, `Δ = m!`: it
//! publishes `A_{k,0} = g^{α_k}` with its proof of knowledge and `A_{k,j} = g^{a_{k,j}}`, and gives server
//! i, privately, the part `f_k(i)`, which must satisfy
//!
//! ```text
//! g^{f_k(i)} = A_{k,0}^Δ·prod_j A_{k,j}^{i^j}
//! ```
//!
//! Server i's exponent is `x_i = sum_k f_k(i)`, its verification key `g^{x_i}` follows from what is
//! public, and with Lagrange's coefficients `λ_i`, made integers by Δ, any t exponents give
//! `sum_i λ_i·x_i = Δ²·sum_k α_k`.
//!
//! Coefficients are 128 bits longer than `t²·Δ·α`: t − 1 parts fit every other `α'` but for a
//! statistical distance of 2^-128, since the polynomial `Δ·(α' − α)·prod_i (i − X)/i` over their
//! places i has integer coefficients below `t·Δ·|α' − α|` and vanishes at all of them.
//!
//! How parts travel is the caller's: they need a private, authenticated channel. A part that fails
//! names its dealer; the session starts again without it.

use integer::{Integer, SecretInteger, random_bits};
use rand_core::CryptoRng;
use rayon::prelude::*;
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader};
use zeroize::Zeroizing;

use super::{Contribution, Parameters};
use crate::paillier::{
    Context, KeyShare, PaillierError, Parties, PublicKey, Scheme,
    bases::{EXPONENT_BITS, coefficient_bits, part_bits},
    encode::{Elements, integer, put_integer},
    error::require,
    exponent_proof::mask_rng,
};

/// What a server publishes: `A_{k,0}` with its proof, `A_{k,1}, …, A_{k,t−1}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dealing {
    contribution: Contribution,
    coefficients: Elements,
}

/// `f_k(i)`: what dealer k gives server i. Erased when dropped.
pub struct DealtPart {
    dealer: u16,
    recipient: u16,
    value: SecretInteger,
}

/// Requires that fewer than all servers decrypt.
fn require_fewer(parties: Parties) -> Result<(), PaillierError> {
    let Parties { servers, needed } = parties.check()?;
    match parties.all_needed() {
        true => Err(PaillierError::Parties { needed, servers, reason: "nothing is dealt for all" }),
        false => Ok(()),
    }
}

impl Parameters {
    /// Deals a server's part of a key with which `parties.needed` servers decrypt: what it
    /// publishes, and one part for each server, its own among them. `context` names the session and
    /// the server.
    ///
    /// # Errors
    /// [`PaillierError::Parties`].
    pub fn deal(
        &self,
        parties: Parties,
        context: &Context<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<(Dealing, Vec<DealtPart>), PaillierError> {
        require_fewer(parties)?;
        let mut drawn = mask_rng(&self.transcript(context), &[], rng);
        let secret = random_bits(EXPONENT_BITS, &mut drawn);
        let mut draw = |_| random_bits(coefficient_bits(parties), &mut drawn);
        let coefficients: Vec<SecretInteger> = (1..parties.needed).map(&mut draw).collect();
        let commit = |coefficient| self.cipher.secure_pow(&self.generator, coefficient);
        let commitments = Elements::new(&self.cipher, coefficients.iter().map(commit).collect());

        let constant = SecretInteger::new(Integer::from(secret.expose() * &parties.delta()));
        let part = |recipient: u16| {
            let horner = |sum: SecretInteger, coefficient: &SecretInteger| {
                let scaled = SecretInteger::new(Integer::from(sum.expose() * u32::from(recipient)));
                SecretInteger::new(Integer::from(scaled.expose() + coefficient.expose()))
            };
            let descending = coefficients.iter().rev().chain([&constant]);
            let value = descending.fold(SecretInteger::new(Integer::new()), horner);
            DealtPart { dealer: context.server, recipient, value }
        };
        let parts = (1..=parties.servers).map(part).collect();
        let mut transcript = self.dealing_transcript(parties, context, &commitments);
        let contribution = self.prove_contribution(&mut transcript, context.server, &secret, rng);
        Ok((Dealing { contribution, coefficients: commitments }, parts))
    }

    /// Verifies the dealings of all servers, in their order, and puts the key together.
    ///
    /// # Errors
    /// [`PaillierError::Parties`], [`PaillierError::Length`], [`PaillierError::UnknownServer`] for
    /// a server out of order, [`PaillierError::KeyProof`], [`PaillierError::KeysCancel`].
    pub fn assemble_shared(
        &self,
        session: &[u8],
        parties: Parties,
        dealings: &[Dealing],
    ) -> Result<PublicKey, PaillierError> {
        require_fewer(parties)?;
        require("dealings", parties.servers.into(), dealings.len())?;
        for (expected, dealing) in (1..).zip(dealings) {
            let (server, commitments) = (dealing.contribution.server, &dealing.coefficients);
            if server != expected {
                return Err(PaillierError::UnknownServer { server });
            }
            require("coefficients", usize::from(parties.needed) - 1, commitments.len())?;
            let context = Context { session, purpose: b"key", server };
            let mut transcript = self.dealing_transcript(parties, &context, commitments);
            if !dealing.contribution.holds(&mut transcript, self) {
                return Err(PaillierError::KeyProof { server });
            }
        }
        let images = |i: u16| self.image(parties, dealings, i);
        let mut keys: Vec<Integer> = (1..=parties.servers).into_par_iter().map(images).collect();
        let constants = dealings.iter().flat_map(|dealing| dealing.contribution.key.values());
        keys.push(constants.fold(Integer::from(1), |y, key| self.cipher.mul(&y, key)));
        let keys = Elements::new(&self.cipher, keys);
        PublicKey::new(Scheme::Bcp, parties, self.certified(), keys)
    }

    /// Checks the parts that a server received against verified dealings, and adds them up.
    ///
    /// # Errors
    /// [`PaillierError::Length`]; [`PaillierError::FalsePart`] names a dealer whose part is missing,
    /// of another server or false.
    pub fn receive(
        &self,
        parties: Parties,
        dealings: &[Dealing],
        server: u16,
        parts: &[DealtPart],
    ) -> Result<KeyShare, PaillierError> {
        require("parts", dealings.len(), parts.len())?;
        let mut sum = SecretInteger::new(Integer::new());
        for (dealing, part) in dealings.iter().zip(parts) {
            let dealer = dealing.contribution.server;
            let image = self.image(parties, std::slice::from_ref(dealing), server);
            if part.dealer != dealer
                || part.recipient != server
                || self.cipher.secure_pow(&self.generator, &part.value) != image
            {
                return Err(PaillierError::FalsePart { dealer });
            }
            sum = SecretInteger::new(Integer::from(sum.expose() + part.value.expose()));
        }
        Ok(KeyShare::new(server, sum))
    }

    /// `prod_k A_{k,0}^Δ·prod_j A_{k,j}^{i^j}`, by Horner's rule.
    fn image(&self, parties: Parties, dealings: &[Dealing], i: u16) -> Integer {
        let delta = parties.delta();
        dealings.iter().fold(Integer::from(1), |product, dealing| {
            let coefficients = dealing.coefficients.values().iter().rev();
            let sum = coefficients.fold(Integer::from(1), |sum, coefficient| {
                self.cipher.pow(&self.cipher.mul(&sum, coefficient), &Integer::from(i))
            });
            let constant = dealing.contribution.key.values().iter();
            let constant = constant.fold(Integer::from(1), |_, key| self.cipher.pow(key, &delta));
            self.cipher.mul(&product, &self.cipher.mul(&sum, &constant))
        })
    }

    /// Reads a dealing: contribution, coefficients.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode_dealing(
        &self,
        reader: &mut Reader<'_>,
        parties: Parties,
    ) -> Result<Dealing, DecodeError> {
        let contribution = self.decode_contribution(reader)?;
        let count = usize::from(parties.needed).saturating_sub(1);
        let coefficients = Elements::decode(reader, self.moduli(), "coefficient", count)?;
        Ok(Dealing { contribution, coefficients })
    }

    fn dealing_transcript(
        &self,
        parties: Parties,
        context: &Context<'_>,
        coefficients: &Elements,
    ) -> Transcript {
        let mut transcript = self.transcript(context);
        transcript.absorb_u64(b"servers", parties.servers.into());
        transcript.absorb_u64(b"needed", parties.needed.into());
        transcript.absorb(b"A", coefficients.encoding());
        transcript
    }
}

impl Encode for Dealing {
    fn encode(&self, out: &mut Vec<u8>) {
        self.contribution.encode(out);
        self.coefficients.encode(out);
    }
}

impl DealtPart {
    /// Who dealt it, counted from 1.
    pub fn dealer(&self) -> u16 {
        self.dealer
    }

    /// Whom it is for, counted from 1.
    pub fn recipient(&self) -> u16 {
        self.recipient
    }

    /// The part as it travels, sealed by the caller: dealer, recipient, value. A secret.
    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::new());
        self.dealer.encode(&mut out);
        self.recipient.encode(&mut out);
        put_integer(self.value.expose(), &mut out);
        out
    }

    /// Reads an opened part.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, parties: Parties) -> Result<Self, DecodeError> {
        let (dealer, recipient) = (reader.u16()?, reader.u16()?);
        let value = integer(reader, "part of a key", part_bits(parties))?;
        Ok(Self { dealer, recipient, value: SecretInteger::new(value) })
    }
}
