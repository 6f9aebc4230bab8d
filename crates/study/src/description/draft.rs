//! The fields of a description, before they are checked.

use algebra::{Bls12381G2, Embed as _, Ristretto255};
use wire::Digest;

use super::{Class, Question, Schedule};

/// How ballots lose the link to their voters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shuffle {
    /// Terelius-Wikström over ristretto255: no parameters that anybody has to trust.
    #[default]
    TereliusWikstrom,
    /// tFLSZ over BLS12-381: proofs without a random oracle, under parameters that a ceremony made.
    Tflsz {
        /// The digest of the parameters' file, as `subrosa ceremony tflsz info` prints it.
        parameters: Digest,
    },
}

impl Shuffle {
    /// The name in descriptions and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::TereliusWikstrom => "tw",
            Self::Tflsz { .. } => "tflsz",
        }
    }

    /// The file that has to be on the board before anything else, if there is one.
    pub fn parameters(self) -> Option<Digest> {
        match self {
            Self::TereliusWikstrom => None,
            Self::Tflsz { parameters } => Some(parameters),
        }
    }

    /// Bytes that one ciphertext carries.
    pub fn cell_bytes(self) -> usize {
        match self {
            Self::TereliusWikstrom => Ristretto255::CAPACITY,
            Self::Tflsz { .. } => Bls12381G2::CAPACITY,
        }
    }
}

/// The fields of an election description, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The name of the election.
    pub title: String,
    /// What the voters are asked, in the order of the ballot.
    pub questions: Vec<Question>,
    /// Classes of voters, in the order that numbers them; none if all ballots are alike.
    pub classes: Vec<Class>,
    /// Parties that share the decryption key.
    pub trustees: u16,
    /// Trustees needed to decrypt.
    pub threshold: u16,
    /// Parties invited to mix.
    pub mixers: u16,
    /// Mixes without which the result is not published.
    pub minimum_mixers: u16,
    /// When the polls are open and how long parties are waited for; with it the election is one of version 2.
    pub schedule: Option<Schedule>,
    /// How they mix.
    pub shuffle: Shuffle,
    /// Anything else that voters should know.
    pub notes: Option<String>,
    /// Where to read more.
    pub link: Option<String>,
}
