//! Following a board and speaking on it.

use std::time::Duration;

use board::{AppendError, Board, BoardError, Entry, EntryError, Identity, Store, StoreError};
use thiserror::Error;
use wire::{Decode as _, Digest, Encode};

use crate::description::Shuffle;

use super::{Election, Message, NotAnElection, Phase, Role, Scheme, Setup, TereliusWikstrom};

/// How long one wait on the board lasts before a party looks at the clock again.
const WAIT: Duration = Duration::from_millis(500);

/// Why a party cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The board is damaged, or another one.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The board is not that of an election.
    #[error(transparent)]
    NotAnElection(#[from] NotAnElection),
    /// The board takes no entry.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The key is not that of a party that may do this.
    #[error("{key} is not the key of a {role} of this election")]
    NotAParty {
        /// The public key.
        key: board::AuthorId,
        /// What it would have to be.
        role: &'static str,
    },
    /// The election cannot be completed.
    #[error("the election failed: {0}")]
    Failed(String),
    /// The party's own computation failed.
    #[error("{0}")]
    Party(String),
}

/// The shuffle that the election on a board asks for, from the genesis entry alone.
///
/// # Errors
/// [`SessionError::Board`] and [`SessionError::NotAnElection`].
pub fn shuffle_on(store: &dyn Store) -> Result<Shuffle, SessionError> {
    let genesis = store.read(0)?.ok_or(BoardError::Empty)?;
    let genesis = Entry::from_bytes(&genesis)
        .map_err(|reason| BoardError::Malformed { sequence: 0, reason })?;
    let setup = Setup::from_genesis(&genesis).map_err(NotAnElection::from)?;
    Ok(setup.description.shuffle)
}

/// A board together with the election that its entries amount to.
pub struct Session<S: Scheme = TereliusWikstrom> {
    board: Board<Box<dyn Store>>,
    election: Election<S>,
    applied: usize,
}

impl<S: Scheme> Session<S> {
    /// Sets up a new election on an empty board.
    ///
    /// # Errors
    /// [`SessionError::Append`] if the board is in use, [`SessionError::NotAnElection`] if the
    /// parties do not fit the description.
    pub fn create(
        store: Box<dyn Store>,
        operator: &Identity,
        setup: Setup,
    ) -> Result<Self, SessionError> {
        let message = Message::<S>::Setup(setup);
        let board = Board::create(store, operator, message.kind(), &message.to_bytes())?;
        Self::over(board)
    }

    /// Joins the election on a board, which must have the given name if there is one.
    ///
    /// # Errors
    /// [`SessionError::Board`] and [`SessionError::NotAnElection`].
    pub fn open(store: Box<dyn Store>, expected: Option<Digest>) -> Result<Self, SessionError> {
        Self::over(match expected {
            Some(id) => Board::open_expecting(store, id)?,
            None => Board::open(store)?,
        })
    }

    fn over(board: Board<Box<dyn Store>>) -> Result<Self, SessionError> {
        let genesis = board.entries().first().ok_or(BoardError::Empty)?;
        let election = Election::new(genesis)?;
        let mut session = Self { board, election, applied: 1 };
        session.apply_new();
        Ok(session)
    }

    /// The board.
    pub fn board(&self) -> &Board<Box<dyn Store>> {
        &self.board
    }

    /// The election as of the last entry read.
    pub fn election(&self) -> &Election<S> {
        &self.election
    }

    /// Reads, verifies and applies what was written meanwhile.
    ///
    /// # Errors
    /// [`SessionError::Board`].
    pub fn sync(&mut self) -> Result<(), SessionError> {
        self.board.refresh()?;
        self.apply_new();
        Ok(())
    }

    /// Waits a moment for new entries.
    ///
    /// # Errors
    /// [`SessionError::Board`].
    pub fn wait(&mut self) -> Result<bool, SessionError> {
        let news = self.board.wait(WAIT)?;
        self.apply_new();
        Ok(news)
    }

    /// Says something, unless somebody else was first: then reads that, and returns `false`.
    ///
    /// # Errors
    /// [`SessionError::Append`] and [`SessionError::Board`].
    pub fn post(
        &mut self,
        identity: &Identity,
        message: &Message<S>,
    ) -> Result<bool, SessionError> {
        self.append(identity, message.kind(), &message.to_bytes())
    }

    /// The same for an entry of any kind.
    pub(crate) fn append(
        &mut self,
        identity: &Identity,
        kind: &str,
        payload: &[u8],
    ) -> Result<bool, SessionError> {
        match self.board.append(identity, kind, payload) {
            Ok(_) => {
                self.apply_new();
                Ok(true)
            }
            Err(AppendError::Conflict { .. }) => {
                self.sync()?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn apply_new(&mut self) {
        let entries = self.board.entries();
        for entry in entries.iter().skip(self.applied) {
            self.election.apply(entry);
        }
        self.applied = entries.len();
    }
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

/// A party that answers to the state of the election.
pub trait Participant<S: Scheme = TereliusWikstrom> {
    /// The key that it signs with.
    fn identity(&self) -> &Identity;

    /// What it has to say now, if anything.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot go on.
    fn act(&mut self, election: &Election<S>) -> Result<Option<Message<S>>, SessionError>;

    /// Whether it has nothing more to say, ever.
    fn is_done(&self, election: &Election<S>) -> bool;
}

/// Follows the board and speaks whenever it is the party's turn, until the party is done. Restarted
/// on the same board, it goes on where it was.
///
/// # Errors
/// [`SessionError`]; [`SessionError::Failed`] if the election cannot be completed.
pub fn participate<S: Scheme>(
    session: &mut Session<S>,
    party: &mut impl Participant<S>,
    mut report: impl FnMut(&Phase, Option<&Message<S>>),
) -> Result<(), SessionError> {
    // A trustee's or mixer's answer that lost a race is good for as long as it is waited for.
    let mut pending: Option<(Phase, Message<S>)> = None;
    loop {
        let phase = session.election().phase();
        if let Phase::Failed(reason) = phase {
            return Err(SessionError::Failed(reason));
        }
        if party.is_done(session.election()) {
            return Ok(());
        }
        report(&phase, None);
        let message = match pending.take() {
            Some((of, message)) if of == phase && is_waited_for(session.election(), party) => {
                Some(message)
            }
            _ => party.act(session.election())?,
        };
        match message {
            None => drop(session.wait()?),
            Some(message) => match session.post(party.identity(), &message)? {
                true => report(&phase, Some(&message)),
                false => pending = Some((phase, message)),
            },
        }
    }
}

/// Whether the election waits for this trustee or mixer. What the operator says depends on
/// everything that is on the board, and is made anew.
fn is_waited_for<S: Scheme>(election: &Election<S>, party: &impl Participant<S>) -> bool {
    let party = election.setup().parties.party(&party.identity().id());
    party.is_some_and(|party| {
        matches!(party.role, Role::Trustee | Role::Mixer) && election.awaited().contains(&party)
    })
}
