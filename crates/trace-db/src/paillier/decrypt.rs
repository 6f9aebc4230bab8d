//! Decryption shares with one proof for a whole list, and what they open.
//!
//! The share of a ciphertext is `S = B^{x_k}`: `B = C^{4Δ}` under `dealt`, `B = C_1^{2Δ}` under `bcp`, where Δ = m! if
//! fewer than all servers decrypt, else 1. B is a square. Otherwise the opened values would show the sign of `C_2`, by
//! which a server could mark a row when it shuffles. A list's shares are proven by **two equations with one exponent**
//! (B15):
//!
//! ```text
//! V_k = V^{x_k}      prod_i S_i^{δ_i} = (prod_i B_i^{δ_i})^{x_k}
//! ```
//!
//! with weights `δ_0, δ_1, …` of 128 bits, one for every item, from the transcript after the shares
//! (B2, B4). A share that is wrong by more than its sign breaks the second equation but for
//! probability 2^-128, since every other element of small order would factor N. Therefore shares
//! are combined by their squares:
//!
//! * `dealt`: `prod_k S_k^{2·λ_k} = (1 + N)^{8Δ²·M}`,
//! * `bcp`: `(C_2^{2Δ³} / prod_k S_k^{λ_k})² = (1 + N)^{4Δ³·M}`,
//!
//! with `λ_k = Δ·prod_j j/(j − k)` over the other servers j that decrypt, or `λ_k = 1` if all must.

use integer::Integer;
use rand_core::CryptoRng;
use rayon::prelude::*;
use transcript::{Transcript, TranscriptExt};
use wire::{DecodeError, Encode, Reader};

use super::{
    Ciphertexts, Context, KeyShare, MAX_ROWS, PaillierError, Parties, PublicKey, Scheme,
    encode::Elements,
    error::require,
    exponent_proof::{ExponentProof, ExponentStatement},
};

const LABEL: &[u8] = b"subrosa/db/paillier/decrypt/v1";

/// One server's decryption shares of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialDecryption {
    server: u16,
    shares: Elements,
    proof: ExponentProof,
}

impl KeyShare {
    /// The shares of a list, with their proof. Only of ciphertexts that come from verified proofs:
    /// see [`bcp`](super::bcp).
    ///
    /// # Errors
    /// [`PaillierError::UnknownServer`] if the share is of another key.
    pub fn decrypt(
        &self,
        key: &PublicKey,
        context: &Context<'_>,
        ciphertexts: &Ciphertexts,
        rng: &mut impl CryptoRng,
    ) -> Result<PartialDecryption, PaillierError> {
        let server = self.server();
        if context.server != server {
            return Err(PaillierError::UnknownServer { server });
        }
        let cipher = key.cipher();
        let factor = key.base_factor();
        let share =
            |element: &Integer| cipher.secure_pow(&cipher.pow(element, &factor), self.exponent());
        let first = key.share_component(ciphertexts);
        let shares = Elements::new(cipher, first.par_iter().map(share).collect());
        let (mut transcript, base, image) = key.batch(context, ciphertexts, &shares);
        let statement = key.share_statement(server, &base, &image)?;
        let proof = ExponentProof::prove(&mut transcript, &statement, self.exponent(), rng);
        Ok(PartialDecryption { server, shares, proof })
    }
}

impl PartialDecryption {
    #[cfg(test)]
    pub(super) fn from_parts(server: u16, shares: Elements, proof: ExponentProof) -> Self {
        Self { server, shares, proof }
    }

    /// Whose shares these are, counted from 1.
    pub fn server(&self) -> u16 {
        self.server
    }

    /// The shares.
    pub fn shares(&self) -> &Elements {
        &self.shares
    }

    /// Their proof.
    pub fn proof(&self) -> &ExponentProof {
        &self.proof
    }

