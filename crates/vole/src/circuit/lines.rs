//! Words of a line, with their places.

use std::str::FromStr;

use super::{CircuitError, ReadError};

/// Goes through the words of a line.
#[derive(Clone)]
pub(super) struct Line<'t> {
    number: usize,
    text: &'t str,
    /// Where the next word is looked for.
    at: usize,
    /// Where the last word began.
    column: usize,
}

impl<'t> Line<'t> {
    /// A line and its number, from 1.
    pub(super) fn new(number: usize, text: &'t str) -> Self {
        Self { number, text, at: 0, column: 1 }
    }

    /// An error at the last word.
    pub(super) fn error(&self, error: CircuitError) -> ReadError {
        ReadError { line: self.number, column: self.column, error }
    }

    /// Whether it has no words.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The last word of all.
    pub(super) fn last(&self) -> &'t str {
        // Only a message says it: of a line without words there is none.
        self.text.split_whitespace().next_back().unwrap_or_default()
    }

    /// Whether a word is among those that follow.
    pub(super) fn has(&self, word: &str) -> bool {
        // `at` is the start or the end of a word.
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.split_whitespace().any(|other| other == word)
    }

    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Option<&'t str> {
        // As above.
        let rest = self.text.get(self.at..).unwrap_or_default();
        let word = rest.trim_start();
        let start = self.at + rest.len() - word.len();
        self.column = start + 1;
        let word = word.split_whitespace().next()?;
        self.at = start + word.len();
        Some(word)
    }

    /// The next word, which must be there.
    pub(super) fn expect(&mut self, expected: &'static str) -> Result<&'t str, ReadError> {
        self.next().ok_or_else(|| self.unexpected(expected, None))
    }

    /// The next word as a number.
    pub(super) fn number<T: FromStr>(&mut self, expected: &'static str) -> Result<T, ReadError> {
        let word = self.expect(expected)?;
        // `from_str` would take a plus sign.
        let number = Some(word).filter(|word| !word.starts_with('+'));
        let number = number.and_then(|word| word.parse().ok());
        number.ok_or_else(|| self.unexpected(expected, Some(word)))
    }

    /// That something else stands there.
    pub(super) fn unexpected(&self, expected: &'static str, found: Option<&str>) -> ReadError {
        let found = match found {
            // A hostile word may be long.
            Some(word) => format!("`{}`", word.chars().take(40).collect::<String>()),
            None => "the end of the line".into(),
        };
        self.error(CircuitError::Syntax { expected, found })
    }

    /// Nothing may follow.
    pub(super) fn end(&mut self) -> Result<(), ReadError> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(self.unexpected("the end of the line", Some(word))),
        }
    }
}
