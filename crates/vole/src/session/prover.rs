use rand_core::CryptoRng;
use wire::Channel;
use zeroize::Zeroizing;

use super::{
    MAX_CLAIMS, MAX_DEGREE, Party, check_generators, limit, mask_size, proof_degree,
    stock::ProverStocks,
};
use crate::{
    error::VoleError,
    field::{Field, Fp, Gf64, coefficients},
    hash::SessionId,
    hello, message,
    params::ParameterSet,
    polynomial::Polynomial,
    prg::Prg,
    vole::{MAX_BITS, MAX_FIELD, ProverVole},
};

/// Random values, and their MACs.
type Correlations<F> = (Zeroizing<Vec<<F as Field>::Value>>, Zeroizing<Vec<F>>);

/// The prover's session.
pub struct Prover<'c> {
    channel: &'c mut Channel,
    /// None once anything has failed.
    vole: Option<ProverVole>,
    sid: SessionId,
    stocks: ProverStocks,
    /// Checks made.
    phase: u64,
}

impl<'c> Prover<'c> {
    /// Meets the verifier; see [`ProverVole::connect`].
    ///
    /// # Errors
    /// Those of [`ProverVole::connect`].
    pub fn connect(
        channel: &'c mut Channel,
        set: ParameterSet,
        context: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Self, VoleError> {
        let vole = ProverVole::connect(channel, set, context, rng)?;
        let sid = vole.sid();
        Ok(Self { channel, vole: Some(vole), sid, stocks: ProverStocks::default(), phase: 0 })
    }

    /// Commits to values, while the verifier commits to as many. One message: a bit for a bit, 8
    /// bytes for an element of F_p.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] over [`MAX_CLAIMS`], and those of [`Party::reserve`].
    pub fn commit<F: Field>(
        &mut self,
        values: &[F::Value],
    ) -> Result<Vec<Polynomial<F>>, VoleError> {
        limit("values to commit to", values.len(), MAX_CLAIMS)?;
        let (masks, macs) = self.take::<F>(values.len())?;
        let masked = values.iter().zip(&*masks).map(|(x, u)| F::difference(*x, *u));
        let masked: Vec<_> = masked.collect();
        message::send(self.channel, &F::put_values(&masked))?;
        Ok(values.iter().zip(&*macs).map(|(x, mac)| Polynomial::new(*x, *mac)).collect())
    }

    /// Commitments to random values, at no cost but the correlations.
    pub(crate) fn random<F: Field>(
        &mut self,
        count: usize,
    ) -> Result<Vec<Polynomial<F>>, VoleError> {
        let (values, macs) = self.take::<F>(count)?;
        Ok(values.iter().zip(&*macs).map(|(x, mac)| Polynomial::new(*x, *mac)).collect())
    }

    pub(crate) fn channel(&mut self) -> &mut Channel {
        self.channel
    }

    /// Ends the session: something failed after a challenge.
    pub(crate) fn end(&mut self) {
        self.vole = None;
    }

    /// Unused correlations: values and MACs.
    fn take<F: Field>(&mut self, count: usize) -> Result<Correlations<F>, VoleError> {
        self.reserve(F::bits(count), F::values(count))?;
        let stock = F::prover_stock(&mut self.stocks);
        let rest = stock.macs.len() - count;
        let values = Zeroizing::new(stock.values.split_off(rest));
        Ok((values, Zeroizing::new(stock.macs.split_off(rest))))
    }

    /// One field's part of a proof: the coefficients below the highest of the combined claims, plus
    /// a random multiple of X in each degree.
    fn prove<F: Field>(&mut self, generator: &Prg, proof: &mut Vec<u8>) -> Result<(), VoleError> {
        let claims = std::mem::take(&mut F::prover_stock(&mut self.stocks).claims);
        let degree = proof_degree(claims.iter().map(Polynomial::degree));
        let mut state = Zeroizing::new(vec![F::default(); degree]);
        for (claim, chi) in claims.iter().zip(coefficients::<F>(generator, claims.len())) {
            state.iter_mut().zip(claim.lifted(degree)).for_each(|(sum, c)| *sum += c * chi);
        }
        for low in 0..degree.saturating_sub(1) {
            let (values, macs) = self.take::<F>(F::DEGREE)?;
            let values = Zeroizing::new(values.iter().map(|u| F::embed(*u)).collect::<Vec<_>>());
            let mask = [-F::combine(&macs), F::combine(&values)];
            state.iter_mut().skip(low).zip(mask).for_each(|(sum, c)| *sum += c);
        }
        state.iter().for_each(|c| c.encode(proof));
        Ok(())
    }
}

impl Party for Prover<'_> {
    type Commitment<F: Field> = Polynomial<F>;

