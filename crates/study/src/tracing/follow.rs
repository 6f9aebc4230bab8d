//! Following the board of a traceable mix and speaking on it.

use board::{AppendError, BoardError, Entry, Identity, Store};
use rand_core::CryptoRng;
use thiserror::Error;
use trace::{Journal, TraceError};
use wire::{Digest, Encode as _};

use super::{
    Message, Node, Setup, Stage, Task, Tracing,
    replay::{Party, Protocol, Replay},
};

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

/// A board of the engine `routed`, followed.
pub type Follower = Replay<Tracing>;

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
        Self::begin(store, operator, &Message::Setup(setup))
    }
}

impl Protocol for Tracing {
    type Message = Message;
    type Task = Task;

    fn begin(genesis: &Entry) -> Result<Self, String> {
        Self::new(genesis)
    }

    fn apply(&mut self, entry: &Entry) {
        Self::apply(self, entry);
    }

    fn failure(&self) -> Option<&str> {
        match self.stage() {
            Stage::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    fn awaited(&self, party: u16) -> Option<Task> {
        Self::awaited(self, party)
    }

    fn skip(&mut self, task: Task, party: u16) -> bool {
        let query = task.query();
        query.map(|id| Self::skip(self, id, party)).is_some()
    }

    fn entry_of(message: &Message) -> (String, Vec<u8>) {
        (message.kind().to_owned(), message.to_bytes())
    }
}

impl<J: Journal> Party<Tracing> for Node<J> {
    fn identity(&self) -> &Identity {
        Self::identity(self)
    }

    fn number(&self) -> u16 {
        Self::number(self)
    }

    fn perform(
        &mut self,
        task: Task,
        state: &Tracing,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, TraceError> {
        Self::perform(self, task, state, rng)
    }
}
