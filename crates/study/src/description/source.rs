//! The TOML form, with the line of every field.

use std::ops::Range;

use count::{BallotKind, Weight};
use serde::Deserialize;
use toml::Spanned;

use super::{
    Class, DescriptionError, Draft, MAX_CLASSES, MAX_FILE_BYTES, Marking, Place, Problem, Question,
    Rule, Schedule, Shuffle, check,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    title: Spanned<String>,
    // One question stands among the other fields, ...
    question: Option<Spanned<String>>,
    candidates: Option<Spanned<Vec<Spanned<String>>>>,
    max_ranks: Option<Spanned<u8>>,
    max_choices: Option<Spanned<u8>>,
    max_score: Option<Spanned<u8>>,
    grades: Option<Spanned<Vec<String>>>,
    seats: Option<Spanned<u8>>,
    rules: Option<Spanned<Vec<Spanned<Rule>>>>,
    // ... several in a list.
    questions: Option<Spanned<Vec<Spanned<QuestionSource>>>>,
    classes: Option<Spanned<Vec<Spanned<ClassSource>>>>,
    trustees: Spanned<u16>,
    threshold: Spanned<u16>,
    mixers: Spanned<u16>,
    minimum_mixers: Spanned<u16>,
    opens: Option<Spanned<String>>,
    closes: Option<Spanned<String>>,
    patience: Option<Spanned<String>>,
    quorum: Option<Spanned<u16>>,
    shuffle: Option<Spanned<ShuffleName>>,
    parameters: Option<Spanned<String>>,
    notes: Option<Spanned<String>>,
    link: Option<Spanned<String>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionSource {
    question: Spanned<String>,
    candidates: Spanned<Vec<Spanned<String>>>,
    max_ranks: Option<Spanned<u8>>,
    max_choices: Option<Spanned<u8>>,
    max_score: Option<Spanned<u8>>,
    grades: Option<Spanned<Vec<String>>>,
    seats: Option<Spanned<u8>>,
    rules: Spanned<Vec<Spanned<Rule>>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassSource {
    name: String,
    weight: WeightSource,
    min_ballots: u32,
}

/// A whole number, or a fraction as text.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a weight is a whole number, or a fraction as text such as \"3/2\"")]
enum WeightSource {
    Whole(i64),
    Text(String),
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
        question: None,
        line: error.span().map(|span| line_of(text, span)),
        place: Place::File,
        problem: Problem::Toml(error.message().to_owned()),
    })?;
    let questions = source.questions().map_err(|error| {
        let line = source.span(error.place).map(|span| line_of(text, span));
        DescriptionError { line, ..error }
    })?;
    let checked = source.draft(&questions).and_then(|draft| check::check(&draft).map(|()| draft));
    checked.map_err(|error| {
        // What is not about a question has a place that none of them finds.
        let asked = questions.get(error.question.unwrap_or(0));
        let own = asked.and_then(|asked| asked.span(error.place));
        let line = own.or_else(|| source.span(error.place)).map(|span| line_of(text, span));
        DescriptionError { line, ..error }
    })
}

impl Source {
    /// The list of questions, or the one among the other fields.
    fn questions(&self) -> Result<Vec<QuestionSource>, DescriptionError> {
        let missing = |field: &str| {
            let problem = Problem::Toml(format!("missing field `{field}`"));
            DescriptionError::new(Place::File, problem)
        };
        if let Some(questions) = &self.questions {
            let is_alone = self.question.is_none()
                && self.candidates.is_none()
                && self.rules.is_none()
                && self.seats.is_none()
                && [&self.max_ranks, &self.max_choices, &self.max_score]
                    .iter()
                    .all(|x| x.is_none())
                && self.grades.is_none();
            return match is_alone {
                true => Ok(values(questions.get_ref())),
                false => Err(DescriptionError::new(Place::Questions, Problem::TwoForms)),
            };
        }
        Ok(vec![QuestionSource {
            question: self.question.clone().ok_or_else(|| missing("question"))?,
            candidates: self.candidates.clone().ok_or_else(|| missing("candidates"))?,
            max_ranks: self.max_ranks.clone(),
            max_choices: self.max_choices.clone(),
            max_score: self.max_score.clone(),
            grades: self.grades.clone(),
            seats: self.seats.clone(),
            rules: self.rules.clone().ok_or_else(|| missing("rules"))?,
        }])
    }

