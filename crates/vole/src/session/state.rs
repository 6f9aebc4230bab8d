//! What either party holds of a session between two messages, and what both do with it alike.

use board::AuthorId;

use super::{
    Challenge, Checked, Degrees, Exchange, KEPT_BITS, KEPT_VALUES, MAX_CLAIMS, Session, Setup,
    shown::Opening, stock::Stocks,
};
use crate::{
    convert::{
        self, Decomposition,
        addition::Additions,
        chain::{Chain, Work},
        nibbles::Ranges,
    },
    error::{VoleError, limit},
    field::{Fp, MacField, PerField},
    hash::SessionId,
    vole::{MAX_BITS, MAX_FIELD},
};

/// Where correlations come from.
pub(crate) enum Source<V> {
    /// They are made when they are wanted.
    Base(V),
    /// From a stock, from which the session has taken all that it may; with what both parties chose
    /// for the session.
    Stock([u8; 32]),
    /// From nowhere: something has failed.
    Ended,
}

impl<V> Source<V> {
    /// What makes correlations.
    pub(super) fn base(&mut self, [bits, values]: [usize; 2]) -> Result<V, VoleError> {
        match std::mem::replace(self, Self::Ended) {
            Self::Base(vole) => Ok(vole),
            Self::Stock(toss) => {
                *self = Self::Stock(toss);
                let (field, wanted) = if bits > 0 { ("bits", bits) } else { ("values", values) };
                Err(VoleError::Exhausted { field, wanted: wanted as u64, left: 0 })
            }
            Self::Ended => Err(VoleError::Ended),
        }
    }
}

/// How much is kept at once.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) kept_bits: usize,
    pub(crate) kept_values: usize,
    /// Words that are kept until a challenge, of decompositions that are proven at once: 200 MiB.
    pub(crate) proven: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { kept_bits: KEPT_BITS, kept_values: KEPT_VALUES, proven: 25 << 20 }
    }
}

/// A party's side of a session.
pub struct State<S: Session> {
    pub(super) setup: Setup,
    pub(super) sid: SessionId,
    /// The key that the other party has shown.
    pub(super) peer: Option<AuthorId>,
    pub(super) source: Source<S::Vole>,
    pub(super) stocks: Stocks<S>,
    /// Correlations that will be wanted beyond those in the stocks, over F_2 and over F_p.
    pub(super) planned: (usize, usize),
    /// Correlations made so far, over F_2 and over F_p.
    pub(super) made: (u64, u64),
    pub(crate) limits: Limits,
    /// Over both fields, and over F_p only.
    chains: [Option<Chain<S>>; 2],
    pub(super) decompositions: Vec<Decomposition<S>>,
    pub(super) additions: Vec<Additions<S>>,
    pub(crate) ranges: Ranges<S>,
    /// Checks made.
    pub(super) phase: u64,
    /// Whether a prover goes on although a claim of its own is false.
    pub(super) even_if_false: bool,
}

impl<S: Session> State<S> {
    pub(super) fn new(
        setup: Setup,
        sid: SessionId,
        peer: Option<AuthorId>,
        source: Source<S::Vole>,
    ) -> Self {
        Self {
            setup,
            sid,
            peer,
            source,
            stocks: Stocks::default(),
            planned: (0, 0),
            made: (0, 0),
            limits: Limits::default(),
            chains: [None, None],
            decompositions: Vec::new(),
            additions: Vec::new(),
            ranges: Ranges::default(),
            phase: 0,
            even_if_false: false,
        }
    }

    /// Checks made.
    #[cfg(test)]
    pub(crate) fn phase(&self) -> u64 {
        self.phase
    }

    /// Correlations that are not used yet, over F_2 and over F_p.
    pub(super) fn unused(&self) -> (usize, usize) {
        (self.stocks.bits.unused.len(), self.stocks.values.unused.len())
    }

    /// Forgets every key: nothing can be proven in this session any more.
    pub(super) fn end(&mut self) {
        self.source = Source::Ended;
        self.stocks = Stocks::default();
        self.chains = [None, None];
        self.decompositions.clear();
        self.additions.clear();
        self.ranges = Ranges::default();
    }
}

/// Unused correlations.
pub(super) fn take<S: Session, F: MacField>(
    session: &mut S,
    count: usize,
) -> Result<Vec<S::Linear<F>>, VoleError> {
    limit("values to commit to", count, MAX_CLAIMS)?;
    make(session, F::bits(count), F::values(count))?;
    Ok(F::stock(&mut session.state_mut().stocks).unused.take(count))
}

