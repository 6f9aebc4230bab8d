//! What servers are waited for to do.

use std::fmt;

use wire::Digest;

use super::Message;

/// What a server is waited for to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Round 1, 2 or 3 of the key generation.
    Key(u8),
    /// Commit to a permutation.
    Commit,
    /// Mix.
    Mix,
    /// Sign inputs and mix.
    SignMix,
    /// Decrypt the outputs.
    Decrypt,
    /// Pass a query's markers on.
    Pass(Digest),
    /// Blind a query's sums.
    Blind(Digest),
    /// Sign a query.
    SignQuery(Digest),
    /// Send a share of a request.
    Share(Digest, u32),
}

impl Task {
    /// The query that the task is about, if it is about one.
    pub fn query(self) -> Option<Digest> {
        match self {
            Self::Pass(id) | Self::Blind(id) | Self::SignQuery(id) | Self::Share(id, _) => Some(id),
            Self::Key(_) | Self::Commit | Self::Mix | Self::SignMix | Self::Decrypt => None,
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(round) => write!(f, "key generation, round {round}"),
            Self::Commit => write!(f, "commitment to a permutation"),
            Self::Mix => write!(f, "mix"),
            Self::SignMix => write!(f, "signature on the mix"),
            Self::Decrypt => write!(f, "partial decryption"),
            Self::Pass(id) => write!(f, "markers of query {id}"),
            Self::Blind(id) => write!(f, "blinded sums of query {id}"),
            Self::SignQuery(id) => write!(f, "signature on query {id}"),
            Self::Share(id, _) => write!(f, "sealed share of query {id}"),
        }
    }
}

impl Message {
    /// What a server does with this message; `None` if it is not a server's.
    pub fn task(&self) -> Option<Task> {
        Some(match self {
            Self::KeyRound1(_) => Task::Key(1),
            Self::KeyRound2(_) => Task::Key(2),
            Self::KeyRound3(_) => Task::Key(3),
            Self::Permutation(_) => Task::Commit,
            Self::MixTurn(_) => Task::Mix,
            Self::MixSignature(_) => Task::SignMix,
            Self::Decryption(_) => Task::Decrypt,
            Self::QueryTurn(id, _) => Task::Pass(*id),
            Self::Blinding(id, _) => Task::Blind(*id),
            Self::QuerySignature(id, _) => Task::SignQuery(*id),
            Self::Share(id, request, _) => Task::Share(*id, *request),
            Self::Setup(_)
            | Self::Submission(_)
            | Self::Close
            | Self::Query(_)
            | Self::Refusal(..)
            | Self::Complaint(..) => return None,
        })
    }
}
