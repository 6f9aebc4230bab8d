//! Ballots as a CSV file, one row per voter: `voter,rank1,rank2,...`.
//!
//! A ballot on paper can say what a ranking cannot. Two marks are read like this:
//! * a skipped rank (an empty cell before a name) moves the later choices up;
//! * an overvoted rank (names joined by `=`) ends the ranking: neither it nor what follows counts.

use std::{
    cell::Cell as Shared,
    collections::HashMap,
    io::{self, Read},
    rc::Rc,
};

use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};

use super::{BallotFileError, BallotShape, Ranking};
use crate::description::{ElectionDescription, is_invisible};

/// The most rows of a file.
pub const MAX_VOTERS: usize = 1_000_000;
/// The longest cell, in bytes: room for an overvote of several names.
pub const MAX_FIELD_BYTES: usize = 1_024;
/// The longest voter's name, in bytes.
pub const MAX_VOTER_BYTES: usize = 64;
/// The longest row, in bytes, within one read-ahead of the parser.
pub const MAX_ROW_BYTES: usize = 64 * 1024;

const READ_AHEAD: usize = 8 * 1024;

/// One row of a ballot file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastBallot {
    /// The voter's name or pseudonym, unique in the file.
    pub voter: String,
    /// What counts.
    pub ranking: Ranking,
    /// Whether an overvote cut the ranking short.
    pub overvoted: bool,
}

/// Reads a ballot file row by row, in memory bounded by the voters' names.
///
/// It is an iterator; after an error it ends.
pub struct BallotFile<R> {
    rows: csv::Reader<Metered<R>>,
    budget: Rc<Shared<usize>>,
    record: StringRecord,
    shape: BallotShape,
    names: HashMap<String, u8>,
    voters: HashMap<String, u64>,
    last_line: u64,
    failed: bool,
}

