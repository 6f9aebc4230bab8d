//! Following a board of any protocol, and speaking on it.
//!
//! The entries of a board determine a state, which everybody computes in the same way ([`Protocol`]): an
//! [election](crate::election::Election), a traceable mix of [either](crate::tracing::Tracing)
//! [engine](crate::tracing::db::DbTracing), or [questions](crate::inquiry::Inquiry) about an election's mix. A
//! [`Party`] does what the state waits for, and [`Replay::participate`] runs it.

use std::{thread, time::Duration};

use board::{
    AppendError, AuthorId, Board, BoardError, Bulletin, Entry, EntryError, Identity, Store,
    StoreError,
};
use log::{AccessError, FollowError};
use rand_core::CryptoRng;
use thiserror::Error;
use trace::TraceError;
use wire::{CheckName, Digest};

use crate::{
    checks::{BD_4, BD_5},
    election::Rule,
    secrets::SecretError,
};

/// How long one wait on the board lasts before a party looks around.
const WAIT: Duration = Duration::from_millis(500);

/// Why a party cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The board is damaged, or another one.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The board takes no entry.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The board begins with something else.
    #[error("{0}")]
    Genesis(String),
    /// The key is not that of a party that may do this.
    #[error("{key} is not the key of a {role} of this election")]
    NotAParty {
        /// The public key.
        key: AuthorId,
        /// What it would have to be.
        role: &'static str,
    },
    /// The protocol cannot be completed.
    #[error("the {what} failed: {reason}")]
    Failed {
        /// What it is.
        what: &'static str,
        /// Why, and by whose doing.
        reason: String,
    },
    /// What the party drew for the run cannot be kept or recalled.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The party's own computation failed.
    #[error("{0}")]
    Party(String),
    /// The party's own computation in a traceable mix failed.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl SessionError {
    /// Whether the board cannot be reached, which may pass.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Board(error) | Self::Append(AppendError::Board(error)) => match error {
                BoardError::Log(error) | BoardError::Follow(FollowError::Access(error)) => {
                    is_unreachable(error)
                }
                _ => false,
            },
            Self::Append(AppendError::Log(error)) => is_unreachable(error),
            Self::Append(AppendError::Promised) => true,
            _ => false,
        }
    }
}

fn is_unreachable(error: &AccessError) -> bool {
    matches!(error, AccessError::Unreachable { .. } | AccessError::Refused { wait: Some(_), .. })
}

impl From<EntryError> for SessionError {
    fn from(error: EntryError) -> Self {
        Self::Append(error.into())
    }
}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        Self::Board(error.into())
    }
}

/// A board's first entry, which says what the board is for.
///
/// # Errors
/// [`SessionError::Board`].
pub fn genesis(board: &dyn Bulletin) -> Result<&Entry, SessionError> {
    Ok(board.entries().first().ok_or(BoardError::Empty)?)
}

/// What the entries of a board amount to: everybody replays them into the same state.
pub trait Protocol {
    /// What it is, in a word.
    const NAME: &'static str;
    /// What parties say.
    type Message;
    /// What a party is waited for to say. For equal tasks the same message is right.
    type Task: Clone + PartialEq;

    /// Applies the next entry. One that breaks the protocol has no effect but to be remembered.
    fn apply(&mut self, entry: &Entry);

    /// Why the protocol cannot be completed, if it cannot.
    fn failure(&self) -> Option<String>;

    /// What of its kind a message is, said now: on a log, the author's slot. Messages of one author that may both
    /// be said have two subjects, and a message that means something else at another time has another.
    fn subject(&self, message: &Self::Message) -> Vec<u8>;

    /// The kind of entry that carries a message, and the message.
    fn entry_of(message: &Self::Message) -> (String, Vec<u8>);
}

/// Refuses what its author must not have said on a log: a second entry in a slot, or one in a slot that is not its
/// message's. Says which check that is.
pub(crate) fn check_slot<P: Protocol>(
    state: &P,
    entry: &Entry,
    message: &P::Message,
) -> Result<(), (CheckName, String)> {
    if let Some(first) = entry.contradicts().filter(|_| Rule::SaidOnce.is_kept()) {
        return Err((BD_4, format!("the author said something else before, in entry {first}")));
    }
    let is_its_own = entry.leaf().is_none() || entry.subject() == state.subject(message);
    Rule::OwnSubject
        .allows(is_its_own)
        .then_some(())
        .ok_or_else(|| (BD_5, "it is out of place: its subject is another".to_owned()))
}

