//! Following the board of a traceable mix and speaking on it.

use board::{Entry, Identity, Store};
use rand_core::CryptoRng;
use trace::Journal;
use wire::{Digest, Encode as _};

use super::{Message, Node, Setup, Stage, Task, Tracing, docket::is_about_query};
use crate::replay::{Begin, Party, Protocol, Replay, SessionError};

/// A board of the engine `routed`, followed.
pub type Follower = Replay<Tracing>;

impl Follower {
    /// Sets up a session on an empty board.
    ///
    /// # Errors
    /// [`SessionError::Append`], [`SessionError::Trace`] if the rules are impossible.
    pub fn create(
        store: Box<dyn Store>,
        operator: &Identity,
        setup: Setup,
    ) -> Result<Self, SessionError> {
        // What cannot be a session must not become a board.
        setup.rules(&Digest::from([0; 32]))?;
        Self::begin(store, operator, &Message::Setup(setup))
    }
}

impl Protocol for Tracing {
    const NAME: &'static str = "session";
    type Message = Message;
    type Task = Task;

    fn apply(&mut self, entry: &Entry) {
        Self::apply(self, entry);
    }

    fn failure(&self) -> Option<String> {
        match self.stage() {
            Stage::Failed(reason) => Some(reason.clone()),
            _ => None,
        }
    }

    fn subject(&self, message: &Message) -> Vec<u8> {
        message.subject()
    }

    fn entry_of(message: &Message) -> (String, Vec<u8>) {
        (message.kind().to_owned(), message.to_bytes())
    }
}

impl Begin for Tracing {
    fn begin(genesis: &Entry) -> Result<Self, String> {
        Self::new(genesis)
    }
}

impl<J: Journal> Party<Tracing> for Node<J> {
    fn identity(&self) -> &Identity {
        Self::identity(self)
    }

    fn awaited(&self, state: &Tracing) -> Option<Task> {
        state.awaited(self.number())
    }

    fn perform(
        &mut self,
        task: Task,
        state: &Tracing,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, SessionError> {
        Ok(Self::perform(self, task, state, rng)?)
    }

    fn pass_over(&self, task: &Task, error: &SessionError, state: &mut Tracing) -> bool {
        let query = task.query().filter(|_| is_about_a_query(error));
        query.map(|id| state.skip(id, self.number())).is_some()
    }

    fn is_done(&self, state: &Tracing) -> bool {
        let Some(outputs) = state.outputs() else { return self.answers(0) };
        let queries = state.docket().queries().iter();
        let is_over = queries.filter(|asked| asked.is_over_for(outputs.ground(), self.number()));
        self.answers(is_over.count())
    }
}

/// Whether a party's failure is about the query at hand, and not its own.
pub(crate) fn is_about_a_query(error: &SessionError) -> bool {
    matches!(error, SessionError::Trace(error) if is_about_query(error))
}
