//! Every rule that a description obeys.

use std::collections::HashMap;

use shuffle::ballot::MAX_COLUMNS;

use super::{
    DescriptionError, Draft, MAX_CANDIDATES, MAX_LINK_BYTES, MAX_NAME_BYTES, MAX_NOTES_BYTES,
    MAX_PARTIES, MAX_QUESTION_BYTES, MAX_TITLE_BYTES, Place, Problem,
};

/// The number of rules there are.
pub(super) const MAX_RULES: usize = 2;

pub(super) fn check(draft: &Draft) -> Result<(), DescriptionError> {
    one_line(&draft.title, MAX_TITLE_BYTES, Place::Title)?;
    one_line(&draft.question, MAX_QUESTION_BYTES, Place::Question)?;
    candidates(&draft.candidates)?;

    let ranks = u16::try_from(draft.candidates.len()).unwrap_or(u16::MAX);
    let why = "there are no more candidates than that";
    range(draft.max_ranks.into(), 1, ranks, why, Place::MaxRanks)?;
    let carried = u16::try_from(MAX_COLUMNS * draft.shuffle.cell_bytes()).unwrap_or(u16::MAX);
    let why = "ballots under this shuffle carry no more";
    range(draft.max_ranks.into(), 1, carried, why, Place::MaxRanks)?;
    rules(draft)?;

    range(draft.trustees, 1, MAX_PARTIES, "", Place::Trustees)?;
    let why = "there are no more trustees than that";
    range(draft.threshold, 1, draft.trustees, why, Place::Threshold)?;
    range(draft.mixers, 1, MAX_PARTIES, "", Place::Mixers)?;
    let why = "there are no more mixers than that";
    range(draft.minimum_mixers, 1, draft.mixers, why, Place::MinimumMixers)?;

    if let Some(notes) = &draft.notes {
        length(notes, MAX_NOTES_BYTES, Place::Notes)?;
        visible(notes, |c| c == '\n', Place::Notes)?;
    }
    draft.link.as_deref().map_or(Ok(()), link)
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

fn rules(draft: &Draft) -> Result<(), DescriptionError> {
    count(draft.rules.len(), MAX_RULES, Place::Rules)?;
    for (index, rule) in draft.rules.iter().enumerate() {
        if draft.rules.iter().take(index).any(|earlier| earlier == rule) {
            return Err(DescriptionError::new(Place::Rule(index), Problem::DuplicateRule));
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
