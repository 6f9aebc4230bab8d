//! What can go wrong, and whose doing it is.

use thiserror::Error;
use wire::{ChannelError, DecodeError};

/// Most parties.
pub const MAX_PARTIES: u16 = 64;

/// Why there is no proof. Parties are counted from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Not 2 to 64 parties, or a party that is none of them.
    #[error("party {party} of {parties}: there are 2 to {limit} parties", limit = MAX_PARTIES)]
    Parties {
        /// The party.
        party: u16,
        /// How many there are.
        parties: u16,
    },
    /// A share of the witness or of the triples is of another circuit.
    #[error("{what}: {got}, where the circuit has {expected}")]
    Length {
        /// What is counted.
        what: &'static str,
        /// What the circuit or the key makes it.
        expected: usize,
        /// What there is.
        got: usize,
    },
    /// Shares of the witness and of the triples are another party's, or of another number of parties.
    #[error("the shares are not all of party {party} of {parties}")]
    OtherParty {
        /// The party whose share of the witness it is.
        party: u16,
        /// Its number of parties.
        parties: u16,
    },
    /// A peer cannot be reached, is silent, or closed the channel.
    #[error("party {party}: {source}")]
    Channel {
        /// The peer.
        party: u16,
        /// What happened.
        source: ChannelError,
    },
    /// A peer's message is not what it must be.
    #[error("party {party} sent a bad message: {source}")]
    Message {
        /// The peer.
        party: u16,
        /// What is wrong with it.
        source: DecodeError,
    },
    /// A peer proves something else, or is not the party that it must be.
    #[error("party {party}: {reason}")]
    Session {
        /// The peer.
        party: u16,
        /// What differs.
        reason: &'static str,
    },
    /// There are not as many messages as parties.
    #[error("messages: {got}, of {expected} parties")]
    Messages {
        /// Parties.
        expected: usize,
        /// Messages.
        got: usize,
    },
    /// The proof that came out is not right: a share was wrong, or the witness is. Nobody knows whose.
    #[error("the shares do not make a proof: the witness, or somebody's share, is wrong")]
    Unsatisfied,
    /// A party opened another share of the check than it had committed to.
    #[error("party {party}: its share of the check is not the one that it had committed to")]
    Commitment {
        /// The party.
        party: u16,
    },
    /// Something is wrong with the key. Nothing has been sent that depends on the witness.
    #[error(transparent)]
    Key(#[from] crate::groth16::Error),
    /// The session failed when the shares of the check were under way: see [`Error::tells`].
    #[error(
        "{0}; whoever deviated may have learnt whether one guess about the witness is right: do not \
         repeat this with the same parties"
    )]
    Told(Box<Error>),
}

impl Error {
    /// Whether the failed session can have told a party that deviated something: whether one guess of
    /// its about the witness is right. Another session with the same share would be another guess.
    pub fn tells(&self) -> bool {
        matches!(self, Self::Told(_))
    }
}
