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
mod draft;
mod encode;
mod error;
mod limits;
mod question;
mod schedule;
mod source;

use std::ops::Deref;

use wire::{Digest, Encode};

pub(crate) use check::is_invisible;
pub use class::Class;
pub use count::{MAX_CANDIDATES, Rule};
pub use draft::{Draft, Shuffle};
pub use error::{DescriptionError, Place, Problem};
pub use limits::{
    MAX_ALL_CANDIDATES, MAX_CLASSES, MAX_FILE_BYTES, MAX_LINK_BYTES, MAX_NAME_BYTES,
    MAX_NOTES_BYTES, MAX_PARTIES, MAX_QUESTION_BYTES, MAX_QUESTIONS, MAX_TITLE_BYTES,
};
pub use question::{Marking, Question};
pub use schedule::Schedule;

use crate::preferences::BallotLayout;

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
