//! The prover's session: commits, computes, reveals, and answers the check.

use std::marker::PhantomData;

use rand_core::CryptoRng;
use wire::Channel;
use zeroize::Zeroizing;

use super::{
    Challenge, Checked, Exchange, SHOWN, Session, Setup, falsehood,
    parties::Prover,
    proof,
    sealed::Holder,
    shown::Opening,
    state::{self, Claims, Source, State},
};
use crate::{
    error::VoleError,
    field::{Fp, Gf64, MacField, PerField},
    hello::{self, Meeting, Role},
    message,
    polynomial::Polynomial,
    stock::{Half, Keeper, Opened, Position, Stock},
    vole::{ProverVole, Toss},
};

impl<R: CryptoRng> Prover<'_, R> {
    /// Meets the verifier, who must give the same setup and context, and runs a session with it; see
    /// [`ProverVole::connect`].
    ///
    /// # Errors
    /// Those of [`ProverVole::connect`], and of `session`.
    pub fn run<'m, T>(
        channel: &mut Channel,
        setup: impl Into<Setup>,
        meeting: impl Into<Meeting<'m>>,
        rng: &mut R,
        session: impl for<'s> FnOnce(&mut Prover<'s, R>) -> Result<T, VoleError>,
    ) -> Result<T, VoleError> {
        let (setup, meeting) = (setup.into(), meeting.into());
        let context = setup.context(meeting.context());
        let vole = ProverVole::connect(channel, setup.correlations, meeting.of(&context), rng)?;
        let base = vole.base();
        let state = State::new(setup, base.sid, base.peer, Source::Base(vole));
        session(&mut Prover { channel, rng, state, stock: None, brand: PhantomData })
    }

    /// As [`Prover::run`], with correlations of a stock: `count` of them are claimed for the session, and
    /// there are no others. Both parties need the keys with which they made it, and how correlations are
    /// made follows from it. Two round trips.
    ///
    /// # Errors
    /// [`VoleError::Exhausted`], [`VoleError::Restored`], [`VoleError::Burnt`], [`VoleError::Unkept`],
    /// [`VoleError::Shape`] for a verifier's half or another key, and those of [`Prover::run`].
    pub fn run_from<'m, T>(
        channel: &mut Channel,
        setup: impl Into<Setup>,
        meeting: impl Into<Meeting<'m>>,
        (stock, keeper): (&mut Stock, &mut dyn Keeper),
        count: Position,
        rng: &mut R,
        session: impl for<'s> FnOnce(&mut Prover<'s, R>) -> Result<T, VoleError>,
    ) -> Result<T, VoleError> {
        let mut stock = Opened { stock, keeper };
        let (setup, meeting) = (stock.setup(setup.into()), meeting.into());
        let context = setup.context(meeting.context());
        let taken = stock.take(channel, Role::Prover, &meeting.of(&context), count, rng)?;
        let source = Source::Stock(taken.toss);
        let mut state = State::new(setup, taken.sid, Some(taken.peer), source);
        if let Half::Prover { bits, values } = taken.half {
            state.stocks.put(bits, values);
        }
        let stock = Some(stock);
        session(&mut Prover { channel, rng, state, stock, brand: PhantomData })
    }

    /// From now on goes through with false claims, for tests of verifiers. The verifier learns by how
    /// much they are false.
    pub fn even_if_false(&mut self) {
        self.state.even_if_false = true;
    }

    /// The MACs of unused bits.
    #[cfg(test)]
    pub(crate) fn unused_macs(&self) -> Vec<u64> {
        self.state.stocks.bits.unused.iter().map(Gf64::to_u64).collect()
    }

    /// Masks one field's part of a proof, by a random multiple of X in each degree, and appends it.
    fn mask<F: MacField>(&mut self, sums: &mut [F], proof: &mut Vec<u8>) -> Result<(), VoleError> {
        for low in 0..sums.len().saturating_sub(1) {
            let masks = Zeroizing::new(state::take::<Self, F>(self, F::DEGREE)?);
            let values: Vec<_> = masks.iter().map(|mask| F::embed(F::value(*mask))).collect();
            let macs: Vec<_> = masks.iter().map(|mask| F::mac(*mask)).collect();
            let (values, macs) = (Zeroizing::new(values), Zeroizing::new(macs));
            let mask = [-F::combine(&macs), F::combine(&values)];
            sums.iter_mut().skip(low).zip(mask).for_each(|(sum, c)| *sum += c);
        }
        sums.iter().for_each(|c| c.encode(proof));
        Ok(())
    }
}

