//! Subfield VOLE: one connection, two global keys, correlations over F_2 and F_p on demand.

use rand_core::CryptoRng;
use wire::{Channel, ChannelError, Reader};
use zeroize::{Zeroize, Zeroizing};

use crate::{
    base_ot, digits,
    error::VoleError,
    field::{Fp, Gf64},
    hash::SessionId,
    hello::{self, Role},
    message,
    params::ParameterSet,
    prg::Prg,
    softspoken,
    trees::{self, Leaves},
};

/// Base OTs: the bits of both global keys.
const BASE_OTS: usize = 128 + 61;
/// Bytes of the prover's answers to both checks.
const ANSWER: usize = softspoken::ANSWER + digits::ANSWER;
/// The most VOLEs over F_2 of one [`ProverVole::extend`].
pub const MAX_BITS: usize = 1 << 22;
/// The most VOLEs over F_p of one [`ProverVole::extend`].
pub const MAX_FIELD: usize = 1 << 18;

/// The prover's half of correlations. The bit x of F_2 and its MAC m, and the value x of F_p and
/// its MAC m, fulfil `m = k + x Δ` for the verifier's key k of the same place.
pub struct ProverCorrelations {
    /// Uniform bits.
    pub bits: Zeroizing<Vec<bool>>,
    /// The MACs of the bits.
    pub bit_macs: Zeroizing<Vec<Gf64>>,
    /// Uniform elements of F_p.
    pub values: Zeroizing<Vec<Fp>>,
    /// The MACs of the values.
    pub value_macs: Zeroizing<Vec<Fp>>,
}

/// The verifier's half of correlations.
pub struct VerifierCorrelations {
    /// The keys of the bits.
    pub bit_keys: Zeroizing<Vec<Gf64>>,
    /// The keys of the values.
    pub value_keys: Zeroizing<Vec<Fp>>,
}

/// How far the streams at the leaves of the trees have been read, in blocks.
#[derive(Default)]
struct Position {
    bits: u64,
    field: u64,
}

/// The prover's end: knows every tree.
pub struct ProverVole {
    sid: SessionId,
    bit_trees: Vec<Leaves>,
    field_trees: Vec<Leaves>,
    position: Position,
}

/// The verifier's end: has the global keys, and knows every leaf but those that they number.
pub struct VerifierVole {
    sid: SessionId,
    bit_trees: Vec<Leaves>,
    field_trees: Vec<Leaves>,
    bit_delta: u128,
    field_delta: Fp,
    position: Position,
}

