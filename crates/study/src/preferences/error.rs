//! What is wrong with a ballot file, in which line, and what to do about it.

use std::io;

use count::WeightError;
use thiserror::Error;

use super::{MAX_FIELD_BYTES, MAX_ROW_BYTES, MAX_VOTER_BYTES, MAX_VOTERS};

/// Why a ballot file was refused. Lines count from 1, the header.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BallotFileError {
    /// The file could not be read.
    #[error("the ballot file cannot be read: {0}")]
    Io(#[source] io::Error),
    /// Nothing in it.
    #[error("the ballot file is empty; begin it with the header `{expected}`")]
    NoHeader {
        /// The header of this election.
        expected: String,
    },
    /// Other columns than the election has.
    #[error("line 1: the header is `{got}`; this election needs `{expected}`")]
    Header {
        /// The header of the file, cut to a readable length.
        got: String,
        /// The header of this election.
        expected: String,
    },
    /// A row is longer than any honest one.
    #[error("the row after line {after} is over {MAX_ROW_BYTES} bytes; is a quote not closed?")]
    RowTooLong {
        /// The last line that was read whole.
        after: u64,
    },
    /// Bytes that are no text.
    #[error("line {line}: not UTF-8; save the file with the encoding UTF-8")]
    NotUtf8 {
        /// The row's line.
        line: u64,
    },
    /// Too many or too few cells.
    #[error("line {line}: {got} cells instead of {expected}; write unused ranks as empty cells")]
    Ragged {
        /// The row's line.
        line: u64,
        /// Cells in the row.
        got: u64,
        /// Cells in the header.
        expected: u64,
    },
    /// A cell is longer than any name.
    #[error("line {line}, column {column}: over {MAX_FIELD_BYTES} bytes")]
    FieldTooLong {
        /// The row's line.
        line: u64,
        /// The column's name.
        column: String,
    },
    /// A voter without a usable name.
    #[error(
        "line {line}: the voter's name is empty, has invisible characters, \
         or is over {MAX_VOTER_BYTES} bytes"
    )]
    VoterName {
        /// The row's line.
        line: u64,
    },
    /// A class that the election does not have.
    #[error("line {line}: no class is named `{got}`; there are `{classes}`")]
    UnknownClass {
        /// The row's line.
        line: u64,
        /// The cell, with invisible characters escaped.
        got: String,
        /// The names of the classes.
        classes: String,
    },
    /// A cell that is no weight.
    #[error("line {line}: the weight is `{got}`; {problem}")]
    Weight {
        /// The row's line.
        line: u64,
        /// The cell, with invisible characters escaped.
        got: String,
        /// What a weight is.
        problem: WeightError,
    },
    /// Two rows of one voter.
    #[error("line {line}: voter `{voter}` has already voted in line {first}; remove one row")]
    DuplicateVoter {
        /// The row's line.
        line: u64,
        /// The voter.
        voter: String,
        /// The line of the earlier row.
        first: u64,
    },
    /// A name that is not on the ballot.
    #[error("line {line}, column {column}: no candidate is named `{name}`{}", hint(.suggestion))]
    UnknownCandidate {
        /// The row's line.
        line: u64,
        /// The column's name.
        column: String,
        /// The name, with invisible characters escaped.
        name: String,
        /// The candidate that was probably meant.
        suggestion: Option<String>,
    },
    /// One candidate at two ranks.
    #[error("line {line}: voter `{voter}` ranks `{name}` twice; keep one")]
    Repeated {
        /// The row's line.
        line: u64,
        /// The voter.
        voter: String,
        /// The candidate.
        name: String,
    },
    /// A cell that is no choice and no grade.
    #[error("line {line}, column {column}: `{got}` is not {expected}")]
    Mark {
        /// The row's line.
        line: u64,
        /// The column's name.
        column: String,
        /// The cell, with invisible characters escaped.
        got: String,
        /// What can stand there.
        expected: String,
    },
    /// More candidates chosen than a ballot may choose.
    #[error("line {line}: voter `{voter}` chooses more than {limit}")]
    TooManyChoices {
        /// The row's line.
        line: u64,
        /// The voter.
        voter: String,
        /// The most.
        limit: u8,
    },
    /// More rows than an election may have.
    #[error("line {line}: more than {MAX_VOTERS} voters; split the election")]
    TooManyVoters {
        /// The row's line.
        line: u64,
    },
}

fn hint(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