impl<R: CryptoRng> Holder for Prover<'_, R> {
    type Vole = ProverVole;

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
        _: &'static str,
        _: usize,
        values: impl FnOnce() -> Vec<F::Value>,
    ) -> Result<Vec<F::Value>, VoleError> {
        let values = values();
        for chunk in values.chunks(SHOWN) {
            message::send(self.channel, &F::put_values(chunk))?;
        }
        Ok(values)
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
        let mut proven = state::take::<Self, F>(self, count)?;
        let values = Zeroizing::new(witness());
        if values.len() != count {
            return Err(VoleError::Shape { what: "witness" });
        }
        let masked = values.iter().zip(&proven).map(|(x, u)| F::difference(*x, F::value(*u)));
        self.show::<F>("masked values", count, || masked.collect())?;
        for (proven, x) in proven.iter_mut().zip(&*values) {
            *proven = F::prove(*x, F::mac(*proven));
        }
        Ok(proven)
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

    fn channel(&mut self) -> &mut Channel {
        self.channel
    }

    fn check(&mut self) -> Result<Checked<Self>, VoleError> {
        state::check(self)
    }
}

impl<R: CryptoRng> Exchange for Prover<'_, R> {
    const PROVES: bool = true;

    fn toss(&mut self, label: &'static str) -> Result<u128, VoleError> {
        let (toss, sid) = (Toss::draw(self.rng), self.state.sid);
        self.channel.send(&Toss::commitment(&sid, &toss.opening))?;
        let share = message::receive_array::<{ Toss::SHARE }>(self.channel, "toss")?;
        self.channel.send(&toss.opening)?;
        let outcome = Toss::outcome(&sid, &toss.opening, &share);
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

    fn stop_if(&self, error: VoleError, reason: impl FnOnce() -> bool) -> Result<(), VoleError> {
        match reason() {
            true => Err(error),
            false => Ok(()),
        }
    }

    fn refuse_unless(&self, _: &'static str, _: impl FnOnce() -> bool) -> Result<(), VoleError> {
        Ok(())
    }

    fn find_falsehood(&self) -> Result<(), VoleError> {
        match self.state.even_if_false {
            true => Ok(()),
            false => falsehood::find(&self.state),
        }
    }

    fn challenge(&mut self, claims: &mut Claims<Self>) -> Result<[u8; 16], VoleError> {
        claims.opening = Opening::new(&self.state.stocks, self.rng);
        if !claims.opening.bytes().is_empty() {
            let commitment = claims.opening.commitment(&self.state.sid, self.state.phase);
            message::send(self.channel, &commitment)?;
        }
        message::receive_array(self.channel, "challenge")
    }

    fn conclude(
        &mut self,
        claims: &Claims<Self>,
        challenge: &Challenge,
    ) -> Result<PerField<Vec<bool>, Vec<Fp>>, VoleError> {
        let mut sums = proof::Sums::new(claims.degrees);
        let stocks = &mut self.state.stocks;
        proof::add_claims(&mut sums.bits, &mut stocks.bits, challenge);
        proof::add_claims(&mut sums.values, &mut stocks.values, challenge);
        proof::add_additions(&mut sums.bits, &claims.additions, challenge);
        proof::add_ranges(&mut sums.values, &claims.ranges, challenge);
        for work in &claims.works {
            proof::add_decompositions(&mut sums, work, challenge);
        }
        let mut proof = Vec::with_capacity(claims.degrees.proof_bytes());
        self.mask::<Gf64>(&mut sums.bits, &mut proof)?;
        self.mask::<Fp>(&mut sums.values, &mut proof)?;
        let opening = claims.opening.bytes();
        message::send(self.channel, &[&proof, opening].concat())?;
        hello::receive_verdict(self.channel)?;
        claims.opening.read(&self.state.stocks)
    }

    fn burn(&mut self) -> Result<(), VoleError> {
        self.stock.as_mut().map_or(Ok(()), Opened::burn)
    }

    fn end(&mut self) {
        self.state.end();
    }
}
