//! Every rule that a description obeys.

use std::collections::HashMap;

use count::{MAX_GRADE, Rule};
use shuffle::ballot::MAX_COLUMNS;

use super::{
    Class, DescriptionError, Draft, MAX_ALL_CANDIDATES, MAX_CANDIDATES, MAX_CLASSES,
    MAX_LINK_BYTES, MAX_NAME_BYTES, MAX_NOTES_BYTES, MAX_PARTIES, MAX_QUESTION_BYTES,
    MAX_QUESTIONS, MAX_TITLE_BYTES, Marking, Place, Problem, Question, Schedule, schedule::LAST,
};
use crate::preferences::BallotLayout;

/// The number of rules there are.
pub(super) const MAX_RULES: usize = Rule::ALL.len();

pub(super) fn check(draft: &Draft) -> Result<(), DescriptionError> {
    one_line(&draft.title, MAX_TITLE_BYTES, Place::Title)?;
    questions(draft)?;
    classes(&draft.classes)?;

    range(draft.trustees, 1, MAX_PARTIES, "", Place::Trustees)?;
    let why = "there are no more trustees than that";
    range(draft.threshold, 1, draft.trustees, why, Place::Threshold)?;
    range(draft.mixers, 1, MAX_PARTIES, "", Place::Mixers)?;
    let why = "there are no more mixers than that";
    range(draft.minimum_mixers, 1, draft.mixers, why, Place::MinimumMixers)?;
    draft.schedule.map_or(Ok(()), |times| schedule(&times, draft))?;

    if let Some(notes) = &draft.notes {
        length(notes, MAX_NOTES_BYTES, Place::Notes)?;
        visible(notes, |c| c == '\n', Place::Notes)?;
    }
    draft.link.as_deref().map_or(Ok(()), link)
}

/// What must hold beside the numbers of parties: a split of them has no result on both sides, and those
/// without whom there is no result anyway make up a quorum.
fn schedule(schedule: &Schedule, draft: &Draft) -> Result<(), DescriptionError> {
    let refused = |place, problem| Err(DescriptionError::new(place, problem));
    let Schedule { opens, closes, patience, quorum } = *schedule;
    if opens >= closes || closes > LAST {
        return refused(Place::Closes, Problem::Times);
    }
    if patience == 0 {
        return refused(Place::Patience, Problem::NoPatience);
    }
    let least = draft.trustees / 2 + 1;
    if draft.threshold < least {
        return refused(Place::Threshold, Problem::Split { got: draft.threshold, least });
    }
    let least = Schedule::least_quorum(draft.trustees, draft.mixers);
    let most = draft.threshold.saturating_add(draft.minimum_mixers);
    match (least..=most).contains(&quorum) {
        true => Ok(()),
        false => refused(Place::Quorum, Problem::Quorum { got: quorum, least, most }),
    }
}

fn questions(draft: &Draft) -> Result<(), DescriptionError> {
    count(draft.questions.len(), MAX_QUESTIONS, Place::Questions)?;
    let several = draft.questions.len() > 1;
    for (index, asked) in draft.questions.iter().enumerate() {
        question(asked, draft)
            .map_err(|error| DescriptionError { question: several.then_some(index), ..error })?;
    }
    let all = draft.questions.iter().map(|question| question.candidates.len()).sum();
    count(all, MAX_ALL_CANDIDATES, Place::Questions)?;
    let layout = BallotLayout::new(&draft.questions, draft.shuffle.cell_bytes());
    let carried = MAX_COLUMNS * draft.shuffle.cell_bytes();
    match layout.bytes() <= carried {
        true => Ok(()),
        false => {
            let problem = Problem::BallotTooLong { got: layout.bytes(), limit: carried };
            Err(DescriptionError::new(Place::Questions, problem))
        }
    }
}

fn classes(classes: &[Class]) -> Result<(), DescriptionError> {
    if classes.is_empty() {
        return Ok(());
    }
    count(classes.len(), MAX_CLASSES, Place::Classes)?;
    let mut seen = HashMap::new();
    for (index, class) in classes.iter().enumerate() {
        let place = Place::Class(index);
        one_line(&class.name, MAX_NAME_BYTES, place)?;
        if let Some(first) = seen.insert(class.name.to_lowercase(), index + 1) {
            let problem = Problem::DuplicateClass { first, name: class.name.clone() };
            return Err(DescriptionError::new(place, problem));
        }
        if class.min_ballots < Class::LEAST_BALLOTS {
            let problem = Problem::FewBallots { got: class.min_ballots };
            return Err(DescriptionError::new(place, problem));
        }
    }
    let refused = |error| DescriptionError::new(Place::Classes, Problem::Weight(error));
    Class::unit(classes).map(drop).map_err(refused)
}

