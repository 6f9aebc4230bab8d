//! What a voter does on a device of their own, and the evidence if somebody else does not do their part.
//!
//! 1. [`SealedBallot::seal`] seals a ballot from a fresh [`Seed`](super::Seed) and commits to it: the voter's key signs the
//!    tracker before the voter says whether the ballot is to be cast or audited.
//! 2. To audit it, the device gives the [`Opening`] away, and [`SealedBallot::audit`] on another device
//!    computes the ballot again. Such a ballot is never cast.
//! 3. To cast it, the voter signs it ([`SealedBallot::cast`]) and hands the [`Submission`] to a station,
//!    which has no voter's key and answers with a [`Receipt`]: it promises to post the ballot by a time.
//! 4. [`Standing::of`] says whether exactly this ballot counts. If its station did not post it, ballot and
//!    receipt are a [`Complaint`] that everybody can judge.
//!
//! When a cheating device commits, it does not know which ballots it will have to open (J. Benaloh, Ballot casting
//! assurance via voter-initiated poll station auditing, EVT 2007). An audit does not show that the seed was random: if
//! a device derives it from values that somebody else knows, it reveals the vote to them.

mod complaint;
mod place;
mod sealed;
mod standing;
mod submission;

use board::AuthorId;
use shuffle::ThresholdError;
use thiserror::Error;
use wire::Digest;

pub use complaint::{Complaint, Judgement};
pub use sealed::{Audit, Opening, SealedBallot};
pub use standing::{Noted, Standing};
pub use submission::{Receipt, Submission};

/// Why something of a voter's is not what it must be.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VoterError {
    /// Ballots of this election have no revisions.
    #[error("in this election stations seal for voters, and a voter's first ballot counts")]
    NoRevisions,
    /// The polls were never opened.
    #[error("the polls are not open yet")]
    NotOpen,
    /// Made for another board.
    #[error("it belongs to the election on board {0}")]
    OtherElection(Digest),
    /// Made for another opening of the same board.
    #[error("it was made for another opening of the polls than the board's")]
    OtherOpening,
    /// The voter is not where it is said.
    #[error("the key {key} is not at place {place} of the roll")]
    NotOnRoll {
        /// The place, counted from 0.
        place: u32,
        /// The voter's key.
        key: AuthorId,
    },
    /// The ballot is of another shape, or its proof does not hold.
    #[error("the ballot: {0}")]
    Ballot(#[from] ThresholdError),
    /// A vote that ballots of this election cannot say.
    #[error("the vote: {0}")]
    Vote(String),
    /// Another key than the voter's.
    #[error("the key is not that of the voter whose ballot this is")]
    OtherKey,
    /// Nobody committed to this ballot.
    #[error("the voter's key did not commit to this ballot")]
    Commitment,
    /// Not signed by the voter.
    #[error("the voter did not sign this ballot")]
    Signature,
    /// An opening of something else.
    #[error("what the device shows is not what it sealed: the opening makes another ballot")]
    Unlike,
    /// A receipt for another ballot.
    #[error("the receipt is about another ballot")]
    OtherReceipt,
    /// A receipt by somebody who is no station.
    #[error("{0} is not the key of a station of this election")]
    NotAStation(AuthorId),
    /// A receipt that the station did not sign.
    #[error("the station did not sign this receipt")]
    ReceiptSignature,
}
