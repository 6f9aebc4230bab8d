//! An election on a board, followed.

use std::fmt;

use board::{Bulletin, Entry, Identity, Store};
use wire::{Digest, Encode as _};

use crate::{
    description::Shuffle,
    replay::{self, Begin, Protocol, Replay, SessionError},
};

use super::{
    Absence, Close, Closing, Election, Message, MixHeader, MixPart, NotAnElection, Opening, Party,
    Phase, Scheme, Setup, TereliusWikstrom,
};

/// The domain of the names of batches of ballots.
const BATCH: &str = "subrosa/election/batch/v1";

/// A board together with the election that its entries amount to.
pub type Session<S = TereliusWikstrom> = Replay<Election<S>>;

/// The shuffle that the election on a board asks for, from the genesis entry alone.
///
/// # Errors
/// [`SessionError::Board`] and [`SessionError::Genesis`].
pub fn shuffle_on(board: &dyn Bulletin) -> Result<Shuffle, SessionError> {
    let setup = Setup::from_genesis(replay::genesis(board)?).map_err(NotAnElection::from);
    Ok(setup.map_err(|error| SessionError::Genesis(error.to_string()))?.description.shuffle)
}

/// What an election waits for a party to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// That a party is there.
    Ready,
    /// A trustee's part in round 1, 2 or 3 of the key generation.
    Key(u8),
    /// That a party saw the closing.
    Seen,
    /// That a mixer which was absent is back.
    Back,
    /// The announcement of a mix, in version 2.
    Announce {
        /// The turn.
        turn: u32,
    },
    /// A part of a mix.
    Part {
        /// The turn.
        turn: u32,
        /// The place among the parts.
        index: u32,
    },
    /// A mix, in version 1.
    Mix,
    /// A partial decryption.
    Decrypt,
    /// That a party is not waited for any more in this phase.
    Absent(Party, Phase),
    /// The opening of the polls.
    Open,
    /// The closing of the polls, over these ballots.
    Close(Close),
    /// The outcome, from so many partial decryptions and with so many faults.
    Outcome {
        /// The partial decryptions.
        partials: usize,
        /// The faults.
        faults: usize,
    },
}

impl Task {
    /// The phase that waits for it, in a word.
    pub fn phase(&self) -> &'static str {
        match self {
            Self::Ready => Phase::Readiness.name(),
            Self::Key(round) => Phase::KeyGeneration(*round).name(),
            Self::Seen => Phase::Certification.name(),
            Self::Mix | Self::Back | Self::Announce { .. } | Self::Part { .. } => {
                Phase::Mixing(0).name()
            }
            Self::Decrypt | Self::Outcome { .. } => Phase::Decryption.name(),
            Self::Absent(_, phase) => phase.name(),
            Self::Open => Phase::Opening.name(),
            Self::Close(_) => Phase::Casting.name(),
        }
    }
}

/// The kind of entry that carries it.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready => "election/ready",
            Self::Seen => "election/seen",
            Self::Back => "election/back",
            Self::Announce { .. } => "mix/header",
            Self::Part { .. } => "mix/part",
            Self::Key(1) => "key/commitments",
            Self::Key(2) => "key/shares",
            Self::Key(_) => "key/verdicts",
            Self::Mix => "mix",
            Self::Decrypt => "decryption",
            Self::Absent(..) => "election/absent",
            Self::Open => "election/open",
            Self::Close(_) => "election/close",
            Self::Outcome { .. } => "election/outcome",
        })
    }
}

impl<S: Scheme> Protocol for Election<S> {
    const NAME: &'static str = "election";
    type Message = Message<S>;
    type Task = Task;

    fn apply(&mut self, entry: &Entry) {
        Self::apply(self, entry);
    }

    fn failure(&self) -> Option<String> {
        match self.phase() {
            Phase::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    fn subject(&self, message: &Message<S>) -> Vec<u8> {
        match message {
            Message::Ballots(_) => Digest::of(BATCH, &message.to_bytes()).as_bytes().to_vec(),
            // A keeper that held it back must not bring it in another phase.
            Message::Absent(party) => {
                let round = match self.phase() {
                    Phase::KeyGeneration(round) => round,
                    _ => 0,
                };
                format!("{}, round {round}: {party}", self.phase().name()).into_bytes()
            }
            Message::Close(Close { accepted, refused, .. }) => {
                (u64::from(*accepted) + u64::from(*refused)).to_string().into_bytes()
            }
            Message::Absence(Absence { party, head }) => {
                format!("{}: {party}", head.size).into_bytes()
            }
            // What was refused can be said again, of a later board.
            Message::Opening(Opening { head, .. }) | Message::Closing(Closing { head, .. }) => {
                head.size.to_string().into_bytes()
            }
            Message::MixHeader(MixHeader { turn, .. }) => turn.to_string().into_bytes(),
            Message::MixPart(MixPart { turn, index, .. }) => format!("{turn}/{index}").into_bytes(),
            Message::Outcome(outcome) => outcome.faults.len().to_string().into_bytes(),
            _ => Vec::new(),
        }
    }

    fn entry_of(message: &Message<S>) -> (String, Vec<u8>) {
        (message.kind().to_owned(), message.to_bytes())
    }
}

impl<S: Scheme> Begin for Election<S> {
    fn begin(genesis: &Entry) -> Result<Self, String> {
        Self::new(genesis).map_err(|error| error.to_string())
    }
}

impl<S: Scheme> Session<S> {
    /// Sets up a new election on an empty board.
    ///
    /// # Errors
    /// [`SessionError::Append`] if the board is in use, [`SessionError::Genesis`] if the
    /// parties do not fit the description.
    pub fn create(
        store: Box<dyn Store>,
        operator: &Identity,
        setup: Setup,
    ) -> Result<Self, SessionError> {
        Self::begin(store, operator, &Message::Setup(setup))
    }

    /// The election as of the last entry read.
    pub fn election(&self) -> &Election<S> {
        self.state()
    }
}
