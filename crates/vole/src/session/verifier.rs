//! The verifier's session: has a key for each commitment of the prover's, and makes the check.

use std::marker::PhantomData;

use rand_core::CryptoRng;
use wire::{Channel, ChannelError, Reader};
use zeroize::{Zeroize, Zeroizing};

use super::{
    Challenge, Checked, Exchange, SHOWN, Session, Setup,
    parties::Verifier,
    sealed::Holder,
    shown::Opening,
    state::{self, Claims, Source, State},
    verdict,
};
use crate::{
    error::VoleError,
    field::{Deltas, Fp, Gf64, MacField, PerField},
    hello::{self, Meeting, Role},
    message,
    polynomial::Evaluation,
    stock::{Half, Keeper, Opened, Position, Stock},
    vole::{Toss, VerifierVole},
};

impl<R: CryptoRng> Verifier<'_, R> {
    /// Meets the prover, who must give the same setup and context, and runs a session with it; see
    /// [`VerifierVole::connect`].
    ///
    /// # Errors
    /// Those of [`VerifierVole::connect`], and of `session`.
    pub fn run<'m, T>(
        channel: &mut Channel,
        setup: impl Into<Setup>,
        meeting: impl Into<Meeting<'m>>,
        rng: &mut R,
        session: impl for<'s> FnOnce(&mut Verifier<'s, R>) -> Result<T, VoleError>,
    ) -> Result<T, VoleError> {
        let (setup, meeting) = (setup.into(), meeting.into());
        let context = setup.context(meeting.context());
        let vole = VerifierVole::connect(channel, setup.correlations, meeting.of(&context), rng)?;
        let deltas = Deltas { bits: vole.bit_delta(), values: vole.field_delta() };
        let base = vole.base();
        let state = State::new(setup, base.sid, base.peer, Source::Base(vole));
        let deltas = Zeroizing::new(deltas);
        session(&mut Verifier { channel, rng, deltas, state, stock: None, brand: PhantomData })
    }

    /// As [`Verifier::run`], with correlations of a stock, as [`Prover::run_from`](crate::Prover::run_from).
    ///
    /// # Errors
    /// Those of [`Prover::run_from`](super::Prover::run_from).
    pub fn run_from<'m, T>(
        channel: &mut Channel,
        setup: impl Into<Setup>,
        meeting: impl Into<Meeting<'m>>,
        (stock, keeper): (&mut Stock, &mut dyn Keeper),
        count: Position,
        rng: &mut R,
        session: impl for<'s> FnOnce(&mut Verifier<'s, R>) -> Result<T, VoleError>,
    ) -> Result<T, VoleError> {
        let mut stock = Opened { stock, keeper };
        let (setup, meeting) = (stock.setup(setup.into()), meeting.into());
        let context = setup.context(meeting.context());
        let taken = stock.take(channel, Role::Verifier, &meeting.of(&context), count, rng)?;
        let source = Source::Stock(taken.toss);
        let mut state = State::new(setup, taken.sid, Some(taken.peer), source);
        let mut deltas = Zeroizing::default();
        if let Half::Verifier { deltas: own, bits, values } = taken.half {
            deltas = own;
            state.stocks.put(bits, values);
        }
        let stock = Some(stock);
        session(&mut Verifier { channel, rng, deltas, state, stock, brand: PhantomData })
    }

    #[cfg(test)]
    pub(super) fn delta(&self) -> Fp {
        self.deltas.values
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
                expected += -(F::combine(&state::take::<Self, F>(self, F::DEGREE)?) * power);
            }
            power = power * delta;
        }
        Ok(expected == found)
    }
}