impl<R: Read> BallotFile<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`BallotFileError`] if it is not the header of this election.
    pub fn open(election: &ElectionDescription, file: R) -> Result<Self, BallotFileError> {
        let budget = Rc::new(Shared::new(0));
        let rows = ReaderBuilder::new()
            .has_headers(false)
            .trim(Trim::All)
            .buffer_capacity(READ_AHEAD)
            .from_reader(Metered { file, budget: Rc::clone(&budget) });
        let names = election.candidates.iter().cloned().zip(0..).collect();
        let mut this = Self {
            rows,
            budget,
            record: StringRecord::new(),
            shape: election.shape(),
            names,
            voters: HashMap::new(),
            last_line: 0,
            failed: false,
        };
        let expected = header(&this.shape);
        if !this.advance()? {
            return Err(BallotFileError::NoHeader { expected: expected.join(",") });
        }
        if this.record.iter().ne(expected.iter().map(String::as_str)) {
            let got: Vec<_> = this.record.iter().collect();
            let got = excerpt(&got.join(","), 200);
            return Err(BallotFileError::Header { got, expected: expected.join(",") });
        }
        Ok(this)
    }

    /// Reads the next record; `false` at the end of the file.
    fn advance(&mut self) -> Result<bool, BallotFileError> {
        self.budget.set(MAX_ROW_BYTES);
        let read = self.rows.read_record(&mut self.record);
        let line = self.record.position().map_or(1, csv::Position::line);
        let more = read.map_err(|error| {
            let at =
                |position: &Option<csv::Position>| position.as_ref().map_or(line, |p| p.line());
            match error.kind() {
                ErrorKind::UnequalLengths { pos, expected_len, len } => {
                    BallotFileError::Ragged { line: at(pos), got: *len, expected: *expected_len }
                }
                ErrorKind::Utf8 { pos, .. } => BallotFileError::NotUtf8 { line: at(pos) },
                _ => self.unreadable(error),
            }
        })?;
        self.last_line = line;
        Ok(more)
    }

    fn unreadable(&self, error: csv::Error) -> BallotFileError {
        match error.into_kind() {
            ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                BallotFileError::RowTooLong { after: self.last_line }
            }
            ErrorKind::Io(error) => BallotFileError::Io(error),
            other => BallotFileError::Io(io::Error::other(format!("{other:?}"))),
        }
    }

    fn ballot(&mut self) -> Result<CastBallot, BallotFileError> {
        let line = self.last_line;
        let mut cells = self.record.iter();
        let voter = cells.next().unwrap_or_default();
        let is_usable =
            (1..=MAX_VOTER_BYTES).contains(&voter.len()) && !voter.chars().any(is_invisible);
        if !is_usable {
            return Err(BallotFileError::VoterName { line });
        }
        let voter = voter.to_owned();
        if self.voters.len() == MAX_VOTERS {
            return Err(BallotFileError::TooManyVoters { line });
        }
        if let Some(first) = self.voters.insert(voter.clone(), line) {
            return Err(BallotFileError::DuplicateVoter { line, voter, first });
        }

        let mut choices = Vec::new();
        let mut overvoted = false;
        for (rank, cell) in cells.enumerate() {
            let column = || format!("rank{}", rank + 1);
            if cell.len() > MAX_FIELD_BYTES {
                return Err(BallotFileError::FieldTooLong { line, column: column() });
            }
            if cell.is_empty() {
                continue;
            }
            // Names in cells that no longer count are still checked.
            for name in cell.split('=').map(str::trim) {
                let Some(&choice) = self.names.get(name) else {
                    let suggestion = self.closest(name);
                    let name = excerpt(name, 100);
                    let column = column();
                    return Err(BallotFileError::UnknownCandidate {
                        line,
                        column,
                        name,
                        suggestion,
                    });
                };
                overvoted |= cell.contains('=');
                if overvoted {
                    continue;
                }
                if choices.contains(&choice) {
                    let name = name.to_owned();
                    return Err(BallotFileError::Repeated { line, voter, name });
                }
                choices.push(choice);
            }
        }
        // Distinct choices from the election's names, at most one per rank column.
        let ranking = self.shape.ranking(choices).unwrap_or_default();
        Ok(CastBallot { voter, ranking, overvoted })
    }

    /// The candidate whose name is few edits away; the first of several.
    fn closest(&self, name: &str) -> Option<String> {
        let distance = |candidate: &str| {
            strsim::damerau_levenshtein(&candidate.to_lowercase(), &name.to_lowercase())
        };
        let nearest = self.names.iter().map(|(name, index)| (distance(name), index, name)).min()?;
        let (edits, _, candidate) = nearest;
        (edits <= 2.max(candidate.chars().count() / 3)).then(|| candidate.clone())
    }
}

impl<R: Read> Iterator for BallotFile<R> {
    type Item = Result<CastBallot, BallotFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = match self.advance() {
            Ok(true) => Some(self.ballot()),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        };
        self.failed = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The header of a ballot file of this shape.
fn header(shape: &BallotShape) -> Vec<String> {
    let ranks = (1..=shape.max_ranks()).map(|rank| format!("rank{rank}"));
    std::iter::once("voter".to_owned()).chain(ranks).collect()
}

/// Text of the file for a message: no control characters, not too long.
fn excerpt(text: &str, limit: usize) -> String {
    let shown: String = text.chars().take(limit).flat_map(char::escape_debug).collect();
    match text.chars().nth(limit) {
        Some(_) => shown + "...",
        None => shown,
    }
}

/// A file that stops after the bytes that one row may have, so that a quote that is never closed
/// does not fill the memory.
struct Metered<R> {
    file: R,
    budget: Rc<Shared<usize>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.budget.get();
        if left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let allowed = buffer.len().min(left);
        let read = self.file.read(buffer.get_mut(..allowed).unwrap_or_default())?;
        self.budget.set(left - read);
        Ok(read)
    }
}
