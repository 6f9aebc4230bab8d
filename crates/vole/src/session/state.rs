//! What either party holds of a session between two messages, and what both do with it alike.

use board::AuthorId;

use super::{
    Challenge, Checked, Degrees, Exchange, MAX_CLAIMS, Session, Setup, limit, shown::Opening,
    stock::Stocks,
};
use crate::{
    convert::{
        self, Decomposition,
        addition::Additions,
        chain::{Chain, Work},
    },
    error::VoleError,
    field::MacField,
    hash::SessionId,
};

/// A party's side of a session.
pub struct State<S: Session> {
    pub(super) setup: Setup,
    pub(super) sid: SessionId,
    /// The key that the other party has shown.
    pub(super) peer: Option<AuthorId>,
    /// None once anything has failed.
    pub(super) vole: Option<S::Vole>,
    pub(super) stocks: Stocks<S>,
    /// Over both fields, and over F_p only.
    chains: [Option<Chain<S>>; 2],
    pub(super) decompositions: Vec<Decomposition<S>>,
    pub(super) additions: Vec<Additions<S>>,
    /// Checks made.
    pub(super) phase: u64,
    /// Whether a prover goes on although a claim of its own is false.
    pub(super) even_if_false: bool,
}

impl<S: Session> State<S> {
    pub(super) fn new(setup: Setup, sid: SessionId, peer: Option<AuthorId>, vole: S::Vole) -> Self {
        Self {
            setup,
            sid,
            peer,
            vole: Some(vole),
            stocks: Stocks::default(),
            chains: [None, None],
            decompositions: Vec::new(),
            additions: Vec::new(),
            phase: 0,
            even_if_false: false,
        }
    }

    /// Correlations that are not used yet, over F_2 and over F_p.
    pub(super) fn unused(&self) -> (usize, usize) {
        (self.stocks.bits.unused.len(), self.stocks.values.unused.len())
    }

    /// Forgets every key: nothing can be proven in this session any more.
    pub(super) fn end(&mut self) {
        self.vole = None;
        self.stocks = Stocks::default();
        self.chains = [None, None];
        self.decompositions.clear();
        self.additions.clear();
    }
}

/// Unused correlations.
pub(super) fn take<S: Session, F: MacField>(
    session: &mut S,
    count: usize,
) -> Result<Vec<S::Linear<F>>, VoleError> {
    limit("values to commit to", count, MAX_CLAIMS)?;
    session.reserve(F::bits(count), F::values(count))?;
    Ok(F::stock(&mut session.state_mut().stocks).unused.take(count))
}

/// What a check proves beside the claims in the stocks.
pub(crate) struct Claims<S: Session> {
    pub(super) works: Vec<Work<S>>,
    pub(super) additions: Vec<Additions<S>>,
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
        let (bits, values) = (state.stocks.bits.degree(), state.stocks.values.degree());
        let mut degrees = Degrees { bits, values };
        works.iter().for_each(|work| degrees.raise(work.degrees()));
        degrees.raise_to_additions(&additions);
        let (bits, values) = degrees.masks();
        session.reserve(bits, values)?;
        let (opening, bound) = (Opening::from_bytes(&[]), [0; 32]);
        Ok(Self { works, additions, degrees, opening, bound })
    }
}

/// [`Session::check`].
pub(super) fn check<S: Exchange>(session: &mut S) -> Result<Checked<S>, VoleError> {
    // Once a check has begun, only an accepting verdict saves the keys.
    run_check(session).inspect_err(|_| session.end())
}

fn run_check<S: Exchange>(session: &mut S) -> Result<Checked<S>, VoleError> {
    session.find_falsehood()?;
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
    Ok(Checked::new(phase, shown))
}