    /// Verifies the shares of a list.
    ///
    /// # Errors
    /// [`PaillierError::Length`], [`PaillierError::UnknownServer`],
    /// [`PaillierError::FalseShares`].
    pub fn verify(
        &self,
        key: &PublicKey,
        context: &Context<'_>,
        ciphertexts: &Ciphertexts,
    ) -> Result<(), PaillierError> {
        let server = self.server;
        if context.server != server {
            return Err(PaillierError::UnknownServer { server });
        }
        require("shares", ciphertexts.len(), self.shares.len())?;
        let (mut transcript, base, image) = key.batch(context, ciphertexts, &self.shares);
        let statement = key.share_statement(server, &base, &image)?;
        match self.proof.verify(&mut transcript, &statement) {
            true => Ok(()),
            false => Err(PaillierError::FalseShares { server }),
        }
    }

    /// Reads a server's shares: server, 32-bit count, shares, proof.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, key: &PublicKey) -> Result<Self, DecodeError> {
        let server = reader.u16()?;
        let count = reader.count("shares", MAX_ROWS)?;
        let shares = Elements::decode(reader, key.moduli(), "share", count)?;
        let proof = ExponentProof::decode(reader, key.moduli(), 2, key.share_bits())?;
        Ok(Self { server, shares, proof })
    }
}

impl Encode for PartialDecryption {
    fn encode(&self, out: &mut Vec<u8>) {
        self.server.encode(out);
        (self.shares.len() as u32).encode(out);
        self.shares.encode(out);
        self.proof.encode(out);
    }
}

impl PublicKey {
    /// Verifies the shares of different servers and opens the list. `session` and `purpose` are
    /// those that the shares were made for. Shares beyond those needed are verified and ignored.
    ///
    /// # Errors
    /// What [`PartialDecryption::verify`] says, [`PaillierError::TooFewShares`], also for two
    /// shares of one server, [`PaillierError::NoPlaintext`].
    pub fn open(
        &self,
        session: &[u8],
        purpose: &[u8],
        ciphertexts: &Ciphertexts,
        partials: &[PartialDecryption],
    ) -> Result<Vec<Integer>, PaillierError> {
        for partial in partials {
            let context = Context { session, purpose, server: partial.server };
            partial.verify(self, &context, ciphertexts)?;
        }
        let mut servers: Vec<u16> = partials.iter().map(|partial| partial.server).collect();
        servers.sort_unstable();
        servers.dedup();
        let Parties { needed, .. } = self.parties();
        let got = servers.len();
        if got < usize::from(needed) || got < partials.len() {
            return Err(PaillierError::TooFewShares { got, needed });
        }
        let partials: Vec<&PartialDecryption> = partials.iter().take(needed.into()).collect();
        let servers: Vec<u16> = partials.iter().map(|partial| partial.server).collect();
        let mut powers = match self.parties().all_needed() {
            true => vec![Integer::from(1); partials.len()],
            false => lagrange(&servers, &self.parties().delta()),
        };
        if self.scheme() == Scheme::Bcp {
            powers.iter_mut().for_each(|power| *power *= -1);
        }
        self.combine(ciphertexts, &partials, &powers)
    }

    /// `prod_k S_k^{2·powers_k}`, times `C_2^{4Δ³}` under `bcp`, and the plaintexts in it.
    fn combine(
        &self,
        ciphertexts: &Ciphertexts,
        partials: &[&PartialDecryption],
        powers: &[Integer],
    ) -> Result<Vec<Integer>, PaillierError> {
        let cipher = self.cipher();
        // Numerators and denominators apart: all denominators share one inversion.
        let product = |row: usize, negative: bool| {
            let shares = partials.iter().filter_map(|partial| partial.shares.values().get(row));
            let chosen = shares.zip(powers).filter(|(_, power)| power.is_negative() == negative);
            chosen.fold(Integer::from(1), |product, (share, power)| {
                let power = Integer::from(power.abs_ref());
                cipher.mul(&product, &cipher.pow(share, &power))
            })
        };
        let rows = 0..ciphertexts.len();
        let mut denominators: Vec<Integer> =
            rows.clone().into_par_iter().map(|row| product(row, true)).collect();
        cipher.batch_invert(&mut denominators).map_err(PaillierError::Modulus)?;
        let factor = self.combination_factor();
        let inverse = self.plain().invert(&Integer::from(&factor * 2_u32));
        let weak = PaillierError::Modulus(integer::IntegerError::Weak);
        let inverse = inverse.ok_or(weak)?;
        let payload = ciphertexts.components().get(1);
        rows.into_par_iter()
            .zip(denominators)
            .map(|(index, denominator)| {
                let mut root = cipher.mul(&product(index, false), &denominator);
                if let Some(payload) = payload.and_then(|payload| payload.values().get(index)) {
                    root = cipher.mul(&root, &cipher.pow(payload, &factor));
                }
                let power = cipher.mul(&root, &root);
                let multiple =
                    self.logarithm(&power).ok_or(PaillierError::NoPlaintext { index })?;
                Ok(self.plain().mul(&multiple, &inverse))
            })
            .collect()
    }