fn question(asked: &Question, draft: &Draft) -> Result<(), DescriptionError> {
    one_line(&asked.text, MAX_QUESTION_BYTES, Place::Question)?;
    candidates(&asked.candidates)?;
    // They were just counted: there are MAX_CANDIDATES at most.
    let standing = u16::try_from(asked.candidates.len()).unwrap_or(u16::MAX);
    let why = "there are no more candidates than that";
    // Before the marks, of which there are as many as seats unless said otherwise.
    range(asked.seats.into(), 1, standing, why, Place::Seats)?;
    match &asked.marking {
        Marking::Ranking { max_ranks } => {
            range((*max_ranks).into(), 1, standing, why, Place::MaxRanks)?;
            let carried = MAX_COLUMNS * draft.shuffle.cell_bytes();
            // More than fits is more than a `u8` of ranks.
            let carried = u16::try_from(carried).unwrap_or(u16::MAX);
            let why = "ballots under this shuffle carry no more";
            range((*max_ranks).into(), 1, carried, why, Place::MaxRanks)?;
        }
        Marking::Choices { max_choices } => {
            range((*max_choices).into(), 1, standing, why, Place::MaxChoices)?;
        }
        Marking::Grades { best, names } => {
            range((*best).into(), 1, MAX_GRADE.into(), "", Place::Grades)?;
            grades(names, *best)?;
        }
    }
    rules(asked)
}

fn grades(names: &[String], best: u8) -> Result<(), DescriptionError> {
    let mut seen = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        one_line(name, MAX_NAME_BYTES, Place::Grades)?;
        if let Some(first) = seen.insert(name.to_lowercase(), index + 1) {
            let problem = Problem::DuplicateGrade { first, name: name.clone() };
            return Err(DescriptionError::new(Place::Grades, problem));
        }
    }
    match names.len() {
        0 => Ok(()),
        got if got == usize::from(best) + 1 => Ok(()),
        got => {
            let exactly = usize::from(best) + 1;
            let problem = Problem::Count { got, least: exactly, most: exactly };
            Err(DescriptionError::new(Place::Grades, problem))
        }
    }
}

fn candidates(names: &[String]) -> Result<(), DescriptionError> {
    count(names.len(), MAX_CANDIDATES, Place::Candidates)?;
    let mut seen = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        let place = Place::Candidate(index);
        one_line(name, MAX_NAME_BYTES, place)?;
        if name.contains('=') {
            return Err(DescriptionError::new(place, Problem::EqualsSign));
        }
        if let Some(first) = seen.insert(name.to_lowercase(), index + 1) {
            let problem = Problem::DuplicateCandidate { first, name: name.clone() };
            return Err(DescriptionError::new(place, problem));
        }
    }
    Ok(())
}

fn rules(asked: &Question) -> Result<(), DescriptionError> {
    count(asked.rules.len(), MAX_RULES, Place::Rules)?;
    for (index, rule) in asked.rules.iter().enumerate() {
        let refused = |problem| Err(DescriptionError::new(Place::Rule(index), problem));
        if asked.rules.iter().take(index).any(|earlier| earlier == rule) {
            return refused(Problem::DuplicateRule);
        }
        if rule.kind() != asked.marking.kind() {
            return refused(Problem::OtherBallots { rule: *rule });
        }
        // First preferences may stand beside a rule that fills the seats.
        let informs = *rule == Rule::Plurality && asked.decides() != Some(*rule);
        if asked.seats > 1 && !rule.fills_seats() && !informs {
            return refused(Problem::OneSeat { rule: *rule });
        }
    }
    Ok(())
}

/// A line of text that reads the same to everybody.
fn one_line(text: &str, limit: usize, place: Place) -> Result<(), DescriptionError> {
    length(text, limit, place)?;
    visible(text, |_| false, place)?;
    let words = text.split(char::is_whitespace);
    match words.into_iter().any(str::is_empty) {
        true => Err(DescriptionError::new(place, Problem::StraySpace)),
        false => Ok(()),
    }
}

fn length(text: &str, limit: usize, place: Place) -> Result<(), DescriptionError> {
    match text.len() {
        0 => Err(DescriptionError::new(place, Problem::Empty)),
        got if got > limit => Err(DescriptionError::new(place, Problem::TooLong { got, limit })),
        _ => Ok(()),
    }
}

fn visible(
    text: &str,
    allowed: impl Fn(char) -> bool,
    place: Place,
) -> Result<(), DescriptionError> {
    match text.chars().find(|c| is_invisible(*c) && !allowed(*c)) {
        Some(c) => Err(DescriptionError::new(place, Problem::Invisible(c.into()))),
        None => Ok(()),
    }
}

/// Control characters, and those that hide, reorder or break text. ZWJ and ZWNJ stay: several
/// scripts spell names with them.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn link(text: &str) -> Result<(), DescriptionError> {
    one_line(text, MAX_LINK_BYTES, Place::Link)?;
    let address = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '<' | '>' | '`');
    match address {
        Some(address) if !address.is_empty() && address.chars().all(is_plain) => Ok(()),
        _ => Err(DescriptionError::new(Place::Link, Problem::NotALink)),
    }
}

fn count(got: usize, most: usize, place: Place) -> Result<(), DescriptionError> {
    match (1..=most).contains(&got) {
        true => Ok(()),
        false => Err(DescriptionError::new(place, Problem::Count { got, least: 1, most })),
    }
}

fn range(
    got: u16,
    least: u16,
    most: u16,
    why: &'static str,
    place: Place,
) -> Result<(), DescriptionError> {
    let why = if got > most { why } else { "" };
    match (least..=most).contains(&got) {
        true => Ok(()),
        false => Err(DescriptionError::new(place, Problem::Range { got, least, most, why })),
    }
}