impl<R: CryptoRng> Holder for Verifier<'_, R> {
    type Vole = VerifierVole;

    fn state(&self) -> &State<Self> {
        &self.state
    }

    fn state_mut(&mut self) -> &mut State<Self> {
        &mut self.state
    }

    fn extend(&mut self, bits: usize, values: usize) -> Result<(), VoleError> {
        let vole = self.state.source.base([bits, values])?;
        let extended = vole.extend(bits, values, self.channel, self.rng);
        let (vole, made) = extended.inspect_err(|_| self.end())?;
        self.state.source = Source::Base(vole);
        self.state.stocks.put(made.bits, made.values);
        Ok(())
    }

    fn show<F: MacField>(
        &mut self,
        what: &'static str,
        count: usize,
        _: impl FnOnce() -> Vec<F::Value>,
    ) -> Result<Vec<F::Value>, VoleError> {
        let mut values = Vec::new();
        while values.len() < count {
            let chunk = (count - values.len()).min(SHOWN);
            let message = message::receive(self.channel, what, F::values_len(chunk))?;
            values.append(&mut F::read_values(&message, chunk)?);
        }
        Ok(values)
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
        let mut keys = state::take::<Self, F>(self, count)?;
        let masked = self.show::<F>("masked values", count, Vec::new)?;
        let delta = F::delta(&self.deltas);
        keys.iter_mut().zip(masked).for_each(|(key, y)| *key = F::shift_key(*key, y, delta));
        Ok(keys)
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

    fn channel(&mut self) -> &mut Channel {
        self.channel
    }

    fn check(&mut self) -> Result<Checked<Self>, VoleError> {
        state::check(self)
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
        let sid = self.state.sid;
        if Toss::commitment(&sid, &opening) != commitment {
            return Err(VoleError::Cheating { check: "coin toss" });
        }
        let outcome = Toss::outcome(&sid, &opening, &share);
        Ok(sid.derive_key(label, &[&outcome]))
    }

    fn shared_toss(&self) -> [u8; 32] {
        match &self.state.source {
            Source::Base(vole) => vole.base().toss,
            Source::Stock(toss) => *toss,
            Source::Ended => [0; 32],
        }
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

    fn find_falsehood(&self) -> Result<(), VoleError> {
        Ok(())
    }

    fn challenge(&mut self, claims: &mut Claims<Self>) -> Result<[u8; 16], VoleError> {
        if Opening::len(&self.state.stocks) > 0 {
            claims.bound = message::receive_array(self.channel, "commitment to values")?;
        }
        let mut seed = [0; 16];
        self.rng.fill_bytes(&mut seed);
        self.channel.send(&seed)?;
        Ok(seed)
    }

    fn conclude(
        &mut self,
        claims: &Claims<Self>,
        challenge: &Challenge,
    ) -> Result<PerField<Vec<bool>, Vec<Fp>>, VoleError> {
        let (degrees, stocks) = (claims.degrees, &mut self.state.stocks);
        let (bit_delta, delta) = (self.deltas.bits, self.deltas.values);
        let mut bits = verdict::claims(&mut stocks.bits, challenge, bit_delta, degrees.bits);
        let mut values = verdict::claims(&mut stocks.values, challenge, delta, degrees.values);
        bits += verdict::additions(&claims.additions, challenge, bit_delta, degrees.bits);
        values += verdict::ranges(&claims.ranges, challenge, delta, degrees.values);
        for work in &claims.works {
            let (more_bits, more) = verdict::decompositions(work, challenge, &self.deltas, degrees);
            bits += more_bits;
            values += more;
        }
        let beside = Opening::len(&self.state.stocks);
        let proof = message::receive(self.channel, "proof", degrees.proof_bytes() + beside)?;
        let (proof, opening) = proof.split_at(degrees.proof_bytes());
        let opening = Opening::from_bytes(opening);
        let shown = opening.read(&self.state.stocks)?;
        bits += verdict::shown::<Gf64>(&shown.bits, challenge, bit_delta, degrees.bits);
        values += verdict::shown::<Fp>(&shown.values, challenge, delta, degrees.values);
        let State { sid, phase, .. } = self.state;
        let bound = beside == 0 || opening.commitment(&sid, phase) == claims.bound;
        let mut proof = Reader::new(proof);
        let fits = self.fits::<Gf64>(bits, degrees.bits, &mut proof)?
            & self.fits::<Fp>(values, degrees.values, &mut proof)?
            & bound;
        if !fits {
            // A refusal tells the prover something about the keys: those of a stock are gone before.
            self.burn()?;
        }
        hello::send_verdict(self.channel, fits, "claims")?;
        Ok(shown)
    }

    fn burn(&mut self) -> Result<(), VoleError> {
        self.stock.as_mut().map_or(Ok(()), Opened::burn)
    }

    fn end(&mut self) {
        self.deltas.zeroize();
        self.state.end();
    }
}