/// Makes correlations until there are so many unused ones, and along with them what else is planned, as
/// much as is kept at once.
pub(super) fn make<S: Session>(
    session: &mut S,
    bits: usize,
    values: usize,
) -> Result<(), VoleError> {
    loop {
        let state = session.state_mut();
        if matches!(state.source, Source::Ended) {
            return Err(VoleError::Ended);
        }
        let (have_bits, have_values) = state.unused();
        if have_bits >= bits && have_values >= values {
            return Ok(());
        }
        let more = |wanted: usize, have: usize, planned: &mut usize, kept: usize, limit: usize| {
            let along = (*planned).min(kept.saturating_sub(have));
            let more = wanted.saturating_sub(have).max(along).min(limit);
            *planned = planned.saturating_sub(more);
            more
        };
        let Limits { kept_bits, kept_values, .. } = state.limits;
        let (planned_bits, planned_values) = &mut state.planned;
        let bits = more(bits, have_bits, planned_bits, kept_bits, MAX_BITS);
        let values = more(values, have_values, planned_values, kept_values, MAX_FIELD);
        session.extend(bits, values)?;
        let state = session.state_mut();
        let (now_bits, now_values) = state.unused();
        state.made.0 += (now_bits - have_bits) as u64;
        state.made.1 += (now_values - have_values) as u64;
    }
}

/// What a check proves beside the claims in the stocks.
pub(crate) struct Claims<S: Session> {
    pub(super) works: Vec<Work<S>>,
    pub(super) additions: Vec<Additions<S>>,
    pub(super) ranges: Ranges<S>,
    pub(super) degrees: Degrees,
    /// What the prover shows.
    pub(super) opening: Opening,
    /// What binds the prover to it, at the verifier.
    pub(super) bound: [u8; 32],
}

impl<S: Exchange> Claims<S> {
    /// Everything before the challenge. An error ends the session, and the chains with it.
    pub(super) fn prepare(session: &mut S) -> Result<Self, VoleError> {
        let state = session.state_mut();
        let claims = std::mem::take(&mut state.decompositions);
        let mut chains = std::mem::take(&mut state.chains);
        let works = convert::prepare(session, claims, &mut chains)?;
        let state = session.state_mut();
        state.chains = chains;
        let additions = std::mem::take(&mut state.additions);
        let ranges = std::mem::take(&mut state.ranges);
        let (bits, values) = (state.stocks.bits.degree(), state.stocks.values.degree());
        let mut degrees = Degrees { bits, values };
        works.iter().for_each(|work| degrees.raise(work.degrees()));
        degrees.raise_to_additions(&additions);
        degrees.raise([0, ranges.degree()]);
        let (bits, values) = degrees.masks();
        session.reserve(bits, values)?;
        let (opening, bound) = (Opening::from_bytes(&[]), [0; 32]);
        Ok(Self { works, additions, ranges, degrees, opening, bound })
    }
}

/// [`Session::check`].
pub(super) fn check<S: Exchange>(session: &mut S) -> Result<Checked<S>, VoleError> {
    // Once a check has begun, only an accepting verdict saves the keys of the session. Those of a stock
    // have told something only if an answer was wrong.
    run_check(session).map_err(|failed| {
        let is_wrong = matches!(failed, VoleError::Cheating { .. } | VoleError::Refused);
        let burnt = if is_wrong { session.burn() } else { Ok(()) };
        session.end();
        match burnt {
            Ok(()) => failed,
            Err(unkept) => {
                VoleError::Unburnt { failed: Box::new(failed), unkept: Box::new(unkept) }
            }
        }
    })
}

/// Claims on more numbers than are proven at once are proven some at a time, each with a challenge of
/// its own: what is kept of them until then does not grow with their number. A false claim passes the
/// first check that it is in, or it does not pass: more checks give it no more chances.
fn run_check<S: Exchange>(session: &mut S) -> Result<Checked<S>, VoleError> {
    session.find_falsehood()?;
    let converter = session.setup().converter;
    let state = session.state_mut();
    let number = state.phase;
    let mut rest = std::mem::take(&mut state.decompositions);
    // What is shown is shown when everything else has been proven.
    let shown = state.stocks.take_shown();
    loop {
        let state = session.state_mut();
        state.decompositions = convert::at_once(converter, state.limits.proven, &mut rest);
        if rest.is_empty() {
            state.stocks.put_shown(shown);
            let shown = prove(session)?;
            return Ok(Checked::new(number, shown));
        }
        prove(session)?;
    }
}

/// One proof with one verdict.
fn prove<S: Exchange>(session: &mut S) -> Result<PerField<Vec<bool>, Vec<Fp>>, VoleError> {
    let mut claims = Claims::prepare(session)?;
    // Everything that it checks is fixed.
    let seed = session.challenge(&mut claims)?;
    let State { sid, phase, .. } = *session.state();
    let shown = session.conclude(&claims, &Challenge { sid, phase, seed })?;
    let state = session.state_mut();
    state.phase += 1;
    state.stocks.bits.shown.clear();
    state.stocks.values.shown.clear();
    for work in claims.works {
        let number = usize::from(!work.chain.over_both());
        if let Some(chain) = state.chains.get_mut(number) {
            *chain = Some(work.finish());
        }
    }
    Ok(shown)
}
