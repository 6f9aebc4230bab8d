//! What is wrong with a description, where, and what to do about it.

use std::fmt;

use thiserror::Error;

/// A field of the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the fields")]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    Title,
    Question,
    Candidates,
    /// One candidate, numbered from 0.
    Candidate(usize),
    MaxRanks,
    Rules,
    /// One rule, numbered from 0.
    Rule(usize),
    Trustees,
    Threshold,
    Mixers,
    MinimumMixers,
    Parameters,
    Notes,
    Link,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "the description",
            Self::Title => "`title`",
            Self::Question => "`question`",
            Self::Candidates => "`candidates`",
            Self::Candidate(index) => return write!(f, "candidate {}", index + 1),
            Self::MaxRanks => "`max_ranks`",
            Self::Rules => "`rules`",
            Self::Rule(index) => return write!(f, "rule {}", index + 1),
            Self::Trustees => "`trustees`",
            Self::Threshold => "`threshold`",
            Self::Mixers => "`mixers`",
            Self::MinimumMixers => "`minimum_mixers`",
            Self::Parameters => "`parameters`",
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
    /// The field.
    pub place: Place,
    /// What is wrong with it.
    pub problem: Problem,
}

impl DescriptionError {
    pub(super) fn new(place: Place, problem: Problem) -> Self {
        Self { line: None, place, problem }
    }
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
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
    /// The same rule twice.
    #[error("is listed twice; remove one")]
    DuplicateRule,
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
