//! The TOML form, with the line of every field.

use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::{DescriptionError, Draft, MAX_FILE_BYTES, Place, Problem, Rule, Shuffle, check};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    title: Spanned<String>,
    question: Spanned<String>,
    candidates: Spanned<Vec<Spanned<String>>>,
    max_ranks: Spanned<u8>,
    rules: Spanned<Vec<Spanned<Rule>>>,
    trustees: Spanned<u16>,
    threshold: Spanned<u16>,
    mixers: Spanned<u16>,
    minimum_mixers: Spanned<u16>,
    shuffle: Option<Spanned<ShuffleName>>,
    parameters: Option<Spanned<String>>,
    notes: Option<Spanned<String>>,
    link: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ShuffleName {
    Tw,
    Tflsz,
}

/// The text's draft, checked.
pub(super) fn read(text: &str) -> Result<Draft, DescriptionError> {
    if text.len() > MAX_FILE_BYTES {
        let problem = Problem::TooLong { got: text.len(), limit: MAX_FILE_BYTES };
        return Err(DescriptionError::new(Place::File, problem));
    }
    let source: Source = toml::from_str(text).map_err(|error| DescriptionError {
        line: error.span().map(|span| line_of(text, span)),
        place: Place::File,
        problem: Problem::Toml(error.message().to_owned()),
    })?;
    let checked = source.draft().and_then(|draft| check::check(&draft).map(|()| draft));
    checked.map_err(|error| {
        let line = source.span(error.place).map(|span| line_of(text, span));
        DescriptionError { line, ..error }
    })
}

impl Source {
    fn draft(&self) -> Result<Draft, DescriptionError> {
        Ok(Draft {
            title: self.title.get_ref().clone(),
            question: self.question.get_ref().clone(),
            candidates: values(self.candidates.get_ref()),
            max_ranks: *self.max_ranks.get_ref(),
            rules: values(self.rules.get_ref()),
            trustees: *self.trustees.get_ref(),
            threshold: *self.threshold.get_ref(),
            mixers: *self.mixers.get_ref(),
            minimum_mixers: *self.minimum_mixers.get_ref(),
            shuffle: self.shuffle()?,
            notes: self.notes.as_ref().map(|notes| notes.get_ref().clone()),
            link: self.link.as_ref().map(|link| link.get_ref().clone()),
        })
    }

    /// The shuffle with its parameters, which only tFLSZ has.
    fn shuffle(&self) -> Result<Shuffle, DescriptionError> {
        let refused = |problem| Err(DescriptionError::new(Place::Parameters, problem));
        let name = self.shuffle.as_ref().map_or(ShuffleName::Tw, |name| *name.get_ref());
        match (name, &self.parameters) {
            (ShuffleName::Tw, None) => Ok(Shuffle::TereliusWikstrom),
            (ShuffleName::Tw, Some(_)) => refused(Problem::NoParameters),
            (ShuffleName::Tflsz, None) => refused(Problem::MissingParameters),
            (ShuffleName::Tflsz, Some(digest)) => match digest.get_ref().parse() {
                Ok(parameters) => Ok(Shuffle::Tflsz { parameters }),
                Err(_) => refused(Problem::NotADigest),
            },
        }
    }

    fn span(&self, place: Place) -> Option<Range<usize>> {
        match place {
            Place::File => None,
            Place::Title => Some(self.title.span()),
            Place::Question => Some(self.question.span()),
            Place::Candidates => Some(self.candidates.span()),
            Place::Candidate(index) => self.candidates.get_ref().get(index).map(Spanned::span),
            Place::MaxRanks => Some(self.max_ranks.span()),
            Place::Rules => Some(self.rules.span()),
            Place::Rule(index) => self.rules.get_ref().get(index).map(Spanned::span),
            Place::Trustees => Some(self.trustees.span()),
            Place::Threshold => Some(self.threshold.span()),
            Place::Mixers => Some(self.mixers.span()),
            Place::MinimumMixers => Some(self.minimum_mixers.span()),
            Place::Parameters => self.parameters.as_ref().map(Spanned::span).or_else(|| {
                // What is missing is missing where the shuffle is named.
                self.shuffle.as_ref().map(Spanned::span)
            }),
            Place::Notes => self.notes.as_ref().map(Spanned::span),
            Place::Link => self.link.as_ref().map(Spanned::span),
        }
    }
}

fn values<T: Clone>(spanned: &[Spanned<T>]) -> Vec<T> {
    spanned.iter().map(|value| value.get_ref().clone()).collect()
}

fn line_of(text: &str, span: Range<usize>) -> usize {
    let before = text.bytes().take(span.start);
    before.filter(|byte| *byte == b'\n').count() + 1
}
