//! What an engine has to offer to those who check its answers.

use board::AuthorId;
use claim::Check;
use wire::Digest;

use crate::{Answer, IndexSet, Question, TraceError};

/// A way to answer trace queries. Engines share requests, policies, logs, seals and answers; how
/// their servers come to an answer is their own.
pub trait Engine: Send + Sync + 'static {
    /// The engine's name on the command line and in claims.
    const NAME: &'static str;
    /// How far the engine's security is proven: shown wherever a user meets an answer.
    const NOTICE: &'static str;

    /// A session that was verified from its first message to its outputs.
    type Session: Send + Sync;

    /// Verifies the record of a session, without network and without secrets.
    ///
    /// # Errors
    /// [`TraceError`] for the first step that fails.
    fn verify_session(record: &[u8]) -> Result<Self::Session, TraceError>;

    /// What a session amounts to.
    fn summarize(session: &Self::Session) -> SessionSummary;

    /// Verifies a published answer against its session.
    ///
    /// # Errors
    /// [`TraceError`] for the first step that fails.
    fn verify_answer(session: &Self::Session, record: &[u8])
    -> Result<PublishedAnswer, TraceError>;

    /// What was checked for a session and its answers, and how often.
    fn checks(session: &SessionSummary, answers: &[PublishedAnswer]) -> Vec<Check>;
}

/// The size of a session, and its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// What the rules name the study: on a board, the board's id. The record shows that all servers
    /// signed for it, and not what else the board has.
    pub study: Vec<u8>,
    /// The signing keys of all servers, by which they are known.
    pub server_keys: Vec<AuthorId>,
    /// The session's id: rules and key.
    pub session: Digest,
    /// The digest of inputs and mix.
    pub mix: Digest,
    /// Rows that were mixed.
    pub rows: usize,
    /// Submissions, superseded ones included.
    pub submissions: usize,
    /// Servers that mixed.
    pub servers: usize,
    /// Servers that it takes to decrypt.
    pub threshold: u16,
    /// The Paillier modulus, if the engine has one.
    pub modulus: Option<ModulusSummary>,
}

/// A Paillier modulus: whoever knows its factors can decrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModulusSummary {
    /// Its length.
    pub bits: u32,
    /// The digest of N.
    pub digest: Digest,
    /// Where it comes from, for people.
    pub origin: &'static str,
}

/// An answer that was verified, with what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedAnswer {
    /// The query in which it was asked.
    pub query: Digest,
    /// Who asked.
    pub querier: AuthorId,
    /// What was asked.
    pub questions: Vec<Question>,
    /// The answer.
    pub answer: Answer,
    /// For each question, asked rows of which neither a yes nor a no is proven; nothing for an
    /// engine that proves both.
    pub unproven: Vec<IndexSet>,
    /// Servers whose shares were published.
    pub shares: usize,
}
