//! Ballots as a CSV file, one row per voter: `voter,rank1,rank2,...`, or with a column for each candidate whom voters
//! choose (`1`, or nothing) or grade (a number or the grade's name, or nothing). With several questions the columns
//! begin with the question's number: `1.rank1`, `2.Ana`. If the election has classes of voters, a column `class` behind
//! `voter` has the voter's class. Files that are only counted may have a column `weight` there instead.
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

use count::{Choices, Grades, Marks, Ranking, Weight};

use super::{Ballot, BallotFileError, MAX_FIELD_BYTES, MAX_ROW_BYTES, MAX_VOTER_BYTES, MAX_VOTERS};
use crate::description::{Class, ElectionDescription, Marking, Question, is_invisible};

const READ_AHEAD: usize = 8 * 1024;

const CLASS: &str = "class";
const WEIGHT: &str = "weight";

/// One row of a ballot file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastBallot {
    /// The voter's name or pseudonym, unique in the file.
    pub voter: String,
    /// The voter's class, numbered from 0; of an election that has classes.
    pub class: Option<u8>,
    /// What the ballot counts: the weight of the class, of the column `weight`, or one.
    pub weight: Weight,
    /// What counts.
    pub ballot: Ballot,
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
    questions: Vec<Question>,
    classes: Vec<Class>,
    has_weights: bool,
    header: Vec<String>,
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
        Self::read(election, file, false)
    }

    /// The same, of ballots in the clear: without classes there may be a column `weight`.
    ///
    /// # Errors
    /// [`BallotFileError`] if it is not the header of this election.
    pub fn open_weighted(election: &ElectionDescription, file: R) -> Result<Self, BallotFileError> {
        Self::read(election, file, election.classes.is_empty())
    }

    fn read(
        election: &ElectionDescription,
        file: R,
        may_have_weights: bool,
    ) -> Result<Self, BallotFileError> {
        let budget = Rc::new(Shared::new(0));
        let rows = ReaderBuilder::new()
            .has_headers(false)
            .trim(Trim::All)
            .buffer_capacity(READ_AHEAD)
            .from_reader(Metered { file, budget: Rc::clone(&budget) });
        let mut this = Self {
            rows,
            budget,
            record: StringRecord::new(),
            questions: election.questions.clone(),
            classes: election.classes.clone(),
            has_weights: false,
            header: header(election),
            voters: HashMap::new(),
            last_line: 0,
            failed: false,
        };
        let expected = this.header.clone();
        if !this.advance()? {
            return Err(BallotFileError::NoHeader { expected: expected.join(",") });
        }
        // A candidate may have that name, too.
        let has_more = this.record.len() == this.header.len() + 1;
        if may_have_weights && has_more && this.record.get(1) == Some(WEIGHT) {
            this.has_weights = true;
            this.header.insert(1, WEIGHT.to_owned());
        }
        let expected = this.header.clone();
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
        // A row without cells has no name, which is refused.
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

        let columns = self.header.iter().map(String::as_str).skip(1);
        let mut cells = columns.zip(cells);
        let (class, weight) = match self.classes.is_empty() {
            false => class(&self.classes, cells.next(), line).map(|(at, own)| (Some(at), own))?,
            true if self.has_weights => (None, weight(cells.next(), line)?),
            true => (None, Weight::ONE),
        };
        let mut row = Row { line, voter: &voter, overvoted: false };
        let mut ballot = Vec::new();
        for question in &self.questions {
            let own: Vec<_> = cells.by_ref().take(width(question)).collect();
            ballot.push(row.marks(question, &own)?);
        }
        let overvoted = row.overvoted;
        Ok(CastBallot { voter, class, weight, ballot: Ballot(ballot), overvoted })
    }
}

/// The voter's class and its weight.
fn class(
    classes: &[Class],
    cell: Option<(&str, &str)>,
    line: u64,
) -> Result<(u8, Weight), BallotFileError> {
    let name = cell.map_or("", |(_, name)| name);
    let found = (0..).zip(classes).find(|(_, class)| class.name == name);
    found.map(|(place, class)| (place, class.weight)).ok_or_else(|| {
        let classes: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        let got = excerpt(name, 100);
        BallotFileError::UnknownClass { line, got, classes: classes.join("`, `") }
    })
}

fn weight(cell: Option<(&str, &str)>, line: u64) -> Result<Weight, BallotFileError> {
    let text = cell.map_or("", |(_, text)| text);
    text.parse().map_err(|problem| {
        let got = excerpt(text, 100);
        BallotFileError::Weight { line, got, problem }
    })
}

/// A voter's row.
struct Row<'a> {
    line: u64,
    voter: &'a str,
    overvoted: bool,
}