    fn draft(&self, questions: &[QuestionSource]) -> Result<Draft, DescriptionError> {
        let several = questions.len() > 1;
        let question = |(index, asked): (usize, &QuestionSource)| {
            let in_place = |error| DescriptionError { question: several.then_some(index), ..error };
            asked.question().map_err(in_place)
        };
        Ok(Draft {
            title: self.title.get_ref().clone(),
            questions: questions.iter().enumerate().map(question).collect::<Result<_, _>>()?,
            classes: self.classes()?,
            trustees: *self.trustees.get_ref(),
            threshold: *self.threshold.get_ref(),
            mixers: *self.mixers.get_ref(),
            minimum_mixers: *self.minimum_mixers.get_ref(),
            schedule: self.schedule()?,
            shuffle: self.shuffle()?,
            notes: self.notes.as_ref().map(|notes| notes.get_ref().clone()),
            link: self.link.as_ref().map(|link| link.get_ref().clone()),
        })
    }

    /// The classes; a list of none is a mistake.
    fn classes(&self) -> Result<Vec<Class>, DescriptionError> {
        let Some(classes) = &self.classes else { return Ok(Vec::new()) };
        if classes.get_ref().is_empty() {
            let problem = Problem::Count { got: 0, least: 1, most: MAX_CLASSES };
            return Err(DescriptionError::new(Place::Classes, problem));
        }
        let class = |(index, class): (usize, ClassSource)| {
            let weight = match &class.weight {
                // A weight out of range becomes 0, which is refused as any other zero.
                WeightSource::Whole(weight) => Weight::new(u32::try_from(*weight).unwrap_or(0), 1),
                WeightSource::Text(text) => text.parse(),
            };
            let refused =
                |error| DescriptionError::new(Place::Class(index), Problem::Weight(error));
            let weight = weight.map_err(refused)?;
            Ok(Class { name: class.name, weight, min_ballots: class.min_ballots })
        };
        values(classes.get_ref()).into_iter().enumerate().map(class).collect()
    }

    /// The times, if there are any; a quorum of half of the parties and one, and a day's patience, unless said
    /// otherwise.
    fn schedule(&self) -> Result<Option<Schedule>, DescriptionError> {
        let refused = |place, problem| DescriptionError::new(place, problem);
        let has_any = self.opens.is_some() || self.closes.is_some();
        if !has_any && self.patience.is_none() && self.quorum.is_none() {
            return Ok(None);
        }
        let time = |field: &Option<Spanned<String>>, place| {
            let text = field.as_ref().ok_or_else(|| refused(place, Problem::MissingTime))?;
            Schedule::time(text.get_ref()).ok_or_else(|| refused(place, Problem::NotATime))
        };
        let (opens, closes) =
            (time(&self.opens, Place::Opens)?, time(&self.closes, Place::Closes)?);
        let seconds = |text: &Spanned<String>| {
            // What is no duration is refused below.
            let length = humantime::parse_duration(text.get_ref()).ok();
            let length = length.filter(|length| length.subsec_nanos() == 0);
            let seconds = length.and_then(|length| u32::try_from(length.as_secs()).ok());
            seconds.ok_or_else(|| refused(Place::Patience, Problem::NotADuration))
        };
        let usual = Schedule::least_quorum(*self.trustees.get_ref(), *self.mixers.get_ref());
        Ok(Some(Schedule {
            opens,
            closes,
            patience: self.patience.as_ref().map_or(Ok(Schedule::USUAL_PATIENCE), seconds)?,
            quorum: self.quorum.as_ref().map_or(usual, |quorum| *quorum.get_ref()),
        }))
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
            Place::Questions => self.questions.as_ref().map(Spanned::span),
            Place::Question
            | Place::Candidates
            | Place::Candidate(_)
            | Place::MaxRanks
            | Place::MaxChoices
            | Place::Grades
            | Place::Seats
            | Place::Rules
            | Place::Rule(_) => None,
            Place::Classes => self.classes.as_ref().map(Spanned::span),
            Place::Class(index) => self.classes.as_ref()?.get_ref().get(index).map(Spanned::span),
            Place::Trustees => Some(self.trustees.span()),
            Place::Threshold => Some(self.threshold.span()),
            Place::Mixers => Some(self.mixers.span()),
            Place::MinimumMixers => Some(self.minimum_mixers.span()),
            Place::Parameters => self.parameters.as_ref().map(Spanned::span).or_else(|| {
                // What is missing is missing where the shuffle is named.
                self.shuffle.as_ref().map(Spanned::span)
            }),
            Place::Opens => self.opens.as_ref().map(Spanned::span),
            Place::Closes => self.closes.as_ref().map(Spanned::span),
            Place::Patience => self.patience.as_ref().map(Spanned::span),
            Place::Quorum => self.quorum.as_ref().map(Spanned::span),
            Place::Notes => self.notes.as_ref().map(Spanned::span),
            Place::Link => self.link.as_ref().map(Spanned::span),
        }
    }
}