impl ProverVole {
    /// Meets the verifier, who must give the same `set` and `context`: what the run is about, such
    /// as the statement to be proven. One and a half round trips, 25 kB.
    ///
    /// # Errors
    /// [`VoleError::Mismatch`], [`VoleError::Length`], [`VoleError::Point`], [`VoleError::Channel`].
    pub fn connect(
        channel: &mut Channel,
        set: ParameterSet,
        context: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Self, VoleError> {
        let sid = hello::exchange(channel, Role::Prover, set, context, rng)?;
        let keys = base_ot::send(&sid, BASE_OTS, channel, rng)?;
        let depths: Vec<_> = softspoken::DEPTHS.into_iter().chain(digits::DEPTHS).collect();
        let mut bit_trees = trees::send(&sid, &depths, &keys, channel, rng)?;
        let field_trees = bit_trees.split_off(softspoken::DEPTHS.len());
        Ok(Self { sid, bit_trees, field_trees, position: Position::default() })
    }

    pub(crate) fn sid(&self) -> SessionId {
        self.sid
    }

    /// Makes fresh correlations, as many as the verifier asks for at the same time: `bits` over
    /// F_2, `values` over F_p. The verifier has checked them when this returns. Two round trips.
    ///
    /// On any error the keys are gone with `self`: a check that fails may have told the prover
    /// something about the verifier's global keys.
    ///
    /// # Errors
    /// [`VoleError::TooMany`], [`VoleError::Refused`], [`VoleError::Length`],
    /// [`VoleError::Channel`].
    pub fn extend(
        mut self,
        bits: usize,
        values: usize,
        channel: &mut Channel,
    ) -> Result<(Self, ProverCorrelations), VoleError> {
        let (bit_blocks, field_blocks) = blocks(bits, values)?;
        let mut corrections = Vec::new();
        let columns = softspoken::ProverColumns::expand(
            &self.bit_trees,
            self.position.bits,
            bit_blocks,
            &mut corrections,
        );
        let lines = digits::ProverLines::expand(
            &self.field_trees,
            self.position.field,
            field_blocks,
            &mut corrections,
        );
        message::send(channel, &corrections)?;

        let seed = message::receive_array::<16>(channel, "check seed")?;
        let [for_bits, for_field] = check_generators(&self.sid, &self.position, &seed);
        let mut answer = columns.answer(&self.sid, &for_bits).to_vec();
        answer.extend(lines.answer(&for_field));
        message::send(channel, &answer)?;
        hello::receive_verdict(channel)?;

        self.position.advance(bit_blocks, field_blocks);
        let (bits, bit_macs) = columns.rows(bits);
        let (values, value_macs) = lines.rows(values);
        Ok((self, ProverCorrelations { bits, bit_macs, values, value_macs }))
    }
}

impl VerifierVole {
    /// Meets the prover; see [`ProverVole::connect`].
    ///
    /// # Errors
    /// Those of [`ProverVole::connect`].
    pub fn connect(
        channel: &mut Channel,
        set: ParameterSet,
        context: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Self, VoleError> {
        let sid = hello::exchange(channel, Role::Verifier, set, context, rng)?;
        let (bit_delta, field_delta) = draw_deltas(rng);
        let digits: Vec<_> =
            softspoken::digits(bit_delta).into_iter().chain(digits::digits(field_delta)).collect();
        let choices = Zeroizing::new(digits.iter().flat_map(|digit| digit.path()).collect());
        let receiver = base_ot::Receiver::offer(&sid, choices, channel, rng)?;
        let keys = receiver.finish(&sid, channel)?;
        let mut bit_trees = trees::receive(&sid, &digits, &keys, channel)?;
        let field_trees = bit_trees.split_off(softspoken::DEPTHS.len());
        let position = Position::default();
        Ok(Self { sid, bit_trees, field_trees, bit_delta, field_delta, position })
    }

    pub(crate) fn sid(&self) -> SessionId {
        self.sid
    }

    /// Makes fresh correlations; see [`ProverVole::extend`].
    ///
    /// # Errors
    /// [`VoleError::Cheating`] if the prover's answer is wrong, and those of
    /// [`ProverVole::extend`].
    pub fn extend(
        mut self,
        bits: usize,
        values: usize,
        channel: &mut Channel,
        rng: &mut impl CryptoRng,
    ) -> Result<(Self, VerifierCorrelations), VoleError> {
        let (bit_blocks, field_blocks) = blocks(bits, values)?;
        let for_bits = softspoken::correction_bytes(bit_blocks);
        let expected = for_bits + digits::correction_bytes(field_blocks);
        let corrections = message::receive(channel, "corrections", expected)?;
        let (for_bits, for_field) = corrections.split_at(for_bits);
        let columns = softspoken::VerifierColumns::expand(
            &self.bit_trees,
            self.position.bits,
            bit_blocks,
            self.bit_delta,
            for_bits,
        );
        let lines = digits::VerifierLines::expand(
            &self.field_trees,
            self.position.field,
            field_blocks,
            self.field_delta,
            for_field,
        )?;

        // Drawn when everything that it checks is fixed.
        let mut seed = [0; 16];
        rng.fill_bytes(&mut seed);
        channel.send(&seed)?;
        let answer = message::receive(channel, "check answer", ANSWER)?;
        let [for_bits, for_field] = check_generators(&self.sid, &self.position, &seed);
        // One verdict for both: which of them failed is nobody's business.
        let mut answer = Reader::new(&answer);
        let bits_answer = answer.array().map_err(ChannelError::Decode)?;
        let field_answer = answer.array().map_err(ChannelError::Decode)?;
        let fits = columns.check(&self.sid, self.bit_delta, &for_bits, &bits_answer)
            & lines.check(self.field_delta, &for_field, &field_answer)?;
        hello::send_verdict(channel, fits, "correlation check")?;

        self.position.advance(bit_blocks, field_blocks);
        let (bit_keys, value_keys) = (columns.rows(bits), lines.rows(values));
        Ok((self, VerifierCorrelations { bit_keys, value_keys }))
    }

    /// The global key of bits, the Δ in `m = k + x Δ` over F_{2^64}. Whoever has it forges.
    pub fn bit_delta(&self) -> Gf64 {
        Gf64::from(self.bit_delta as u64)
    }

    /// The global key of values, the Δ in `m = k + x Δ` over F_p. Whoever has it forges.
    pub fn field_delta(&self) -> Fp {
        self.field_delta
    }
}

impl Drop for VerifierVole {
    fn drop(&mut self) {
        self.bit_delta.zeroize();
        self.field_delta.zeroize();
    }
}

impl Position {
    fn advance(&mut self, bit_blocks: usize, field_blocks: usize) {
        self.bits += bit_blocks as u64;
        self.field += field_blocks as u64;
    }
}

/// Δ of 128 bits, and Δ in F_p.
fn draw_deltas(rng: &mut impl CryptoRng) -> (u128, Fp) {
    let mut bit_delta = Zeroizing::new([0; 16]);
    rng.fill_bytes(&mut *bit_delta);
    let field_delta = loop {
        let drawn = rng.next_u64() >> 3;
        if drawn != Fp::MODULUS {
            break Fp::from(drawn);
        }
    };
    (u128::from_le_bytes(*bit_delta), field_delta)
}

fn blocks(bits: usize, values: usize) -> Result<(usize, usize), VoleError> {
    let limits = [("bit correlations", bits, MAX_BITS), ("field correlations", values, MAX_FIELD)];
    for (what, requested, limit) in limits {
        if requested > limit {
            return Err(VoleError::TooMany { what, requested, limit });
        }
    }
    Ok((softspoken::blocks(bits), digits::blocks(values)))
}

/// The generators of the coefficients of both checks.
fn check_generators(sid: &SessionId, position: &Position, seed: &[u8; 16]) -> [Prg; 2] {
    let (bits, field) = (position.bits.to_le_bytes(), position.field.to_le_bytes());
    ["column check", "line check"]
        .map(|label| Prg::new(sid.derive_key(label, &[&bits, &field, seed])))
}