    fn constant<F: Field>(&self, value: F::Value) -> Polynomial<F> {
        Polynomial::constant(value)
    }

    fn add<F: Field>(&self, a: &Polynomial<F>, b: &Polynomial<F>) -> Polynomial<F> {
        a.add(b)
    }

    fn sum<F: Field>(&self, terms: &[&Polynomial<F>]) -> Polynomial<F> {
        Polynomial::sum(terms)
    }

    fn sub<F: Field>(&self, a: &Polynomial<F>, b: &Polynomial<F>) -> Polynomial<F> {
        a.sub(b)
    }

    fn mul<F: Field>(&self, a: &Polynomial<F>, b: &Polynomial<F>) -> Polynomial<F> {
        a.mul(b)
    }

    fn assert_zero<F: Field>(&mut self, claim: Polynomial<F>) -> Result<(), VoleError> {
        limit("degree of a claim", claim.degree(), MAX_DEGREE)?;
        let claims = &mut F::prover_stock(&mut self.stocks).claims;
        limit("claims", claims.len() + 1, MAX_CLAIMS)?;
        claims.push(claim);
        Ok(())
    }

    fn reveal<F: Field>(
        &mut self,
        commitments: &[Polynomial<F>],
    ) -> Result<Vec<F::Value>, VoleError> {
        limit("values to reveal", commitments.len(), MAX_CLAIMS)?;
        let values: Vec<_> = commitments.iter().map(|c| c.value().project()).collect();
        message::send(self.channel, &F::put_values(&values))?;
        for (commitment, value) in commitments.iter().zip(&values) {
            self.assert_zero(commitment.sub(&Polynomial::constant(*value)))?;
        }
        Ok(values)
    }

    fn reserve(&mut self, bits: usize, values: usize) -> Result<(), VoleError> {
        loop {
            let bits = bits.saturating_sub(self.stocks.bits.macs.len()).min(MAX_BITS);
            let values = values.saturating_sub(self.stocks.values.macs.len()).min(MAX_FIELD);
            if (bits, values) == (0, 0) {
                return Ok(());
            }
            let vole = self.vole.take().ok_or(VoleError::Ended)?;
            let (vole, mut made) = vole.extend(bits, values, self.channel)?;
            self.vole = Some(vole);
            self.stocks.bits.values.append(&mut made.bits);
            self.stocks.bits.macs.append(&mut made.bit_macs);
            self.stocks.values.values.append(&mut made.values);
            self.stocks.values.macs.append(&mut made.value_macs);
        }
    }

    fn check(&mut self) -> Result<(), VoleError> {
        let bits = proof_degree(self.stocks.bits.claims.iter().map(Polynomial::degree));
        let values = proof_degree(self.stocks.values.claims.iter().map(Polynomial::degree));
        self.reserve(mask_size::<Gf64>(bits), mask_size::<Fp>(values))?;
        // From the challenge on, only an accepting verdict saves the keys.
        let vole = self.vole.take().ok_or(VoleError::Ended)?;
        let seed = message::receive_array(self.channel, "challenge")?;
        let [for_bits, for_values] = check_generators(&self.sid, self.phase, &seed);
        let mut proof = Vec::new();
        self.prove::<Gf64>(&for_bits, &mut proof)?;
        self.prove::<Fp>(&for_values, &mut proof)?;
        message::send(self.channel, &proof)?;
        hello::receive_verdict(self.channel)?;
        self.phase += 1;
        self.vole = Some(vole);
        Ok(())
    }
}
