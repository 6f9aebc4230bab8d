use rand_core::CryptoRng;
use wire::Channel;
use zeroize::Zeroizing;

use super::{
    Challenge, Degrees, Exchange, MAX_CLAIMS, MAX_DEGREE, Session, Setup, limit, proof,
    stock::ProverStocks,
};
use crate::{
    convert::{
        self, Decomposition, MAX_TARGET_DEGREE,
        addition::Additions,
        chain::{Chain, Work},
    },
    error::VoleError,
    field::{Fp, Gf64, MacField},
    hash::SessionId,
    hello, message,
    polynomial::Polynomial,
    vole::{MAX_BITS, MAX_FIELD, ProverVole, Toss},
};

/// The prover's session.
pub struct Prover<'c, R: CryptoRng> {
    channel: &'c mut Channel,
    rng: &'c mut R,
    setup: Setup,
    /// None once anything has failed.
    vole: Option<ProverVole>,
    sid: SessionId,
    stocks: ProverStocks,
    /// Over both fields, and over F_p only.
    chains: [Option<Chain<Self>>; 2],
    decompositions: Vec<Decomposition<Self>>,
    additions: Vec<Additions<Self>>,
    /// Checks made.
    phase: u64,
}

impl<'c, R: CryptoRng> Prover<'c, R> {
    /// Meets the verifier, who must give the same setup and context; see [`ProverVole::connect`].
    ///
    /// # Errors
    /// Those of [`ProverVole::connect`].
    pub fn connect(
        channel: &'c mut Channel,
        setup: impl Into<Setup>,
        context: &[u8],
        rng: &'c mut R,
    ) -> Result<Self, VoleError> {
        let setup = setup.into();
        let context = setup.context(context);
        let vole = ProverVole::connect(channel, setup.correlations, &context, rng)?;
        Ok(Self {
            channel,
            rng,
            setup,
            sid: vole.sid(),
            vole: Some(vole),
            stocks: ProverStocks::default(),
            chains: [None, None],
            decompositions: Vec::new(),
            additions: Vec::new(),
            phase: 0,
        })
    }

    /// The connection: for its counters, and for what the caller says between two checks.
    pub fn channel(&mut self) -> &mut Channel {
        self.channel
    }

    /// Correlations that are not used yet, over F_2 and over F_p.
    pub fn unused(&self) -> (usize, usize) {
        (self.stocks.bits.unused.len(), self.stocks.values.unused.len())
    }

    /// Unused correlations.
    fn take<F: MacField>(&mut self, count: usize) -> Result<Vec<F::Proven>, VoleError> {
        limit("values to commit to", count, MAX_CLAIMS)?;
        self.reserve(F::bits(count), F::values(count))?;
        Ok(F::prover_stock(&mut self.stocks).unused.take(count))
    }

    fn send_values<F: MacField>(&mut self, values: &[F::Value]) -> Result<(), VoleError> {
        // Chunks of a number of whole bytes.
        values
            .chunks(1 << 20)
            .try_for_each(|chunk| message::send(self.channel, &F::put_values(chunk)))
    }

    /// Masks one field's part of a proof, by a random multiple of X in each degree, and appends it.
    fn mask<F: MacField>(&mut self, sums: &mut [F], proof: &mut Vec<u8>) -> Result<(), VoleError> {
        for low in 0..sums.len().saturating_sub(1) {
            let masks = Zeroizing::new(self.take::<F>(F::DEGREE)?);
            let values: Vec<_> = masks.iter().map(|mask| F::embed(F::value(*mask))).collect();
            let macs: Vec<_> = masks.iter().map(|mask| F::mac(*mask)).collect();
            let (values, macs) = (Zeroizing::new(values), Zeroizing::new(macs));
            let mask = [-F::combine(&macs), F::combine(&values)];
            sums.iter_mut().skip(low).zip(mask).for_each(|(sum, c)| *sum += c);
        }
        sums.iter().for_each(|c| c.encode(proof));
        Ok(())
    }

    /// Everything before the challenge. An error ends the session, and the chains with it.
    fn prepare(&mut self) -> Result<Vec<Work<Self>>, VoleError> {
        let claims = std::mem::take(&mut self.decompositions);
        let mut chains = std::mem::take(&mut self.chains);
        let works = convert::prepare(self, claims, &mut chains)?;
        self.chains = chains;
        Ok(works)
    }

    fn degrees(&self, works: &[Work<Self>]) -> Degrees {
        let mut degrees =
            Degrees { bits: self.stocks.bits.degree(), values: self.stocks.values.degree() };
        works.iter().for_each(|work| degrees.raise(work.degrees()));
        degrees
    }

