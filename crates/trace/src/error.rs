//! What can be wrong with a session, a query or an answer, and whose fault it is.

use shuffle::{ShuffleError, ThresholdError};
use thiserror::Error;

/// A refusal that names the server, the sender's ballot or the querier's question at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The rules of a session contradict themselves.
    #[error("impossible rules: {0}")]
    Rules(&'static str),
    /// The key generation did not go through for all servers.
    #[error("key generation: {0}")]
    KeyGeneration(ThresholdError),
    /// A secret key of nobody who runs the session.
    #[error("this key is not that of a server of the session")]
    NotAServer,
    /// A party without a part of the key is asked for a share.
    #[error("server {server} has no share of the key")]
    NoShare {
        /// The party.
        server: u16,
    },
    /// The board has a permutation of this server that it did not commit to.
    #[error("the permutation of server {server} on the board is not the one it made")]
    ForeignPermutation {
        /// The server, counted from 1.
        server: u16,
    },

    /// A sender's name is empty or too long.
    #[error("submission {submission}: the sender's name has {bytes} bytes")]
    Sender {
        /// Position among all submissions.
        submission: usize,
        /// Length of the name.
        bytes: usize,
    },
    /// A ballot is not the sender's next, or one too many.
    #[error("submission {submission}: ballot {got} of a sender whose next is {expected}")]
    BallotNumber {
        /// Position among all submissions.
        submission: usize,
        /// The number that the sender's next ballot must have, if it may have one.
        expected: u32,
        /// The number that it has.
        got: u32,
    },
    /// A ballot is malformed, unproven, or copied.
    #[error("submissions: {0}")]
    Submission(ThresholdError),
    /// As many ballots were submitted as a session takes, superseded ones included.
    #[error("the session has {limit} submissions, and takes no more")]
    Full {
        /// The most submissions of a session.
        limit: usize,
    },
    /// Nobody submitted anything, or more than a mix takes.
    #[error("{rows} inputs: a session takes 1 to {limit}")]
    Rows {
        /// The number of inputs.
        rows: usize,
        /// What the session's engine takes.
        limit: usize,
    },

    /// Not one message of every server, in their order.
    #[error("{what}: {got} of {expected} servers")]
    Missing {
        /// What is missing.
        what: &'static str,
        /// The servers there are.
        expected: usize,
        /// The messages there are.
        got: usize,
    },
    /// A server's permutation or passage of lists is not proven.
    #[error("{stage}: server {server}: {error}")]
    Shuffle {
        /// `permutation`, `mix` or `query`.
        stage: &'static str,
        /// The server, counted from 1.
        server: u16,
        /// What does not hold.
        error: ShuffleError,
    },
    /// A server did not sign this digest.
    #[error("agreement on the {what}: the signature of server {server} is false")]
    Disagreement {
        /// What all servers have to agree on.
        what: &'static str,
        /// The server, counted from 1.
        server: u16,
    },
    /// A server, or its restored snapshot, was about to contradict what it signed before.
    #[error("server {server} has already answered for {what}, differently")]
    Committed {
        /// The server, counted from 1.
        server: u16,
        /// What it answered for.
        what: &'static str,
    },
    /// A server's journal failed: nothing may be sent that is not stored.
    #[error("server {server} cannot store what it is about to send: {reason}")]
    Journal {
        /// The server, counted from 1.
        server: u16,
        /// What the store says.
        reason: String,
    },
    /// The decryption of the outputs, or of an answer, failed.
    #[error("decryption: {0}")]
    Decryption(ThresholdError),

    /// A set of indices has one twice.
    #[error("index {index} occurs twice")]
    RepeatedIndex {
        /// The index, counted from 0.
        index: u32,
    },
    /// A set of indices goes beyond the session's rows.
    #[error("set {set}: index {index} of {rows} rows")]
    IndexRange {
        /// `I` or `J`.
        set: &'static str,
        /// The index, counted from 0.
        index: u32,
        /// The number of rows.
        rows: usize,
    },
    /// A query is malformed.
    #[error("query: {0}")]
    Query(&'static str),
    /// A request was made for another session.
    #[error("request {request} is for another session")]
    ForeignRequest {
        /// Its place in the query.
        request: usize,
    },
    /// A request is not signed by its querier.
    #[error("request {request}: the querier's signature is false")]
    RequestSignature {
        /// Its place in the query.
        request: usize,
    },
    /// The server's policy does not allow a request.
    #[error("request {request}: refused by the policy: {reason}")]
    Policy {
        /// Its place in the query.
        request: usize,
        /// The rule that it breaks.
        reason: String,
    },

    /// A server's blinded sum is not what it says.
    #[error("blinded sum {sum}: server {server}: {reason}")]
    Blinding {
        /// The sum, in the order of the query.
        sum: usize,
        /// The server, counted from 1.
        server: u16,
        /// What does not hold.
        reason: &'static str,
    },
    /// The servers' blindings cancel: all of them conspire to turn a yes into a no.
    #[error("blinded sum {sum}: the servers' blindings cancel")]
    BlindingsCancel {
        /// The sum, in the order of the query.
        sum: usize,
    },

    /// The querier's signatures of a pass of the `db` engine are not what they must be.
    #[error("the querier's signatures{}: {reason}", at(.row))]
    Offer {
        /// The row whose signature it is, counted from 0, if it is about one.
        row: Option<u32>,
        /// What does not hold.
        reason: &'static str,
    },
    /// A sender's ciphertext of the `db` engine is malformed, unproven, or copied.
    #[error("submission {submission}: {reason}")]
    Ciphertext {
        /// Position among all submissions.
        submission: usize,
        /// What does not hold.
        reason: &'static str,
    },
    /// The Paillier key of a dealer that is not what it must be.
    #[error("the dealer's key: {0}")]
    DealtKey(&'static str),
    /// Blindings of the `db` engine that are not those of the dealer, or not for this pass.
    #[error("the dealer's blindings: {0}")]
    Dealing(&'static str),
    /// A server's message in a step of the `db` engine does not hold.
    #[error("{step}: server {server}{}: {reason}", at(.row))]
    Step {
        /// The step.
        step: &'static str,
        /// The server, counted from 1.
        server: u16,
        /// The row that it is about, counted from 0, if it is about one.
        row: Option<u32>,
        /// What does not hold.
        reason: &'static str,
    },
    /// A step on what an engine brings with it, such as Paillier ciphertexts, does not hold.
    #[error("{step}: {reason}")]
    Engine {
        /// The step.
        step: &'static str,
        /// The server whose doing it is, counted from 1, if it is one server's.
        server: Option<u16>,
        /// What does not hold.
        reason: String,
    },
    /// Blinded signatures opened to the neutral element, which satisfies every equation: all
    /// servers conspire.
    #[error("the blinded signature of row {row} is the neutral element")]
    NeutralSignature {
        /// The row, counted from 0.
        row: u32,
    },

    /// A share message does not open as one of this server: it counts as missing.
    #[error("the share of server {server} does not open: ask it to send the same again")]
    UnreadableShare {
        /// The server, counted from 1.
        server: u16,
    },
    /// A share message names another digest than all servers signed: a dispute about the board.
    #[error("the share of server {server} is about other lists than those on the board")]
    DisputedShare {
        /// The server, counted from 1.
        server: u16,
    },
    /// A share message that its server signed holds false shares.
    #[error("server {server} signed a false share: {error}")]
    FalseShare {
        /// The server, counted from 1.
        server: u16,
        /// What does not hold.
        error: ThresholdError,
    },
    /// A complaint does not show what it must.
    #[error("the complaint about server {server} shows nothing: {reason}")]
    Complaint {
        /// The accused server, counted from 1.
        server: u16,
        /// What it lacks.
        reason: &'static str,
    },
    /// An opened marker is neither 0 nor G.
    #[error("opening {opening} of the answer is not a marker")]
    Marker {
        /// The opening, in the order of the request.
        opening: usize,
    },
    /// Bytes that are not the canonical encoding of a message.
    #[error("{what}: {reason}")]
    Malformed {
        /// Which message.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The operating system does not deliver what a computation needs.
    #[error("sealing failed")]
    Sealing,
}

impl TraceError {
    /// The server whose doing it is, counted from 1, if it is one server's.
    pub fn culprit(&self) -> Option<u16> {
        match self {
            Self::Shuffle { server, .. }
            | Self::Disagreement { server, .. }
            | Self::Blinding { server, .. }
            | Self::Step { server, .. }
            | Self::UnreadableShare { server }
            | Self::DisputedShare { server }
            | Self::FalseShare { server, .. } => Some(*server),
            Self::KeyGeneration(error) | Self::Decryption(error) => error.culprit(),
            Self::Engine { server, .. } => *server,
            _ => None,
        }
    }

    /// A step on what an engine brings with it does not hold.
    pub fn engine(step: &'static str, server: Option<u16>, reason: impl ToString) -> Self {
        Self::Engine { step, server, reason: reason.to_string() }
    }

    /// A server's message for a step does not hold, no single row of it.
    pub fn step(step: &'static str, server: u16, reason: &'static str) -> Self {
        Self::Step { step, server, row: None, reason }
    }

    /// Bytes that are not the canonical encoding of a message.
    pub fn malformed(what: &'static str, reason: impl ToString) -> Self {
        Self::Malformed { what, reason: reason.to_string() }
    }
}

fn at(row: &Option<u32>) -> String {
    row.map(|row| format!(", row {row}")).unwrap_or_default()
}