/// A protocol with which boards begin.
pub trait Begin: Protocol + Sized {
    /// Begins with the genesis entry.
    ///
    /// # Errors
    /// The reason, if it is that of another protocol.
    fn begin(genesis: &Entry) -> Result<Self, String>;
}

/// A party that does what a board waits for.
pub trait Party<P: Protocol> {
    /// The key that it signs with.
    fn identity(&self) -> &Identity;

    /// Takes note of the state, once in a while.
    fn observe(&mut self, _state: &P) {}

    /// What the board waits for this party to say, the oldest first.
    fn awaited(&self, state: &P) -> Option<P::Task>;

    /// What it says when the board waits for this task.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot.
    fn perform(
        &mut self,
        task: P::Task,
        state: &P,
        rng: &mut impl CryptoRng,
    ) -> Result<P::Message, SessionError>;

    /// Goes on without a task that failed, if that is possible: then the task is not waited for any more, as
    /// far as this process knows.
    fn pass_over(&self, _task: &P::Task, _error: &SessionError, _state: &mut P) -> bool {
        false
    }

    /// Whether it stops when nothing is waited for.
    fn is_done(&self, state: &P) -> bool;
}

/// What happens while a party takes part.
pub enum Event<'a, P: Protocol> {
    /// It looks at the board.
    Looks(&'a P),
    /// It did its task, and said so.
    Said(&'a P::Task),
    /// It goes on without having done a task, or others made it needless.
    Passed(&'a P::Task),
    /// The board cannot be reached; the party waits until it can.
    CutOff(&'a SessionError),
}

/// A board, of a chain or of a log, together with what its entries amount to.
pub struct Replay<P> {
    board: Box<dyn Bulletin>,
    state: P,
    applied: usize,
}

impl<P: Begin> Replay<P> {
    /// Begins an empty board with a genesis entry.
    ///
    /// # Errors
    /// [`SessionError::Append`], [`SessionError::Genesis`].
    pub fn begin(
        store: Box<dyn Store>,
        operator: &Identity,
        genesis: &P::Message,
    ) -> Result<Self, SessionError> {
        let (kind, bytes) = P::entry_of(genesis);
        Self::over(Box::new(Board::create(store, operator, &kind, &bytes)?))
    }

    /// Follows a board, which must have the given name if there is one.
    ///
    /// # Errors
    /// [`SessionError::Board`], [`SessionError::Genesis`].
    pub fn open(store: Box<dyn Store>, expected: Option<Digest>) -> Result<Self, SessionError> {
        Self::over(Box::new(match expected {
            Some(id) => Board::open_expecting(store, id)?,
            None => Board::open(store)?,
        }))
    }

    /// Follows a board that is open.
    ///
    /// # Errors
    /// [`SessionError::Genesis`].
    pub fn over(board: Box<dyn Bulletin>) -> Result<Self, SessionError> {
        let genesis = board.entries().first().ok_or(BoardError::Empty)?;
        let state = P::begin(genesis).map_err(SessionError::Genesis)?;
        let mut replay = Self { board, state, applied: 1 };
        replay.apply_new();
        Ok(replay)
    }
}

impl<P: Protocol> Replay<P> {
    /// The board.
    pub fn board(&self) -> &dyn Bulletin {
        &*self.board
    }

    /// What was read and verified, in order.
    pub fn entries(&self) -> &[Entry] {
        self.board.entries()
    }

    /// The state as of the last entry read.
    pub fn state(&self) -> &P {
        &self.state
    }

    /// The board's name.
    pub fn id(&self) -> Digest {
        self.board.id()
    }

    /// Goes on with another protocol, whose entries follow `last`, from the state of this one.
    ///
    /// # Errors
    /// Those of `begin`.
    pub fn follow_on<Q: Protocol, E>(
        self,
        last: u64,
        begin: impl FnOnce(P, &[Entry]) -> Result<Q, E>,
    ) -> Result<Replay<Q>, E> {
        let Self { board, state, .. } = self;
        let state = begin(state, board.entries())?;
        let behind = board.entries().iter().take_while(|entry| entry.sequence() <= last);
        let applied = behind.count();
        let mut replay = Replay { board, state, applied };
        replay.apply_new();
        Ok(replay)
    }

    /// Reads, verifies and applies what was written meanwhile.
    ///
    /// # Errors
    /// [`SessionError::Board`].
    pub fn sync(&mut self) -> Result<(), SessionError> {
        let refreshed = self.board.refresh();
        // Entries before one that fails are genuine.
        self.apply_new();
        refreshed?;
        Ok(())
    }

    /// Waits a moment for new entries, and says whether there are any.
    ///
    /// # Errors
    /// [`SessionError::Board`]; [`SessionError::Failed`] once the protocol cannot be completed.
    pub fn wait(&mut self) -> Result<bool, SessionError> {
        let news = self.board.wait(WAIT)?;
        self.apply_new();
        self.require_alive()?;
        Ok(news)
    }

    /// Says something; reads first what others say meanwhile, and gives up, with `false`, once
    /// `holds` does not any more.
    ///
    /// # Errors
    /// [`SessionError::Board`], [`SessionError::Append`].
    pub fn post(
        &mut self,
        identity: &Identity,
        message: &P::Message,
        holds: impl Fn(&P) -> bool,
    ) -> Result<bool, SessionError> {
        let (kind, bytes) = P::entry_of(message);
        while holds(&self.state) {
            let subject = self.state.subject(message);
            match self.board.append(identity, (&kind, &subject), &bytes) {
                Ok(()) => {
                    self.apply_new();
                    return Ok(true);
                }
                Err(AppendError::Conflict { .. }) => self.sync()?,
                // It was said, and has the effect that it has.
                Err(AppendError::Spent { .. }) => {
                    self.apply_new();
                    return Ok(false);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }

    /// Does a party's work, one task after the other, until nothing is waited for and it is done. Restarted
    /// on the same board, it goes on where it was; cut off from the board, it waits, and what it was about
    /// to say it says then, if it is still waited for.
    ///
    /// # Errors
    /// [`SessionError`]; [`SessionError::Failed`] if the protocol cannot be completed.
    pub fn participate(
        &mut self,
        party: &mut impl Party<P>,
        rng: &mut impl CryptoRng,
        mut report: impl FnMut(Event<'_, P>),
    ) -> Result<(), SessionError> {
        let mut unsaid = None;
        let mut is_cut_off = false;
        loop {
            match self.take_turn(party, rng, &mut unsaid, &mut report) {
                Ok(true) => return Ok(()),
                Ok(false) => is_cut_off = false,
                Err(error) if error.is_outage() => {
                    if !std::mem::replace(&mut is_cut_off, true) {
                        report(Event::CutOff(&error));
                    }
                    thread::sleep(WAIT);
                    // What was said last may be there or not.
                    drop(self.sync());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// One look at the board; `true` if the party is done.
    fn take_turn(
        &mut self,
        party: &mut impl Party<P>,
        rng: &mut impl CryptoRng,
        unsaid: &mut Option<(P::Task, P::Message)>,
        report: &mut impl FnMut(Event<'_, P>),
    ) -> Result<bool, SessionError> {
        self.require_alive()?;
        report(Event::Looks(&self.state));
        party.observe(&self.state);
        let Some(task) = party.awaited(&self.state) else {
            *unsaid = None;
            if !party.is_done(&self.state) {
                self.wait()?;
                return Ok(false);
            }
            return Ok(true);
        };
        let message = match unsaid.take() {
            Some((of, message)) if of == task => message,
            _ => match party.perform(task.clone(), &self.state, rng) {
                Ok(message) => message,
                Err(error) if party.pass_over(&task, &error, &mut self.state) => {
                    report(Event::Passed(&task));
                    return Ok(false);
                }
                Err(error) => return Err(error),
            },
        };
        let (_, message) = unsaid.insert((task.clone(), message));
        let awaits = |state: &P| party.awaited(state).as_ref() == Some(&task);
        let posted = self.post(party.identity(), message, awaits)?;
        if !posted && awaits(&self.state) {
            // Said in vain before: only what others say can change that.
            self.wait()?;
            return Ok(false);
        }
        *unsaid = None;
        report(if posted { Event::Said(&task) } else { Event::Passed(&task) });
        Ok(false)
    }

    fn require_alive(&self) -> Result<(), SessionError> {
        match self.state.failure() {
            Some(reason) => Err(SessionError::Failed { what: P::NAME, reason }),
            None => Ok(()),
        }
    }

    fn apply_new(&mut self) {
        let entries = self.board.entries();
        for entry in entries.iter().skip(self.applied) {
            self.state.apply(entry);
        }
        self.applied = entries.len();
    }
}