    /// `L((1 + N)^M) = M`; `None` for anything but such a power.
    fn logarithm(&self, power: &Integer) -> Option<Integer> {
        let (quotient, remainder) =
            Integer::from(power - 1_u32).div_rem(self.plain().value().clone());
        remainder.is_zero().then_some(quotient)
    }

    /// What the base of a share is, as a power of the ciphertext's first component.
    fn base_factor(&self) -> Integer {
        match self.scheme() {
            Scheme::Dealt => self.parties().delta() * 4_u32,
            Scheme::Bcp => self.parties().delta() * 2_u32,
        }
    }

    /// What the plaintext is multiplied by where shares are combined, before the squaring: under
    /// `bcp` also the power of the second component.
    fn combination_factor(&self) -> Integer {
        let delta = self.parties().delta();
        match self.scheme() {
            Scheme::Dealt => Integer::from(delta.square_ref()) * 4_u32,
            Scheme::Bcp => Integer::from(delta.square_ref()) * &delta * 2_u32,
        }
    }

    /// The first components.
    fn share_component<'a>(&self, ciphertexts: &'a Ciphertexts) -> &'a [Integer] {
        ciphertexts.components().first().map_or(&[], Elements::values)
    }

    /// Absorbs a list and its shares, and folds both by the weights that follow:
    /// `(prod B_i^{δ_i}, prod S_i^{δ_i})`.
    pub(super) fn batch(
        &self,
        context: &Context<'_>,
        ciphertexts: &Ciphertexts,
        shares: &Elements,
    ) -> (Transcript, Integer, Integer) {
        let (transcript, weights) = self.weights(context, ciphertexts, shares);
        let folded = self.cipher().multi_exp_short(self.share_component(ciphertexts), &weights);
        let base = self.cipher().pow(&folded, &self.base_factor());
        let image = self.cipher().multi_exp_short(shares.values(), &weights);
        (transcript, base, image)
    }

    /// `δ_0, δ_1, …`, from a transcript of the list and its shares.
    pub(super) fn weights(
        &self,
        context: &Context<'_>,
        ciphertexts: &Ciphertexts,
        shares: &Elements,
    ) -> (Transcript, Vec<u128>) {
        let mut transcript = self.transcript(LABEL, context);
        transcript.absorb_u64(b"n", ciphertexts.len() as u64);
        for component in ciphertexts.components() {
            transcript.absorb(b"C", component.encoding());
        }
        transcript.absorb(b"S", shares.encoding());
        let weights = transcript.challenge_shorts(b"delta", shares.len());
        (transcript, weights)
    }

    pub(super) fn share_statement<'a>(
        &'a self,
        server: u16,
        base: &'a Integer,
        image: &'a Integer,
    ) -> Result<ExponentStatement<'a>, PaillierError> {
        Ok(ExponentStatement {
            modulus: self.cipher(),
            bases: vec![self.verification_base(), base],
            images: vec![self.verification_key(server)?, image],
            bits: self.share_bits(),
        })
    }
}

/// `λ_k = Δ·prod_{j ≠ k} j/(j − k)`, integers by which `Δ·f(0) = sum_k λ_k·f(k)`.
fn lagrange(servers: &[u16], delta: &Integer) -> Vec<Integer> {
    let others = |k: u16| servers.iter().copied().filter(move |&j| j != k);
    let coefficient = |&k: &u16| {
        let numerator = others(k).fold(delta.clone(), |product, j| product * u32::from(j));
        let difference = |j: u16| i32::from(j) - i32::from(k);
        let denominator = others(k).fold(Integer::from(1), |product, j| product * difference(j));
        numerator.div_exact(&denominator)
    };
    servers.iter().map(coefficient).collect()
}