    fn run_check(&mut self) -> Result<(), VoleError> {
        let works = self.prepare()?;
        let additions = std::mem::take(&mut self.additions);
        let mut degrees = self.degrees(&works);
        degrees.raise_to_additions(&additions);
        let (bits, values) = degrees.masks();
        self.reserve(bits, values)?;
        let seed = message::receive_array(self.channel, "challenge")?;
        let challenge = Challenge { sid: self.sid, phase: self.phase, seed };
        let mut sums = proof::Sums::new(degrees);
        proof::add_claims(&mut sums.bits, &mut self.stocks.bits, &challenge);
        proof::add_claims(&mut sums.values, &mut self.stocks.values, &challenge);
        proof::add_additions(&mut sums.bits, &additions, &challenge);
        works.iter().for_each(|work| proof::add_decompositions(&mut sums, work, &challenge));
        let mut proof = Vec::with_capacity(degrees.proof_bytes());
        self.mask::<Gf64>(&mut sums.bits, &mut proof)?;
        self.mask::<Fp>(&mut sums.values, &mut proof)?;
        message::send(self.channel, &proof)?;
        hello::receive_verdict(self.channel)?;
        self.phase += 1;
        for work in works {
            let number = usize::from(!work.chain.over_both());
            if let Some(chain) = self.chains.get_mut(number) {
                *chain = Some(work.finish());
            }
        }
        Ok(())
    }
}

impl<R: CryptoRng> Session for Prover<'_, R> {
    type Commitment<F: MacField> = Polynomial<F>;
    type Linear<F: MacField> = F::Proven;

    fn commit<F: MacField>(
        &mut self,
        count: usize,
        witness: impl FnOnce() -> Vec<F::Value>,
    ) -> Result<Vec<F::Proven>, VoleError> {
        let mut proven = self.take::<F>(count)?;
        let values = Zeroizing::new(witness());
        if values.len() != count {
            return Err(VoleError::Shape { what: "witness" });
        }
        let masked: Vec<_> =
            values.iter().zip(&proven).map(|(x, u)| F::difference(*x, F::value(*u))).collect();
        self.send_values::<F>(&masked)?;
        for (proven, x) in proven.iter_mut().zip(&*values) {
            *proven = F::prove(*x, F::mac(*proven));
        }
        Ok(proven)
    }

    fn random<F: MacField>(&mut self, count: usize) -> Result<Vec<F::Proven>, VoleError> {
        self.take::<F>(count)
    }

    fn peek<F: MacField>(linear: &F::Proven) -> F::Value {
        F::value(*linear)
    }

    fn numbers(numbers: &[u64]) -> Option<Vec<u64>> {
        Some(numbers.to_vec())
    }

    fn plus<F: MacField>(a: &F::Proven, b: &F::Proven) -> F::Proven {
        F::add_proven(*a, *b)
    }

    fn scale<F: MacField>(a: &F::Proven, factor: F::Value) -> F::Proven {
        F::scale_proven(*a, factor)
    }

    fn shift<F: MacField>(&self, a: &F::Proven, by: F::Value) -> F::Proven {
        F::shift_proven(*a, by)
    }

    fn term<F: MacField>(&self, linear: &F::Proven) -> Polynomial<F> {
        Polynomial::new(*linear)
    }

    fn constant<F: MacField>(&self, value: F::Value) -> Polynomial<F> {
        Polynomial::constant(value)
    }

    fn add<F: MacField>(&self, a: &Polynomial<F>, b: &Polynomial<F>) -> Polynomial<F> {
        a.add(b)
    }

    fn sum<F: MacField>(&self, terms: &[&Polynomial<F>]) -> Polynomial<F> {
        Polynomial::sum(terms)
    }

    fn sub<F: MacField>(&self, a: &Polynomial<F>, b: &Polynomial<F>) -> Polynomial<F> {
        a.sub(b)
    }

    fn mul<F: MacField>(&self, a: &Polynomial<F>, b: &Polynomial<F>) -> Polynomial<F> {
        a.mul(b)
    }

    fn assert_zero<F: MacField>(&mut self, claim: Polynomial<F>) -> Result<(), VoleError> {
        limit("degree of a claim", claim.degree(), MAX_DEGREE)?;
        let claims = &mut F::prover_stock(&mut self.stocks).claims;
        limit("claims", claims.len() + 1, MAX_CLAIMS)?;
        claims.push(claim);
        Ok(())
    }

    fn assert_product<F: MacField>(
        &mut self,
        [a, b]: [F::Proven; 2],
        product: F::Proven,
    ) -> Result<(), VoleError> {
        let products = &mut F::prover_stock(&mut self.stocks).products;
        limit("products", products.len() + 1, MAX_CLAIMS)?;
        products.push([a, b, product]);
        Ok(())
    }

    fn reveal<F: MacField>(
        &mut self,
        commitments: &[Polynomial<F>],
    ) -> Result<Vec<F::Value>, VoleError> {
        limit("values to reveal", commitments.len(), MAX_CLAIMS)?;
        let values: Vec<_> = commitments.iter().map(|c| c.value().project()).collect();
        self.send_values::<F>(&values)?;
        for (commitment, value) in commitments.iter().zip(&values) {
            self.assert_zero(commitment.sub(&Polynomial::constant(*value)))?;
        }
        Ok(values)
    }

    fn reveal_linear<F: MacField>(
        &mut self,
        values: &[F::Proven],
    ) -> Result<Vec<F::Value>, VoleError> {
        limit("values to reveal", values.len(), MAX_CLAIMS)?;
        let shown: Vec<_> = values.iter().map(|value| F::value(*value)).collect();
        self.send_values::<F>(&shown)?;
        let zeros = &mut F::prover_stock(&mut self.stocks).zeros;
        limit("claims", zeros.len() + values.len(), MAX_CLAIMS)?;
        let shown_zeros = values.iter().zip(&shown);
        zeros.extend(shown_zeros.map(|(value, x)| F::shift_proven(*value, F::opposite(*x))));
        Ok(shown)
    }

    fn decompose(&mut self, claim: Decomposition<Self>) -> Result<(), VoleError> {
        claim.validate()?;
        for value in claim.computed() {
            limit("degree of a computed target", value.degree(), MAX_TARGET_DEGREE)?;
        }
        self.decompositions.push(claim);
        Ok(())
    }

    fn setup(&self) -> Setup {
        self.setup
    }

    fn reserve(&mut self, bits: usize, values: usize) -> Result<(), VoleError> {
        loop {
            let (have_bits, have_values) = self.unused();
            let bits = bits.saturating_sub(have_bits).min(MAX_BITS);
            let values = values.saturating_sub(have_values).min(MAX_FIELD);
            let vole = self.vole.take().ok_or(VoleError::Ended)?;
            if (bits, values) == (0, 0) {
                self.vole = Some(vole);
                return Ok(());
            }
            let (vole, made) = vole.extend(bits, values, self.channel, self.rng)?;
            self.vole = Some(vole);
            self.stocks.bits.unused.put(made.bits);
            self.stocks.values.unused.put(made.values);
        }
    }

    fn check(&mut self) -> Result<(), VoleError> {
        // Once a check has begun, only an accepting verdict saves the keys.
        self.run_check().inspect_err(|_| self.vole = None)
    }
}

