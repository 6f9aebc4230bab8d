//! Following the board of a traceable mix and speaking on it.

use std::time::Duration;

use board::{AppendError, Board, BoardError, Identity, Store};
use rand_core::CryptoRng;
use thiserror::Error;
use trace::{Journal, TraceError};
use wire::{Digest, Encode as _};

use super::{Message, Node, Setup, Stage, Task, Tracing, is_about_query};

/// How long one wait on the board lasts before a party looks around.
const WAIT: Duration = Duration::from_millis(500);

/// Why a party of a traceable mix cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TracingError {
    /// The board is damaged, or another one.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The board takes no entry.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The board is not that of a traceable mix.
    #[error("{0}")]
    NotATrace(String),
    /// The session cannot be completed.
    #[error("the session failed: {0}")]
    Failed(String),
    /// The party's own computation failed.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// A board together with what its entries amount to.
pub struct Follower {
    board: Board<Box<dyn Store>>,
    state: Tracing,
    applied: usize,
}

impl Follower {
    /// Sets up a session on an empty board.
    ///
    /// # Errors
    /// [`TracingError::Append`], [`TracingError::NotATrace`] if the rules are impossible.
    pub fn create(
        store: Box<dyn Store>,
        operator: &Identity,
        setup: Setup,
    ) -> Result<Self, TracingError> {
        // What cannot be a session must not become a board.
        setup.rules(&Digest::from([0; 32]))?;
        let message = Message::Setup(setup);
        Self::over(Board::create(store, operator, message.kind(), &message.to_bytes())?)
    }

    /// Joins the session on a board, which must have the given name if there is one.
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
        let state = Tracing::new(genesis).map_err(TracingError::NotATrace)?;
        let mut follower = Self { board, state, applied: 1 };
        follower.apply_new();
        Ok(follower)
    }

    /// The board.
    pub fn board(&self) -> &Board<Box<dyn Store>> {
        &self.board
    }

    /// The session as of the last entry read.
    pub fn state(&self) -> &Tracing {
        &self.state
    }

    /// Waits a moment for new entries.
    ///
    /// # Errors
    /// [`TracingError::Board`]; [`TracingError::Failed`] once the session cannot be completed.
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
        message: &Message,
        holds: impl Fn(&Tracing) -> bool,
    ) -> Result<bool, TracingError> {
        let bytes = message.to_bytes();
        while holds(&self.state) {
            match self.board.append(identity, message.kind(), &bytes) {
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

    /// Does a server's work, one task after the other, until `is_done` says so.
    ///
    /// # Errors
    /// [`TracingError`].
    pub fn serve<J: Journal>(
        &mut self,
        node: &mut Node<J>,
        rng: &mut impl CryptoRng,
        mut report: impl FnMut(Task, bool),
        is_done: impl Fn(&Tracing) -> bool,
    ) -> Result<(), TracingError> {
        let number = node.number();
        loop {
            self.require_alive()?;
            match self.state.awaited(number) {
                Some(task) => {
                    let message = match node.perform(task, &self.state, rng) {
                        Ok(message) => message,
                        Err(error) => {
                            let id = task.query().filter(|_| is_about_query(&error));
                            self.state.skip(id.ok_or(error)?, number);
                            report(task, false);
                            continue;
                        }
                    };
                    let awaits = |state: &Tracing| state.awaited(number) == Some(task);
                    report(task, self.post(node.identity(), &message, awaits)?);
                }
                None if is_done(&self.state) => return Ok(()),
                None => self.wait()?,
            }
        }
    }

    fn require_alive(&self) -> Result<(), TracingError> {
        match self.state.stage() {
            Stage::Failed(reason) => Err(TracingError::Failed(reason.clone())),
            _ => Ok(()),
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
