use rand_core::CryptoRng;
use wire::{Channel, ChannelError, Reader};
use zeroize::Zeroizing;

use super::{
    MAX_CLAIMS, MAX_DEGREE, Party, check_generators, limit, mask_size, proof_degree,
    stock::{PerField, VerifierStocks},
};
use crate::{
    error::VoleError,
    field::{Field, Fp, Gf64, coefficients},
    hash::SessionId,
    hello, message,
    params::ParameterSet,
    polynomial::Evaluation,
    prg::Prg,
    vole::{MAX_BITS, MAX_FIELD, VerifierVole},
};

/// The verifier's session.
pub struct Verifier<'c, R> {
    channel: &'c mut Channel,
    rng: &'c mut R,
    /// None once anything has failed.
    vole: Option<VerifierVole>,
    sid: SessionId,
    deltas: Zeroizing<PerField<Gf64, Fp>>,
    stocks: VerifierStocks,
    /// Checks made.
    phase: u64,
}

impl<'c, R: CryptoRng> Verifier<'c, R> {
    /// Meets the prover; see [`VerifierVole::connect`].
    ///
    /// # Errors
    /// Those of [`VerifierVole::connect`].
    pub fn connect(
        channel: &'c mut Channel,
        set: ParameterSet,
        context: &[u8],
        rng: &'c mut R,
    ) -> Result<Self, VoleError> {
        let vole = VerifierVole::connect(channel, set, context, rng)?;
        let deltas = PerField { bits: vole.bit_delta(), values: vole.field_delta() };
        Ok(Self {
            channel,
            rng,
            sid: vole.sid(),
            vole: Some(vole),
            deltas: Zeroizing::new(deltas),
            stocks: VerifierStocks::default(),
            phase: 0,
        })
    }

    /// The verifier's side of [`super::Prover::commit`].
    ///
    /// # Errors
    /// [`VoleError::TooMany`] over [`MAX_CLAIMS`], and those of [`Party::reserve`].
    pub fn commit<F: Field>(&mut self, count: usize) -> Result<Vec<Evaluation<F>>, VoleError> {
        limit("values to commit to", count, MAX_CLAIMS)?;
        let keys = self.take::<F>(count)?;
        let masked = self.receive_values::<F>("masked values", count)?;
        let delta = F::delta(&self.deltas);
        let keys = keys.iter().zip(masked).map(|(key, y)| *key - F::embed(y) * delta);
        Ok(keys.map(Evaluation::new).collect())
    }

    fn receive_values<F: Field>(
        &mut self,
        what: &'static str,
        count: usize,
    ) -> Result<Vec<F::Value>, VoleError> {
        let message = message::receive(self.channel, what, F::values_len(count))?;
        F::read_values(&message, count)
    }

    /// Commitments to random values, at no cost but the correlations.
    pub(crate) fn random<F: Field>(
        &mut self,
        count: usize,
    ) -> Result<Vec<Evaluation<F>>, VoleError> {
        Ok(self.take::<F>(count)?.iter().map(|key| Evaluation::new(*key)).collect())
    }

    /// Sends a challenge: after everything that it checks has been received.
    pub(crate) fn send_seed(&mut self) -> Result<[u8; 16], VoleError> {
        let mut seed = [0; 16];
        self.rng.fill_bytes(&mut seed);
        self.channel.send(&seed)?;
        Ok(seed)
    }

    /// Ends the session: something failed after a challenge.
    pub(crate) fn end(&mut self) {
        self.vole = None;
    }

    /// Unused keys.
    fn take<F: Field>(&mut self, count: usize) -> Result<Zeroizing<Vec<F>>, VoleError> {
        self.reserve(F::bits(count), F::values(count))?;
        let keys = &mut F::verifier_stock(&mut self.stocks).keys;
        let rest = keys.len() - count;
        Ok(Zeroizing::new(keys.split_off(rest)))
    }