impl<R: CryptoRng> Exchange for Prover<'_, R> {
    const PROVES: bool = true;

    fn toss(&mut self, label: &'static str) -> Result<u128, VoleError> {
        let toss = Toss::draw(self.rng);
        self.channel.send(&Toss::commitment(&self.sid, &toss.opening))?;
        let share = message::receive_array::<{ Toss::SHARE }>(self.channel, "toss")?;
        self.channel.send(&toss.opening)?;
        let outcome = Toss::outcome(&self.sid, &toss.opening, &share);
        Ok(self.sid.derive_key(label, &[&outcome]))
    }

    fn shared_toss(&self) -> [u8; 32] {
        self.vole.as_ref().map_or([0; 32], ProverVole::toss)
    }

    fn sid(&self) -> SessionId {
        self.sid
    }

    fn noise(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.rng.next_u64()).collect()
    }

    fn show_bits(
        &mut self,
        _: usize,
        bits: impl FnOnce() -> Vec<u8>,
    ) -> Result<Vec<u8>, VoleError> {
        let bits = bits();
        message::send(self.channel, &bits)?;
        Ok(bits)
    }

    fn assert_linear_zero<F: MacField>(&mut self, claim: F::Proven) -> Result<(), VoleError> {
        let zeros = &mut F::prover_stock(&mut self.stocks).zeros;
        limit("claims", zeros.len() + 1, MAX_CLAIMS)?;
        zeros.push(claim);
        Ok(())
    }

    fn assert_additions(&mut self, additions: Additions<Self>) {
        self.additions.push(additions);
    }

    fn stop_if(&self, error: VoleError, reason: impl FnOnce() -> bool) -> Result<(), VoleError> {
        match reason() {
            true => Err(error),
            false => Ok(()),
        }
    }

    fn refuse_unless(&self, _: &'static str, _: impl FnOnce() -> bool) -> Result<(), VoleError> {
        Ok(())
    }
}
