//! The verifier's end of a connection: the global keys, and a key for each value of the prover's.

use rand_core::CryptoRng;
use wire::{Channel, ChannelError, Reader};
use zeroize::{Zeroize, Zeroizing};

use super::base::{
    ANSWER, BASE_OTS, Base, Toss, VerifierCorrelations, check_generators, codes, demand, hidden,
    same,
};
use crate::{
    base_ot, digits,
    error::VoleError,
    field::{Fp, Gf64},
    hello::{self, Meeting, Role},
    lpn::single_point::{self, COMPARED, Trees},
    message,
    params::ParameterSet,
    softspoken, trees,
};

/// The verifier's end: has the global keys, and knows every leaf but those that they number.
pub struct VerifierVole {
    base: Base,
    bit_delta: u128,
    field_delta: Fp,
}

impl VerifierVole {
    /// Meets the prover; see [`super::ProverVole::connect`].
    ///
    /// # Errors
    /// Those of [`super::ProverVole::connect`].
    pub fn connect<'m>(
        channel: &mut Channel,
        set: ParameterSet,
        meeting: impl Into<Meeting<'m>>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, VoleError> {
        let meeting = meeting.into();
        let met = hello::exchange(channel, Role::Verifier, set, None, &meeting, rng)?;
        let sid = met.sid;
        let (bit_delta, field_delta) = draw_deltas(rng);
        let digits: Vec<_> =
            softspoken::digits(bit_delta).into_iter().chain(digits::digits(field_delta)).collect();
        let choices = Zeroizing::new(digits.iter().flat_map(|digit| digit.path()).collect());
        let receiver = base_ot::Receiver::new(&sid, choices, rng);
        message::send(channel, &[&met.confirmation(&meeting), receiver.offers()].concat())?;
        let expected = met.confirmation_len() + base_ot::answers_len(BASE_OTS);
        let answers = message::receive(channel, "base OT answers", expected)?;
        let keys = receiver.finish(&sid, met.confirm(&answers)?)?;
        let trees = trees::receive(&sid, &digits, &keys, channel)?;
        Ok(Self { base: Base::new(&met, set, trees), bit_delta, field_delta })
    }

    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    /// Makes fresh correlations; see [`super::ProverVole::extend`].
    ///
    /// # Errors
    /// [`VoleError::Cheating`] if the prover's answer is wrong, and those of
    /// [`super::ProverVole::extend`].
    pub fn extend(
        mut self,
        bits: usize,
        values: usize,
        channel: &mut Channel,
        rng: &mut impl CryptoRng,
    ) -> Result<(Self, VerifierCorrelations), VoleError> {
        let Base { sid, set, .. } = self.base;
        let demand = demand(set, bits, values)?;
        let [bit_blocks, field_blocks] = demand.blocks();
        let for_bits = softspoken::correction_bytes(bit_blocks);
        let expected = 32 + for_bits + digits::correction_bytes(field_blocks);
        let corrections = message::receive(channel, "corrections", expected)?;
        let (commitment, corrections) = corrections.split_at(32);
        let (for_bits, for_field) = corrections.split_at(for_bits);
        let Base { bit_trees, field_trees, position, .. } = &self.base;
        let columns = softspoken::VerifierColumns::expand(
            bit_trees,
            position.bits,
            bit_blocks,
            self.bit_delta,
            for_bits,
        );
        let lines = digits::VerifierLines::expand(
            field_trees,
            position.field,
            field_blocks,
            self.field_delta,
            for_field,
        )?;

        // Drawn when everything that it checks is fixed.
        let mut reply = [0; 16 + Toss::SHARE];
        rng.fill_bytes(&mut reply);
        channel.send(&reply)?;
        // The reply has 16 bytes and a share.
        let (seed, share) = reply.split_first_chunk::<16>().unwrap_or((&[0; 16], &[]));
        let choice_bytes: usize = single_point::choice_bytes(&demand).into_iter().sum();
        let answer =
            message::receive(channel, "check answer", Toss::OPENING + ANSWER + choice_bytes)?;
        let mut reader = Reader::new(&answer);
        let opening = reader.array::<{ Toss::OPENING }>().map_err(ChannelError::Decode)?;
        let bits_answer = reader.array().map_err(ChannelError::Decode)?;
        let field_answer = reader.array().map_err(ChannelError::Decode)?;
        let choices = reader.take(choice_bytes).map_err(ChannelError::Decode)?;
        let chosen = Toss::outcome(&sid, &opening, share);
        let [for_bits, for_field] = check_generators(&sid, position, seed);
        // One verdict for all: which of them failed is nobody's business.
        let fits = columns.check(&sid, self.bit_delta, &for_bits, &bits_answer)
            & lines.check(self.field_delta, &for_field, &field_answer)?
            & same(&Toss::commitment(&sid, &opening), commitment);
        hello::send_verdict(channel, fits, "correlation check")?;

        let [plan, value_plan] = &demand.plans;
        let (transfers, mut bits) = columns.rows(demand.transfers, plan.direct);
        let mut values = lines.rows(demand.base_values + value_plan.direct);
        drop((columns, lines));
        if demand.compresses() {
            let base = Zeroizing::new(values.split_off(value_plan.direct));
            let (counter, deltas) = (position.counter(), (self.bit_delta, self.field_delta));
            let trees = Trees::draw(&sid, &demand, deltas, &transfers, &base, rng);
            message::send(channel, &trees.offer(counter, choices)?)?;
            let codes = codes(&sid, &chosen, set, &demand);
            let answer = message::receive_array(channel, "noise answer")?;
            let mut made = trees.compress(&sid, counter, &answer, &codes)?;
            let mut nonce = [0; 32];
            rng.fill_bytes(&mut nonce);
            channel.send(&hidden(&sid, &nonce, &made.compared))?;
            let shown = message::receive_array::<COMPARED>(channel, "noise check")?;
            // A difference would be a multiple of Δ: it is not shown.
            hello::send_verdict(channel, same(&shown, &made.compared), "noise check")?;
            channel.send(&[&nonce[..], &made.compared].concat())?;
            // The few are moved, and not the many.
            made.bits.append(&mut bits);
            made.values.append(&mut values);
            (bits, values) = (made.bits, made.values);
        }
        self.base.advance(&demand, chosen);
        Ok((self, VerifierCorrelations { bits, values }))
    }

    /// The global key of bits, the Δ in `m = k + x Δ` over F_{2^64}. Whoever has it forges. Its
    /// lowest bit is one.
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

/// Δ of 128 bits, odd, and Δ in F_p.
fn draw_deltas(rng: &mut impl CryptoRng) -> (u128, Fp) {
    let mut bit_delta = Zeroizing::new([0; 16]);
    rng.fill_bytes(&mut *bit_delta);
    let field_delta = loop {
        let drawn = rng.next_u64() >> 3;
        if drawn != Fp::MODULUS {
            break Fp::from(drawn);
        }
    };
    (u128::from_le_bytes(*bit_delta) | 1, field_delta)
}