impl QuestionSource {
    fn question(&self) -> Result<Question, DescriptionError> {
        let rules = values(self.rules.get_ref());
        let seats = self.seats.as_ref().map_or(1, |seats| *seats.get_ref());
        Ok(Question {
            text: self.question.get_ref().clone(),
            candidates: values(self.candidates.get_ref()),
            marking: self.marking(&rules, seats)?,
            seats,
            rules,
        })
    }

    /// What is marked follows from the first rule, and how much from the field that belongs to it.
    fn marking(&self, rules: &[Rule], seats: u8) -> Result<Marking, DescriptionError> {
        let refused = |place, problem| Err(DescriptionError::new(place, problem));
        let of = |field: &Option<Spanned<u8>>| field.as_ref().map(|field| *field.get_ref());
        let kind = rules.first().map_or(BallotKind::Ranking, |rule| rule.kind());
        let unused = match kind {
            BallotKind::Ranking => [self.max_choices.is_some(), self.has_grades()],
            BallotKind::Choices => [self.max_ranks.is_some(), self.has_grades()],
            BallotKind::Grades => [self.max_ranks.is_some(), self.max_choices.is_some()],
        };
        if unused.contains(&true) {
            return refused(Place::Rules, Problem::UnusedLimit);
        }
        match kind {
            BallotKind::Ranking => match of(&self.max_ranks) {
                Some(max_ranks) => Ok(Marking::Ranking { max_ranks }),
                None => refused(Place::File, Problem::Toml("missing field `max_ranks`".to_owned())),
            },
            BallotKind::Choices => {
                // `check` refuses more than MAX_CANDIDATES.
                let all = u8::try_from(self.candidates.get_ref().len()).unwrap_or(u8::MAX);
                let usual = if rules.contains(&Rule::AtLarge) { seats } else { all };
                Ok(Marking::Choices { max_choices: of(&self.max_choices).unwrap_or(usual) })
            }
            BallotKind::Grades => match (of(&self.max_score), &self.grades) {
                (None, None) => refused(Place::Grades, Problem::MissingGrades),
                (best, names) => {
                    let names = names.as_ref().map_or(Vec::new(), |names| names.get_ref().clone());
                    // `check` refuses more names than grades.
                    let last = u8::try_from(names.len().saturating_sub(1)).unwrap_or(u8::MAX);
                    Ok(Marking::Grades { best: best.unwrap_or(last), names })
                }
            },
        }
    }

    fn has_grades(&self) -> bool {
        self.max_score.is_some() || self.grades.is_some()
    }

    fn span(&self, place: Place) -> Option<Range<usize>> {
        match place {
            Place::Question => Some(self.question.span()),
            Place::Candidates => Some(self.candidates.span()),
            Place::Candidate(index) => self.candidates.get_ref().get(index).map(Spanned::span),
            Place::MaxRanks => self.max_ranks.as_ref().map(Spanned::span),
            Place::MaxChoices => self.max_choices.as_ref().map(Spanned::span),
            Place::Grades => {
                let best = self.max_score.as_ref().map(Spanned::span);
                best.or_else(|| self.grades.as_ref().map(Spanned::span))
            }
            Place::Seats => self.seats.as_ref().map(Spanned::span),
            Place::Rules => Some(self.rules.span()),
            Place::Rule(index) => self.rules.get_ref().get(index).map(Spanned::span),
            _ => None,
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
