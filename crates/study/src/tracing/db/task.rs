//! What parties are waited for to do.

use std::fmt;

use trace_db::Step;
use wire::Digest;

/// What a server, or the dealer, is waited for to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DbTask {
    /// Round 1, 2 or 3 of the ElGamal key.
    Key(u8),
    /// The key that shares are sealed to.
    SealingKey,
    /// A contribution to the Paillier key.
    Contribution,
    /// The dealer: the Paillier key.
    DealKey,
    /// Whether the dealer's share is one of the key.
    Confirm,
    /// Commit to a permutation.
    Commit,
    /// Mix.
    Mix,
    /// Sign inputs and mix.
    SignMix,
    /// Decrypt the outputs.
    Decrypt,
    /// A step of both passes of a query.
    Query(Digest, Step),
}

impl fmt::Display for DbTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(round) => write!(f, "key generation, round {round}"),
            Self::SealingKey => write!(f, "sealing key"),
            Self::Contribution => write!(f, "contribution to the Paillier key"),
            Self::DealKey => write!(f, "Paillier key"),
            Self::Confirm => write!(f, "confirmation of the Paillier key"),
            Self::Commit => write!(f, "commitment to a permutation"),
            Self::Mix => write!(f, "mix"),
            Self::SignMix => write!(f, "signature on the mix"),
            Self::Decrypt => write!(f, "partial decryption"),
            Self::Query(id, step) => write!(f, "{step} of query {id}"),
        }
    }
}
