//! The prover's end of a connection: values with their MACs.

use rand_core::CryptoRng;
use wire::Channel;

use super::base::{
    BASE_OTS, Base, ProverCorrelations, Toss, check_generators, codes, demand, hidden, same,
};
use crate::{
    base_ot, digits,
    error::VoleError,
    hello::{self, Meeting, Role},
    lpn::single_point::{COMPARED, Noise, offer_bytes},
    message,
    params::ParameterSet,
    softspoken, trees,
};

/// The prover's end: knows every tree.
pub struct ProverVole {
    base: Base,
}

impl ProverVole {
    /// Meets the verifier, who must give the same `set` and the same context. One and a half round
    /// trips, 25 kB.
    ///
    /// # Errors
    /// [`VoleError::Mismatch`], [`VoleError::Stranger`], [`VoleError::Relayed`],
    /// [`VoleError::Length`], [`VoleError::Point`], [`VoleError::Channel`].
    pub fn connect<'m>(
        channel: &mut Channel,
        set: ParameterSet,
        meeting: impl Into<Meeting<'m>>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, VoleError> {
        let meeting = meeting.into();
        let met = hello::exchange(channel, Role::Prover, set, None, &meeting, rng)?;
        let expected = met.confirmation_len() + base_ot::offers_len(BASE_OTS);
        let offers = message::receive(channel, "base OT offers", expected)?;
        let (answers, keys) = base_ot::answer(&met.sid, met.confirm(&offers)?, rng)?;
        message::send(channel, &[met.confirmation(&meeting), answers].concat())?;
        let depths: Vec<_> = softspoken::DEPTHS.into_iter().chain(digits::DEPTHS).collect();
        let trees = trees::send(&met.sid, &depths, &keys, channel, rng)?;
        Ok(Self { base: Base::new(&met, set, trees) })
    }

    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    /// Makes at least so many fresh correlations, as many as the verifier asks for at the same
    /// time: `bits` over F_2, `values` over F_p. The verifier has checked them when this returns. Two
    /// round trips, and two more if there are so many that a code is worth its while.
    ///
    /// On any error the keys are gone with `self`: a check that fails may have told the prover
    /// something about the verifier's global keys.
    ///
    /// # Errors
    /// [`VoleError::TooMany`], [`VoleError::Refused`], [`VoleError::Inconsistent`],
    /// [`VoleError::Length`], [`VoleError::Channel`].
    pub fn extend(
        mut self,
        bits: usize,
        values: usize,
        channel: &mut Channel,
        rng: &mut impl CryptoRng,
    ) -> Result<(Self, ProverCorrelations), VoleError> {
        let Base { sid, set, .. } = self.base;
        let demand = demand(set, bits, values)?;
        let [bit_blocks, field_blocks] = demand.blocks();
        let toss = Toss::draw(rng);
        let mut corrections = Toss::commitment(&sid, &toss.opening).to_vec();
        let Base { bit_trees, field_trees, position, .. } = &self.base;
        let columns = softspoken::ProverColumns::expand(
            bit_trees,
            position.bits,
            bit_blocks,
            &mut corrections,
        );
        let lines = digits::ProverLines::expand(
            field_trees,
            position.field,
            field_blocks,
            &mut corrections,
        );
        message::send(channel, &corrections)?;

        let reply = message::receive_array::<{ 16 + Toss::SHARE }>(channel, "check seed")?;
        // The reply has 16 bytes and a share.
        let (seed, share) = reply.split_first_chunk::<16>().unwrap_or((&[0; 16], &[]));
        let chosen = Toss::outcome(&sid, &toss.opening, share);
        let [for_bits, for_field] = check_generators(&sid, position, seed);
        let [plan, value_plan] = &demand.plans;
        let (transfers, mut bits) = columns.rows(demand.transfers, plan.direct);
        let mut values = lines.rows(demand.base_values + value_plan.direct);
        let base = values.split_off(value_plan.direct);
        let base = zeroize::Zeroizing::new(base);
        let noise = Noise::draw(&demand, &transfers, &base, rng);
        let mut answer = toss.opening.to_vec();
        answer.extend(columns.answer(&sid, &for_bits));
        answer.extend(lines.answer(&for_field));
        answer.extend(noise.choices());
        message::send(channel, &answer)?;
        hello::receive_verdict(channel)?;
        drop((columns, lines));

        if demand.compresses() {
            let offer = message::receive(channel, "level sums", offer_bytes(&demand))?;
            let codes = codes(&sid, &chosen, set, &demand);
            let counter = position.counter();
            let mut made = noise.compress(&sid, counter, &offer, &codes, rng)?;
            message::send(channel, &made.answer)?;
            let commitment = message::receive_array::<32>(channel, "commitment")?;
            message::send(channel, &made.compared)?;
            hello::receive_verdict(channel)?;
            let opening = message::receive_array::<{ 32 + COMPARED }>(channel, "opening")?;
            let (nonce, shown) = opening.split_at(32);
            if !same(&hidden(&sid, nonce, shown), &commitment) || !same(shown, &made.compared) {
                return Err(VoleError::Inconsistent { what: "trees" });
            }
            // The few are moved, and not the many.
            made.bits.append(&mut bits);
            made.values.append(&mut values);
            (bits, values) = (made.bits, made.values);
        }
        self.base.advance(&demand, chosen);
        Ok((self, ProverCorrelations { bits, values }))
    }
}
