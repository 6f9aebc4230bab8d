//! What can go wrong, and whose doing it is.

use thiserror::Error;
use wire::{ChannelError, DecodeError};

/// Why there is no proof. Parties are counted from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Not 2 to 64 parties, or a party that is none of them.
    #[error("party {party} of {parties}: there are 2 to {limit} parties", limit = super::MAX_PARTIES)]
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
    #[error("{got} messages of {expected} parties")]
    Messages {
        /// Parties.
        expected: usize,
        /// Messages.
        got: usize,
    },
    /// The proof that came out is not right: a share was wrong, or the witness is. Nobody knows whose.
    #[error("the shares do not make a proof: the witness, or somebody's share, is wrong")]
    Unsatisfied,
    /// The key has points outside the prime-order subgroup. This party's share, which would tell the
    /// others something of its wires, has not been sent.
    #[error(
        "the key has points outside the prime-order subgroup: this party's share of {share} was \
        not sent, because it would tell something of the witness; verify the key"
    )]
    KeySubgroup {
        /// Of what it is a share.
        share: &'static str,
    },
    /// Something is wrong with the key.
    #[error(transparent)]
    Key(#[from] crate::groth16::Error),
}
