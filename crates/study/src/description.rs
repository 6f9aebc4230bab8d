//! What is voted on, by which rules, and who runs it.
//!
//! People write the description as TOML ([`ElectionDescription::from_toml`]); the board carries
//! its canonical binary form, whose [digest](ElectionDescription::digest) names the election.
//!
//! ```
//! use study::description::ElectionDescription;
//!
//! let election = ElectionDescription::from_toml(
//!     r#"
//!     title = "Club dinner"
//!     question = "Where shall we eat?"
//!     candidates = ["Alpha", "Beta", "Gamma"]
//!     max_ranks = 3
//!     rules = ["plurality", "irv"]
//!     trustees = 3
//!     threshold = 2
//!     mixers = 2
//!     minimum_mixers = 1
//!     "#,
//! )
//! .unwrap();
//! assert_eq!(election.questions[0].candidates[1], "Beta");
//! assert_eq!(election.layout().columns(), 1);
//! ```
//!
//! Classes of voters, each with a weight, are listed as `[[classes]]`, with the fields `name`, `weight` and
//! `min_ballots`.
//!
//! Times make it an election of version 2: `opens` and `closes`, as `"2026-11-23T08:00:00Z"`, and if need be
//! `patience`, as `"2h"`, and `quorum` ([`Schedule`]).
//!
//! A ballot with several questions lists them as `[[questions]]`, each with the fields `question`,
//! `candidates` and `rules`, and with what its rules need: `max_ranks`, `max_choices`, `max_score`,
//! `grades`, `seats`.

mod check;
mod class;
mod encode;
mod error;
mod question;
mod schedule;
mod source;

use std::ops::Deref;

use algebra::{Bls12381G2, Embed as _, Ristretto255};
use wire::{Digest, Encode};

pub(crate) use check::is_invisible;
pub use class::Class;
pub use count::{MAX_CANDIDATES, Rule};
pub use error::{DescriptionError, Place, Problem};
pub use question::{Marking, Question};
pub use schedule::Schedule;

use crate::preferences::BallotLayout;

/// The longest TOML file, in bytes.
pub const MAX_FILE_BYTES: usize = 64 * 1024;
/// The longest title, in bytes of UTF-8.
pub const MAX_TITLE_BYTES: usize = 200;
/// The longest question, in bytes of UTF-8.
pub const MAX_QUESTION_BYTES: usize = 1_000;
/// The longest candidate name, in bytes of UTF-8.
pub const MAX_NAME_BYTES: usize = 120;
/// The longest notes, in bytes of UTF-8.
pub const MAX_NOTES_BYTES: usize = 4_000;
/// The longest link, in bytes of UTF-8.
pub const MAX_LINK_BYTES: usize = 500;
/// The most questions on one ballot.
pub const MAX_QUESTIONS: usize = 16;
/// The most candidates of all questions together.
pub const MAX_ALL_CANDIDATES: usize = 128;
/// The most classes of voters.
pub const MAX_CLASSES: usize = 32;
/// The most trustees, and the most mixers.
pub const MAX_PARTIES: u16 = 64;

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

/// A [`Draft`] that passed every check; it reads like one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElectionDescription(Draft);

impl ElectionDescription {
    /// Checks a draft.
    ///
    /// # Errors
    /// The first [`Problem`], and the field it is in.
    pub fn new(draft: Draft) -> Result<Self, DescriptionError> {
        check::check(&draft)?;
        Ok(Self(draft))
    }

    /// Reads and checks a TOML file's text.
    ///
    /// # Errors
    /// The first [`Problem`], with the line it is on.
    pub fn from_toml(text: &str) -> Result<Self, DescriptionError> {
        source::read(text).map(Self)
    }

    /// The same election with another shuffle.
    ///
    /// # Errors
    /// [`Problem::Range`] if its ballots cannot carry as many ranks.
    pub fn with_shuffle(&self, shuffle: Shuffle) -> Result<Self, DescriptionError> {
        Self::new(Draft { shuffle, ..self.0.clone() })
    }

    /// The same election with other times, as one of version 2.
    ///
    /// # Errors
    /// [`Problem`], if the numbers of parties and the schedule do not fit.
    pub fn with_schedule(&self, schedule: Schedule) -> Result<Self, DescriptionError> {
        Self::new(Draft { schedule: Some(schedule), ..self.0.clone() })
    }

    /// How a ballot of this election is laid out.
    pub fn layout(&self) -> BallotLayout {
        BallotLayout::new(&self.0.questions, self.0.shuffle.cell_bytes())
    }

    /// The one question, if it has rankings and one winner by first preferences or instant runoff, and all
    /// ballots are alike.
    pub fn plain(&self) -> Option<&Question> {
        match self.0.questions.as_slice() {
            [only] if only.is_plain() && self.0.classes.is_empty() => Some(only),
            _ => None,
        }
    }

    /// The digest of the canonical form: the election's name.
    pub fn digest(&self) -> Digest {
        Digest::of("study/election-description", &self.to_bytes())
    }
}

impl Deref for ElectionDescription {
    type Target = Draft;

    fn deref(&self) -> &Draft {
        &self.0
    }
}
