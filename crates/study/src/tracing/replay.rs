//! Following a board of any protocol, and speaking on it.

use std::{fmt::Display, time::Duration};

use board::{AppendError, Board, BoardError, Entry, Identity, Store};
use rand_core::CryptoRng;
use trace::TraceError;
use wire::{Decode as _, Digest};

use super::TracingError;

/// How long one wait on the board lasts before a party looks around.
const WAIT: Duration = Duration::from_millis(500);

/// The kind of a board's first entry, which says what the board is for.
///
/// # Errors
/// [`TracingError::Board`].
pub fn genesis_kind(store: &dyn Store) -> Result<String, TracingError> {
    let genesis = store.read(0).map_err(BoardError::from)?.ok_or(BoardError::Empty)?;
    let genesis = Entry::from_bytes(&genesis)
        .map_err(|reason| BoardError::Malformed { sequence: 0, reason })?;
    Ok(genesis.kind().to_owned())
}

/// What the entries of a board amount to: everybody replays them into the same state.
pub trait Protocol: Sized {
    /// What parties say.
    type Message;
    /// What a party is waited for to say.
    type Task: Copy + PartialEq + Display;

    /// Begins with the genesis entry.
    ///
    /// # Errors
    /// The reason, if it is that of another protocol.
    fn begin(genesis: &Entry) -> Result<Self, String>;

    /// Applies the next entry. One that breaks the protocol has no effect but to be remembered.
    fn apply(&mut self, entry: &Entry);

    /// Why the protocol cannot be completed, if it cannot.
    fn failure(&self) -> Option<&str>;

    /// What a party is waited for, the oldest first.
    fn awaited(&self, party: u16) -> Option<Self::Task>;

    /// Lets a party go on without a task, if it can.
    fn skip(&mut self, task: Self::Task, party: u16) -> bool;

    /// The kind of entry that carries a message, and the message.
    fn entry_of(message: &Self::Message) -> (String, Vec<u8>);
}

/// A party that does what a board waits for.
pub trait Party<P: Protocol> {
    /// The key that it signs with.
    fn identity(&self) -> &Identity;

    /// Its number on the board.
    fn number(&self) -> u16;

    /// What it says when the board waits for this task.
    ///
    /// # Errors
    /// [`TraceError`] if it cannot.
    fn perform(
        &mut self,
        task: P::Task,
        state: &P,
        rng: &mut impl CryptoRng,
    ) -> Result<P::Message, TraceError>;
}

/// A board together with what its entries amount to.
pub struct Replay<P> {
    board: Board<Box<dyn Store>>,
    state: P,
    applied: usize,
}

impl<P: Protocol> Replay<P> {
    /// Begins an empty board with a genesis entry.
    ///
    /// # Errors
    /// [`TracingError::Board`], [`TracingError::NotATrace`].
    pub fn begin(
        store: Box<dyn Store>,
        operator: &Identity,
        genesis: &P::Message,
    ) -> Result<Self, TracingError> {
        let (kind, bytes) = P::entry_of(genesis);
        Self::over(Board::create(store, operator, &kind, &bytes)?)
    }

    /// Follows a board, which must have the given name if there is one.
    ///
    /// # Errors
    /// [`TracingError::Board`], [`TracingError::NotATrace`].
    pub fn open(store: Box<dyn Store>, expected: Option<Digest>) -> Result<Self, TracingError> {
        Self::over(match expected {
            Some(id) => Board::open_expecting(store, id)?,
            None => Board::open(store)?,
        })
    }

    fn over(board: Board<Box<dyn Store>>) -> Result<Self, TracingError> {
        let genesis = board.entries().first().ok_or(BoardError::Empty)?;
        let state = P::begin(genesis).map_err(TracingError::NotATrace)?;
        let mut replay = Self { board, state, applied: 1 };
        replay.apply_new();
        Ok(replay)
    }

    /// The board.
    pub fn board(&self) -> &Board<Box<dyn Store>> {
        &self.board
    }

    /// The state as of the last entry read.
    pub fn state(&self) -> &P {
        &self.state
    }

    /// The board's name.
    pub fn id(&self) -> Digest {
        self.board.id()
    }

    /// Waits a moment for new entries.
    ///
    /// # Errors
    /// [`TracingError::Board`]; [`TracingError::Failed`] once the protocol cannot be completed.
    pub fn wait(&mut self) -> Result<(), TracingError> {
        self.board.wait(WAIT)?;
        self.apply_new();
        self.require_alive()
    }

    /// Says something; reads first what others say meanwhile, and gives up, with `false`, once
    /// `holds` does not any more.
    ///
    /// # Errors
    /// [`TracingError::Board`], [`TracingError::Append`].
    pub fn post(
        &mut self,
        identity: &Identity,
        message: &P::Message,
        holds: impl Fn(&P) -> bool,
    ) -> Result<bool, TracingError> {
        let (kind, bytes) = P::entry_of(message);
        while holds(&self.state) {
            match self.board.append(identity, &kind, &bytes) {
                Ok(_) => {
                    self.apply_new();
                    return Ok(true);
                }
                Err(AppendError::Conflict { .. }) => {
                    self.board.refresh()?;
                    self.apply_new();
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }

    /// Does a party's work, one task after the other, until `is_done` says so.
    ///
    /// # Errors
    /// [`TracingError`].
    pub fn serve(
        &mut self,
        party: &mut impl Party<P>,
        rng: &mut impl CryptoRng,
        mut report: impl FnMut(P::Task, bool),
        is_done: impl Fn(&P) -> bool,
    ) -> Result<(), TracingError> {
        let number = party.number();
        loop {
            self.require_alive()?;
            match self.state.awaited(number) {
                Some(task) => match party.perform(task, &self.state, rng) {
                    Ok(message) => {
                        let awaits = |state: &P| state.awaited(number) == Some(task);
                        report(task, self.post(party.identity(), &message, awaits)?);
                    }
                    Err(error) => {
                        if !super::is_about_query(&error) || !self.state.skip(task, number) {
                            return Err(error.into());
                        }
                        report(task, false);
                    }
                },
                None if is_done(&self.state) => return Ok(()),
                None => self.wait()?,
            }
        }
    }

    fn require_alive(&self) -> Result<(), TracingError> {
        match self.state.failure() {
            Some(reason) => Err(TracingError::Failed(reason.to_owned())),
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
