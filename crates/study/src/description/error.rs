//! What is wrong with a description, where, and what to do about it.

use std::fmt;

use count::{BallotKind, Rule, WeightError};
use thiserror::Error;

/// A field of the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the fields")]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    Title,
    Questions,
    Question,
    Candidates,
    /// One candidate, numbered from 0.
    Candidate(usize),
    MaxRanks,
    MaxChoices,
    Grades,
    Seats,
    Rules,
    /// One rule, numbered from 0.
    Rule(usize),
    Classes,
    /// One class, numbered from 0.
    Class(usize),
    Trustees,
    Threshold,
    Mixers,
    MinimumMixers,
    Parameters,
    Opens,
    Closes,
    Patience,
    Quorum,
    Notes,
    Link,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "the description",
            Self::Title => "`title`",
            Self::Questions => "`questions`",
            Self::Question => "`question`",
            Self::Candidates => "`candidates`",
            Self::Candidate(index) => return write!(f, "candidate {}", index + 1),
            Self::MaxRanks => "`max_ranks`",
            Self::MaxChoices => "`max_choices`",
            Self::Grades => "`grades` (`max_score`)",
            Self::Seats => "`seats`",
            Self::Rules => "`rules`",
            Self::Rule(index) => return write!(f, "rule {}", index + 1),
            Self::Classes => "`classes`",
            Self::Class(index) => return write!(f, "class {}", index + 1),
            Self::Trustees => "`trustees`",
            Self::Threshold => "`threshold`",
            Self::Mixers => "`mixers`",
            Self::MinimumMixers => "`minimum_mixers`",
            Self::Parameters => "`parameters`",
            Self::Opens => "`opens`",
            Self::Closes => "`closes`",
            Self::Patience => "`patience`",
            Self::Quorum => "`quorum`",
            Self::Notes => "`notes`",
            Self::Link => "`link`",
        })
    }
}

/// Why a description was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptionError {
    /// The line of the TOML file, from 1, if there is a file.
    pub line: Option<usize>,
    /// The question, numbered from 0, if there are several and it is in one of them.
    pub question: Option<usize>,
    /// The field.
    pub place: Place,
    /// What is wrong with it.
    pub problem: Problem,
}

impl DescriptionError {
    pub(super) fn new(place: Place, problem: Problem) -> Self {
        Self { line: None, question: None, place, problem }
    }
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(question) = self.question {
            write!(f, "question {}: ", question + 1)?;
        }
        write!(f, "{} {}", self.place, self.problem)
    }
}

impl std::error::Error for DescriptionError {}

