use rand_core::CryptoRng;
use wire::{Channel, ChannelError, Reader};
use zeroize::{Zeroize, Zeroizing};

use super::{
    Challenge, Degrees, Exchange, MAX_CLAIMS, MAX_DEGREE, Session, Setup, limit,
    stock::{Deltas, VerifierStocks},
    verdict,
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
    polynomial::Evaluation,
    vole::{MAX_BITS, MAX_FIELD, Toss, VerifierVole},
};

/// The verifier's session.
pub struct Verifier<'c, R: CryptoRng> {
    channel: &'c mut Channel,
    rng: &'c mut R,
    setup: Setup,
    /// None once anything has failed.
    vole: Option<VerifierVole>,
    sid: SessionId,
    deltas: Zeroizing<Deltas>,
    stocks: VerifierStocks,
    /// Over both fields, and over F_p only.
    chains: [Option<Chain<Self>>; 2],
    decompositions: Vec<Decomposition<Self>>,
    additions: Vec<Additions<Self>>,
    /// Checks made.
    phase: u64,
}

impl<'c, R: CryptoRng> Verifier<'c, R> {
    /// Meets the prover, who must give the same setup and context; see [`VerifierVole::connect`].
    ///
    /// # Errors
    /// Those of [`VerifierVole::connect`].
    pub fn connect(
        channel: &'c mut Channel,
        setup: impl Into<Setup>,
        context: &[u8],
        rng: &'c mut R,
    ) -> Result<Self, VoleError> {
        let setup = setup.into();
        let context = setup.context(context);
        let vole = VerifierVole::connect(channel, setup.correlations, &context, rng)?;
        let deltas = Deltas { bits: vole.bit_delta(), values: vole.field_delta() };
        Ok(Self {
            channel,
            rng,
            setup,
            sid: vole.sid(),
            vole: Some(vole),
            deltas: Zeroizing::new(deltas),
            stocks: VerifierStocks::default(),
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

    /// Forgets every key: nothing can be proven in this session any more.
    fn end(&mut self) {
        self.vole = None;
        self.deltas.zeroize();
        self.stocks = VerifierStocks::default();
        self.chains = [None, None];
        self.decompositions.clear();
        self.additions.clear();
    }

    /// Unused keys.
    fn take<F: MacField>(&mut self, count: usize) -> Result<Vec<F>, VoleError> {
        limit("values to commit to", count, MAX_CLAIMS)?;
        self.reserve(F::bits(count), F::values(count))?;
        Ok(F::verifier_stock(&mut self.stocks).unused.take(count))
    }

    fn receive_values<F: MacField>(
        &mut self,
        what: &'static str,
        count: usize,
    ) -> Result<Vec<F::Value>, VoleError> {
        let mut values = Vec::new();
        while values.len() < count {
            let chunk = (count - values.len()).min(1 << 20);
            let message = message::receive(self.channel, what, F::values_len(chunk))?;
            values.append(&mut F::read_values(&message, chunk)?);
        }
        Ok(values)
    }

    /// Whether one field's part of a proof has the value that the claims have at Δ.
    fn fits<F: MacField>(
        &mut self,
        value: F,
        degree: usize,
        proof: &mut Reader<'_>,
    ) -> Result<bool, VoleError> {
        let delta = F::delta(&self.deltas);
        let (mut expected, mut found, mut power) = (value, F::default(), F::unit_element());
        for place in 0..degree {
            found += F::decode(proof).map_err(ChannelError::Decode)? * power;
            if place + 1 < degree {
                expected += -(F::combine(&self.take::<F>(F::DEGREE)?) * power);
            }
            power = power * delta;
        }
        Ok(expected == found)
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
        // Everything that it checks is fixed.
        let mut seed = [0; 16];
        self.rng.fill_bytes(&mut seed);
        self.channel.send(&seed)?;
        let challenge = Challenge { sid: self.sid, phase: self.phase, seed };
        let (bit_delta, delta) = (self.deltas.bits, self.deltas.values);
        let mut bits = verdict::claims(&mut self.stocks.bits, &challenge, bit_delta, degrees.bits);
        let mut values =
            verdict::claims(&mut self.stocks.values, &challenge, delta, degrees.values);
        bits += verdict::additions(&additions, &challenge, bit_delta, degrees.bits);
        for work in &works {
            let (more_bits, more) =
                verdict::decompositions(work, &challenge, &self.deltas, degrees);
            bits += more_bits;
            values += more;
        }
        let proof = message::receive(self.channel, "proof", degrees.proof_bytes())?;
        let mut proof = Reader::new(&proof);
        let fits = self.fits::<Gf64>(bits, degrees.bits, &mut proof)?
            & self.fits::<Fp>(values, degrees.values, &mut proof)?;
        hello::send_verdict(self.channel, fits, "claims")?;
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

impl<R: CryptoRng> Session for Verifier<'_, R> {
    type Commitment<F: MacField> = Evaluation<F>;
    type Linear<F: MacField> = F;

    fn commit<F: MacField>(
        &mut self,
        count: usize,
        _: impl FnOnce() -> Vec<F::Value>,
    ) -> Result<Vec<F>, VoleError> {
        let mut keys = self.take::<F>(count)?;
        let masked = self.receive_values::<F>("masked values", count)?;
        let delta = F::delta(&self.deltas);
        keys.iter_mut().zip(masked).for_each(|(key, y)| *key = F::shift_key(*key, y, delta));
        Ok(keys)
    }

    fn random<F: MacField>(&mut self, count: usize) -> Result<Vec<F>, VoleError> {
        self.take::<F>(count)
    }

    fn peek<F: MacField>(_: &F) -> F::Value {
        F::Value::default()
    }

    fn numbers(_: &[u64]) -> Option<Vec<u64>> {
        None
    }

    fn plus<F: MacField>(a: &F, b: &F) -> F {
        *a + *b
    }

    fn scale<F: MacField>(a: &F, factor: F::Value) -> F {
        a.times(factor)
    }

    fn shift<F: MacField>(&self, a: &F, by: F::Value) -> F {
        F::shift_key(*a, by, F::delta(&self.deltas))
    }

    fn term<F: MacField>(&self, linear: &F) -> Evaluation<F> {
        Evaluation::new(*linear)
    }

    fn constant<F: MacField>(&self, value: F::Value) -> Evaluation<F> {
        Evaluation::constant(value)
    }

    fn add<F: MacField>(&self, a: &Evaluation<F>, b: &Evaluation<F>) -> Evaluation<F> {
        a.add(b, F::delta(&self.deltas))
    }

    fn sum<F: MacField>(&self, terms: &[&Evaluation<F>]) -> Evaluation<F> {
        Evaluation::sum(terms, F::delta(&self.deltas))
    }

    fn sub<F: MacField>(&self, a: &Evaluation<F>, b: &Evaluation<F>) -> Evaluation<F> {
        a.sub(b, F::delta(&self.deltas))
    }

    fn mul<F: MacField>(&self, a: &Evaluation<F>, b: &Evaluation<F>) -> Evaluation<F> {
        a.mul(b)
    }

    fn assert_zero<F: MacField>(&mut self, claim: Evaluation<F>) -> Result<(), VoleError> {
        limit("degree of a claim", claim.degree(), MAX_DEGREE)?;
        let claims = &mut F::verifier_stock(&mut self.stocks).claims;
        limit("claims", claims.len() + 1, MAX_CLAIMS)?;
        claims.push(claim);
        Ok(())
    }

    fn assert_product<F: MacField>(&mut self, [a, b]: [F; 2], product: F) -> Result<(), VoleError> {
        let products = &mut F::verifier_stock(&mut self.stocks).products;
        limit("products", products.len() + 1, MAX_CLAIMS)?;
        products.push([a, b, product]);
        Ok(())
    }

    fn reveal<F: MacField>(
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

    fn reveal_linear<F: MacField>(&mut self, values: &[F]) -> Result<Vec<F::Value>, VoleError> {
        limit("values to reveal", values.len(), MAX_CLAIMS)?;
        let shown = self.receive_values::<F>("revealed values", values.len())?;
        let delta = F::delta(&self.deltas);
        let zeros = &mut F::verifier_stock(&mut self.stocks).zeros;
        limit("claims", zeros.len() + values.len(), MAX_CLAIMS)?;
        let shown_zeros = values.iter().zip(&shown);
        zeros.extend(shown_zeros.map(|(key, x)| F::shift_key(*key, F::opposite(*x), delta)));
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
            let extended = vole.extend(bits, values, self.channel, self.rng);
            let (vole, made) = extended.inspect_err(|_| self.end())?;
            self.vole = Some(vole);
            self.stocks.bits.unused.put(made.bits);
            self.stocks.values.unused.put(made.values);
        }
    }

    fn check(&mut self) -> Result<(), VoleError> {
        // Once a check has begun, only an accepting verdict saves the keys.
        self.run_check().inspect_err(|_| self.end())
    }
}

impl<R: CryptoRng> Exchange for Verifier<'_, R> {
    const PROVES: bool = false;

    fn toss(&mut self, label: &'static str) -> Result<u128, VoleError> {
        let commitment = message::receive_array::<32>(self.channel, "toss commitment")?;
        let mut share = [0; Toss::SHARE];
        self.rng.fill_bytes(&mut share);
        self.channel.send(&share)?;
        let opening = message::receive_array::<{ Toss::OPENING }>(self.channel, "toss opening")?;
        if Toss::commitment(&self.sid, &opening) != commitment {
            return Err(VoleError::Cheating { check: "coin toss" });
        }
        let outcome = Toss::outcome(&self.sid, &opening, &share);
        Ok(self.sid.derive_key(label, &[&outcome]))
    }

    fn shared_toss(&self) -> [u8; 32] {
        self.vole.as_ref().map_or([0; 32], VerifierVole::toss)
    }

    fn sid(&self) -> SessionId {
        self.sid
    }

    fn noise(&mut self, count: usize) -> Vec<u64> {
        vec![0; count]
    }

    fn show_bits(
        &mut self,
        count: usize,
        _: impl FnOnce() -> Vec<u8>,
    ) -> Result<Vec<u8>, VoleError> {
        let bits = message::receive(self.channel, "masked bits", count.div_ceil(8))?;
        message::no_padding(&bits, count)?;
        Ok(bits)
    }

    fn assert_linear_zero<F: MacField>(&mut self, claim: F) -> Result<(), VoleError> {
        let zeros = &mut F::verifier_stock(&mut self.stocks).zeros;
        limit("claims", zeros.len() + 1, MAX_CLAIMS)?;
        zeros.push(claim);
        Ok(())
    }

    fn assert_additions(&mut self, additions: Additions<Self>) {
        self.additions.push(additions);
    }

    fn stop_if(&self, _: VoleError, _: impl FnOnce() -> bool) -> Result<(), VoleError> {
        Ok(())
    }

    fn refuse_unless(
        &self,
        check: &'static str,
        allowed: impl FnOnce() -> bool,
    ) -> Result<(), VoleError> {
        match allowed() {
            true => Ok(()),
            false => Err(VoleError::Cheating { check }),
        }
    }
}