impl Row<'_> {
    /// Reads the cells of one question, each with its column's name.
    fn marks(
        &mut self,
        question: &Question,
        cells: &[(&str, &str)],
    ) -> Result<Marks, BallotFileError> {
        let line = self.line;
        if let Some((column, _)) = cells.iter().find(|(_, cell)| cell.len() > MAX_FIELD_BYTES) {
            let column = (*column).to_owned();
            return Err(BallotFileError::FieldTooLong { line, column });
        }
        match &question.marking {
            Marking::Ranking { .. } => self.ranking(question, cells).map(Marks::Ranking),
            Marking::Choices { max_choices } => {
                let chosen = |(index, (column, cell)): (u8, &(&str, &str))| match *cell {
                    "" | "0" => Ok(None),
                    "1" | "x" | "X" => Ok(Some(index)),
                    other => Err(self.mark(column, other, "1, or nothing".to_owned())),
                };
                let chosen: Vec<Option<u8>> =
                    (0..).zip(cells).map(chosen).collect::<Result<_, _>>()?;
                let choices: Choices = chosen.into_iter().flatten().collect();
                if choices.len() > usize::from(*max_choices) {
                    let (voter, limit) = (self.voter.to_owned(), *max_choices);
                    return Err(BallotFileError::TooManyChoices { line, voter, limit });
                }
                Ok(Marks::Choices(choices))
            }
            Marking::Grades { best, names } => {
                let grade = |(column, cell): &(&str, &str)| {
                    let named = names.iter().position(|name| name == cell);
                    // Here and below: what is neither a name nor a number of a grade is refused.
                    let number = cell.parse::<u8>().ok().filter(|grade| grade <= best);
                    match named.and_then(|at| u8::try_from(at).ok()).or(number) {
                        _ if cell.is_empty() => Ok(None),
                        Some(grade) => Ok(Some(grade)),
                        None => Err(self.mark(column, cell, format!("a grade from 0 to {best}"))),
                    }
                };
                let grades = cells.iter().map(grade).collect::<Result<_, _>>()?;
                Ok(Marks::Grades(Grades::new(grades)))
            }
        }
    }

    fn mark(&self, column: &str, cell: &str, expected: String) -> BallotFileError {
        let (line, column, got) = (self.line, column.to_owned(), excerpt(cell, 100));
        BallotFileError::Mark { line, column, got, expected }
    }

    fn ranking(
        &mut self,
        question: &Question,
        cells: &[(&str, &str)],
    ) -> Result<Ranking, BallotFileError> {
        let line = self.line;
        let mut choices = Vec::new();
        let mut is_over = false;
        for (column, cell) in cells.iter().filter(|(_, cell)| !cell.is_empty()) {
            // Names in cells that no longer count are still checked.
            for name in cell.split('=').map(str::trim) {
                let place = question.candidates.iter().position(|candidate| candidate == name);
                let Some(choice) = place.and_then(|place| u8::try_from(place).ok()) else {
                    let suggestion = closest(&question.candidates, name);
                    let (name, column) = (excerpt(name, 100), (*column).to_owned());
                    let error =
                        BallotFileError::UnknownCandidate { line, column, name, suggestion };
                    return Err(error);
                };
                is_over |= cell.contains('=');
                if is_over {
                    continue;
                }
                if choices.contains(&choice) {
                    let (voter, name) = (self.voter.to_owned(), name.to_owned());
                    return Err(BallotFileError::Repeated { line, voter, name });
                }
                choices.push(choice);
            }
        }
        self.overvoted |= is_over;
        // Distinct, as was just seen.
        Ok(Ranking::new(choices).unwrap_or_default())
    }
}

/// The candidate whose name is few edits away; the first of several.
fn closest(candidates: &[String], name: &str) -> Option<String> {
    let distance = |candidate: &str| {
        strsim::damerau_levenshtein(&candidate.to_lowercase(), &name.to_lowercase())
    };
    let nearest = candidates.iter().zip(0..).map(|(name, index)| (distance(name), index, name));
    let (edits, _, candidate): (_, usize, _) = nearest.min()?;
    (edits <= 2.max(candidate.chars().count() / 3)).then(|| candidate.clone())
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

/// The columns of a question.
fn width(question: &Question) -> usize {
    match question.marking {
        Marking::Ranking { max_ranks } => max_ranks.into(),
        Marking::Choices { .. } | Marking::Grades { .. } => question.candidates.len(),
    }
}

/// The header of a ballot file of this election.
fn header(election: &ElectionDescription) -> Vec<String> {
    let questions = &election.questions;
    let several = questions.len() > 1;
    let columns = |(number, question): (usize, &Question)| {
        let names: Vec<String> = match question.marking {
            Marking::Ranking { max_ranks } => {
                (1..=max_ranks).map(|rank| format!("rank{rank}")).collect()
            }
            Marking::Choices { .. } | Marking::Grades { .. } => question.candidates.clone(),
        };
        names.into_iter().map(move |name| match several {
            true => format!("{number}.{name}"),
            false => name,
        })
    };
    let columns = (1..).zip(questions).flat_map(columns);
    let class = (!election.classes.is_empty()).then_some(CLASS);
    let voter = std::iter::once("voter").chain(class).map(str::to_owned);
    voter.chain(columns).collect()
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
        // No more is allowed than the buffer has.
        let read = self.file.read(buffer.get_mut(..allowed).unwrap_or_default())?;
        self.budget.set(left - read);
        Ok(read)
    }
}