/// What is wrong with a field, worded to follow the field's name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not TOML, or a field is missing, unknown or of another type.
    #[error("cannot be read: {0}")]
    Toml(String),
    /// More bytes than allowed.
    #[error("is {got} bytes long; shorten it to {limit}")]
    TooLong {
        /// Bytes.
        got: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// No text.
    #[error("is empty; write something")]
    Empty,
    /// Spaces that nobody sees, or that make two equal names differ.
    #[error("begins or ends with a space, or has two in a row; remove it")]
    StraySpace,
    /// A character that is invisible or changes the direction of text.
    #[error("contains the invisible character U+{0:04X}; remove it")]
    Invisible(u32),
    /// `=` in a name.
    #[error("contains `=`, which joins the names of an overvote in ballot files; leave it out")]
    EqualsSign,
    /// Two candidates whose names are equal, letter case aside.
    #[error("is named like candidate {first} (`{name}`); tell them apart or remove one")]
    DuplicateCandidate {
        /// The earlier one, numbered from 1.
        first: usize,
        /// The name.
        name: String,
    },
    /// Two classes whose names are equal, letter case aside.
    #[error("is named like class {first} (`{name}`); tell them apart or remove one")]
    DuplicateClass {
        /// The earlier one, numbered from 1.
        first: usize,
        /// The name.
        name: String,
    },
    /// A class that would be opened with so few ballots that they name their voters.
    #[error(
        "has `min_ballots` {got}; choose {} or more: a list of one names its voter",
        crate::description::Class::LEAST_BALLOTS
    )]
    FewBallots {
        /// The number.
        got: u32,
    },
    /// No weight, or weights without a unit in common.
    #[error("has a weight that cannot be used: {0}")]
    Weight(WeightError),
    /// The same rule twice.
    #[error("is listed twice; remove one")]
    DuplicateRule,
    /// Two grades of one name, letter case aside.
    #[error("has `{name}` twice, first as grade {first}; tell them apart or remove one")]
    DuplicateGrade {
        /// The earlier one, numbered from 1.
        first: usize,
        /// The name.
        name: String,
    },
    /// A rule that reads other ballots than the question has.
    #[error("(`{rule}`) does not count such ballots; {} for it", needs(*.rule))]
    OtherBallots {
        /// The rule.
        rule: Rule,
    },
    /// A rule for one winner, with several seats.
    #[error("(`{rule}`) elects one; choose another one, or `seats = 1`")]
    OneSeat {
        /// The rule.
        rule: Rule,
    },
    /// A list of questions beside fields of one question.
    #[error("stand beside fields of one question; move those into the list")]
    TwoForms,
    /// A limit on marks that ballots of these rules do not have.
    #[error(
        "count other marks than `max_ranks`, `max_choices`, `max_score` or `grades` limit; remove the one that does not belong to them"
    )]
    UnusedLimit,
    /// Grades without a best one.
    #[error("is missing: give `max_score`, or the names of the `grades`, the worst first")]
    MissingGrades,
    /// More than one ballot carries.
    #[error("take {got} bytes a ballot; ballots under this shuffle carry {limit}; ask less")]
    BallotTooLong {
        /// Bytes.
        got: usize,
        /// Bytes that fit.
        limit: usize,
    },
    /// A list has too few or too many items.
    #[error("lists {got}; list {least} to {most}")]
    Count {
        /// Items.
        got: usize,
        /// The fewest.
        least: usize,
        /// The most.
        most: usize,
    },
    /// A number is out of range.
    #[error("is {got}; choose {least} to {most}{}", because(.why))]
    Range {
        /// The number.
        got: u16,
        /// The least.
        least: u16,
        /// The greatest.
        most: u16,
        /// Where the upper limit comes from, or nothing.
        why: &'static str,
    },
    /// Parameters for a shuffle that has none.
    #[error(
        "has no use: the shuffle `tw` has no parameters; remove it, or write shuffle = \"tflsz\""
    )]
    NoParameters,
    /// A shuffle that needs parameters, without them.
    #[error(
        "is missing: give the digest that `subrosa ceremony tflsz info` prints of the ceremony's \
         result"
    )]
    MissingParameters,
    /// Not the digest of a file.
    #[error("is not a digest; give the 64 hexadecimal digits of the parameters' file")]
    NotADigest,
    /// Not a time.
    #[error("is not a time; write it as \"2026-11-23T08:00:00Z\" (RFC 3339, UTC, whole seconds)")]
    NotATime,
    /// Not a length of time.
    #[error("is not a length of time; write it as \"2h\" or \"1day 12h\", in whole seconds")]
    NotADuration,
    /// Polls that close before they open.
    #[error("is not after `opens`; choose a later time")]
    Times,
    /// One of the times without the others.
    #[error("is missing: an election with times has `opens` and `closes`")]
    MissingTime,
    /// Nobody could ever answer.
    #[error("is 0; choose a second or more")]
    NoPatience,
    /// Two halves of the trustees could each decrypt.
    #[error(
        "is {got}; choose {least} or more: two groups of trustees without a member in common must not both be \
         able to decrypt"
    )]
    Split {
        /// The number.
        got: u16,
        /// More than half of the trustees.
        least: u16,
    },
    /// A quorum that a split can meet twice, or that those without whom there is no result do not make up.
    #[error(
        "is {got}, and must be {least} to {most}: more than half of all trustees and mixers, and not more than \
         `threshold` and `minimum_mixers` together; raise those if there is no such number"
    )]
    Quorum {
        /// The number.
        got: u16,
        /// More than half of all trustees and mixers.
        least: u16,
        /// Those without whom there is no result.
        most: u16,
    },
    /// Not a web address.
    #[error("is not a web address; begin it with https:// and use no spaces or quotes")]
    NotALink,
}

fn because(why: &str) -> String {
    match why {
        "" => String::new(),
        why => format!(" ({why})"),
    }
}

fn needs(rule: Rule) -> &'static str {
    match rule.kind() {
        BallotKind::Ranking => "give `max_ranks`",
        BallotKind::Choices => "give `max_choices`",
        BallotKind::Grades => "give `max_score` or `grades`",
    }
}
