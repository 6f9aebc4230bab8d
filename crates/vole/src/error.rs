//! What can go wrong between two parties, and whose fault it is.

use board::AuthorId;
use thiserror::Error;
use wire::ChannelError;

/// Why a run ended. Its keys are gone: a new run begins with [`crate::ProverVole::connect`] and
/// [`crate::VerifierVole::connect`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VoleError {
    /// The connection failed, or a message has not the form that it must have.
    #[error(transparent)]
    Channel(#[from] ChannelError),
    /// A message has the wrong length.
    #[error("{what}: {got} bytes instead of {expected}")]
    Length {
        /// The message.
        what: &'static str,
        /// Bytes that it must have.
        expected: usize,
        /// Bytes that came.
        got: usize,
    },
    /// The two parties do not run the same protocol.
    #[error("the peer differs in its {what}: start both with the same")]
    Mismatch {
        /// What differs.
        what: &'static str,
    },
    /// The peer has not the key that it should have.
    #[error("the peer is not who it should be: {}", stranger(.found))]
    Stranger {
        /// The key that it named, if it named one; none if its signature is wrong, too.
        found: Option<AuthorId>,
    },
    /// The peer is at the end of another connection, or of another session.
    #[error("somebody is between this party and its peer, and forwards what they say")]
    Relayed,
    /// A group element is not canonical, or is the identity.
    #[error("base OT {index}: no valid group element")]
    Point {
        /// Which of the base OTs, counted from 0.
        index: usize,
    },
    /// The prover's answer to a check is wrong.
    #[error("{check}: the prover's answer is wrong")]
    Cheating {
        /// The check.
        check: &'static str,
    },
    /// The verifier's messages do not fit together.
    #[error("the verifier's {what} do not fit together")]
    Inconsistent {
        /// What the messages speak of.
        what: &'static str,
    },
    /// The verifier refused.
    #[error("the verifier refused")]
    Refused,
    /// The prover's masks fell where they would give something away, and it stopped.
    #[error("by chance, the masks would reveal something: start a new session")]
    Unlucky,
    /// The prover's own claim is false, and it stopped before its masks would have shown by how much.
    #[error("the {what} is false; nothing of it was shown")]
    False {
        /// The claim.
        what: &'static str,
    },
    /// The session ended with an earlier error.
    #[error("the session has ended with an earlier error: start a new one")]
    Ended,
    /// There are not enough correlations left in a stock.
    #[error(
        "{wanted} correlations of {field} are needed, but the stock has only {left} left: make \
         another"
    )]
    Exhausted {
        /// What they are of.
        field: &'static str,
        /// How many are wanted.
        wanted: u64,
        /// How many are left.
        left: u64,
    },
    /// A stock is older than what its holder has told the other party.
    #[error(
        "{whose} stock was restored from a copy: correlations in it have been used; delete it, and make \
         another"
    )]
    Restored {
        /// Of which party.
        whose: &'static str,
    },
    /// A check has failed with this stock.
    #[error("a check failed with this stock, so it can no longer be used: make another")]
    Burnt,
    /// What was used of a stock could not be written, so that nothing was used.
    #[error("the stock cannot be written: {0}")]
    Unkept(std::io::Error),
    /// A check has failed, and the stock, which is of no use any more, could not be erased.
    #[error("{failed}; and {unkept}: delete it")]
    Unburnt {
        /// How the check failed.
        failed: Box<Self>,
        /// Why the stock is still there.
        unkept: Box<Self>,
    },
    /// A claim's parts do not fit together.
    #[error("the parts of a {what} do not fit together")]
    Shape {
        /// What was claimed.
        what: &'static str,
    },
    /// More at once than there may be.
    #[error("{requested} {what}; at most {limit}")]
    TooMany {
        /// What was asked for.
        what: &'static str,
        /// How many.
        requested: usize,
        /// How many there may be.
        limit: usize,
    },
}

fn stranger(found: &Option<AuthorId>) -> String {
    found
        .map_or("it showed no key, or signed wrongly".into(), |found| format!("its key is {found}"))
}

/// # Errors
/// [`VoleError::TooMany`] for more than `limit`.
pub(crate) fn limit(what: &'static str, requested: usize, limit: usize) -> Result<(), VoleError> {
    match requested <= limit {
        true => Ok(()),
        false => Err(VoleError::TooMany { what, requested, limit }),
    }
}