    /// Whether one field's part of a proof is right.
    fn verify<F: Field>(
        &mut self,
        generator: &Prg,
        proof: &mut Reader<'_>,
    ) -> Result<bool, VoleError> {
        let delta = F::delta(&self.deltas);
        let claims = std::mem::take(&mut F::verifier_stock(&mut self.stocks).claims);
        let degree = proof_degree(claims.iter().map(Evaluation::degree));
        let chis = coefficients::<F>(generator, claims.len());
        let combined =
            claims.iter().zip(chis).map(|(claim, chi)| claim.lifted(degree, delta) * chi);
        let mut expected: F = combined.sum();
        let mut power = F::one();
        for _ in 1..degree {
            expected += -F::combine(&self.take::<F>(F::DEGREE)?) * power;
            power = power * delta;
        }
        let mut found = F::default();
        let mut power = F::one();
        for _ in 0..degree {
            found += F::decode(proof).map_err(ChannelError::Decode)? * power;
            power = power * delta;
        }
        Ok(found == expected)
    }
}

impl<R: CryptoRng> Party for Verifier<'_, R> {
    type Commitment<F: Field> = Evaluation<F>;

    fn constant<F: Field>(&self, value: F::Value) -> Evaluation<F> {
        Evaluation::constant(value)
    }

    fn add<F: Field>(&self, a: &Evaluation<F>, b: &Evaluation<F>) -> Evaluation<F> {
        a.add(b, F::delta(&self.deltas))
    }

    fn sum<F: Field>(&self, terms: &[&Evaluation<F>]) -> Evaluation<F> {
        Evaluation::sum(terms, F::delta(&self.deltas))
    }

    fn sub<F: Field>(&self, a: &Evaluation<F>, b: &Evaluation<F>) -> Evaluation<F> {
        a.sub(b, F::delta(&self.deltas))
    }

    fn mul<F: Field>(&self, a: &Evaluation<F>, b: &Evaluation<F>) -> Evaluation<F> {
        a.mul(b)
    }

    fn assert_zero<F: Field>(&mut self, claim: Evaluation<F>) -> Result<(), VoleError> {
        limit("degree of a claim", claim.degree(), MAX_DEGREE)?;
        let claims = &mut F::verifier_stock(&mut self.stocks).claims;
        limit("claims", claims.len() + 1, MAX_CLAIMS)?;
        claims.push(claim);
        Ok(())
    }

    fn reveal<F: Field>(
        &mut self,
        commitments: &[Evaluation<F>],
    ) -> Result<Vec<F::Value>, VoleError> {
        limit("values to reveal", commitments.len(), MAX_CLAIMS)?;
        let values = self.receive_values::<F>("revealed values", commitments.len())?;
        for (commitment, value) in commitments.iter().zip(&values) {
            let claim = self.sub(commitment, &Evaluation::constant(*value));
            self.assert_zero(claim)?;
        }
        Ok(values)
    }

    fn reserve(&mut self, bits: usize, values: usize) -> Result<(), VoleError> {
        loop {
            let bits = bits.saturating_sub(self.stocks.bits.keys.len()).min(MAX_BITS);
            let values = values.saturating_sub(self.stocks.values.keys.len()).min(MAX_FIELD);
            if (bits, values) == (0, 0) {
                return Ok(());
            }
            let vole = self.vole.take().ok_or(VoleError::Ended)?;
            let (vole, mut made) = vole.extend(bits, values, self.channel, self.rng)?;
            self.vole = Some(vole);
            self.stocks.bits.keys.append(&mut made.bit_keys);
            self.stocks.values.keys.append(&mut made.value_keys);
        }
    }

    fn check(&mut self) -> Result<(), VoleError> {
        let bits = proof_degree(self.stocks.bits.claims.iter().map(Evaluation::degree));
        let values = proof_degree(self.stocks.values.claims.iter().map(Evaluation::degree));
        self.reserve(mask_size::<Gf64>(bits), mask_size::<Fp>(values))?;
        // From the challenge on, only an accepting verdict saves the keys.
        let vole = self.vole.take().ok_or(VoleError::Ended)?;
        // Everything that it checks is fixed.
        let seed = self.send_seed()?;
        let proof = message::receive(self.channel, "proof", 8 * (bits + values))?;
        let [for_bits, for_values] = check_generators(&self.sid, self.phase, &seed);
        let mut proof = Reader::new(&proof);
        let fits = self.verify::<Gf64>(&for_bits, &mut proof)?
            & self.verify::<Fp>(&for_values, &mut proof)?;
        hello::send_verdict(self.channel, fits, "claims")?;
        self.phase += 1;
        self.vole = Some(vole);
        Ok(())
    }
}
