//! The canonical binary form: a file header, then the fields in the order of [`Draft`]. Version 1
//! is for the shuffle of Terelius and Wikström and one question with rankings, one winner, and the
//! rules that there were first; version 2 names another shuffle, version 3 lists questions, version 4
//! questions and classes of voters, version 5 both and a schedule.

use count::Weight;
use wire::{Decode, DecodeError, Digest, Encode, FileHeader, Reader, put_bytes};

use super::{
    Class, Draft, ElectionDescription, MAX_CANDIDATES, MAX_CLASSES, MAX_LINK_BYTES, MAX_NAME_BYTES,
    MAX_NOTES_BYTES, MAX_QUESTION_BYTES, MAX_QUESTIONS, MAX_TITLE_BYTES, Marking, Question, Rule,
    Schedule, Shuffle, check::MAX_RULES,
};

const HEADER: FileHeader = FileHeader::new("election", 1);
const WITH_SHUFFLE: FileHeader = FileHeader::new("election", 2);

const WITH_QUESTIONS: FileHeader = FileHeader::new("election", 3);
const WITH_CLASSES: FileHeader = FileHeader::new("election", 4);
const WITH_SCHEDULE: FileHeader = FileHeader::new("election", 5);

/// The codes of the shuffles.
const TW: u8 = 1;
const TFLSZ: u8 = 2;

impl Encode for ElectionDescription {
    fn encode(&self, out: &mut Vec<u8>) {
        let plain = self.plain().filter(|_| self.schedule.is_none());
        match (plain, self.shuffle) {
            _ if self.schedule.is_some() => WITH_SCHEDULE.encode(out),
            (None, _) if !self.classes.is_empty() => WITH_CLASSES.encode(out),
            (None, _) => WITH_QUESTIONS.encode(out),
            (Some(_), Shuffle::TereliusWikstrom) => HEADER.encode(out),
            (Some(_), Shuffle::Tflsz { .. }) => WITH_SHUFFLE.encode(out),
        }
        put_bytes(out, self.title.as_bytes());
        if plain.is_none() {
            put_count(out, self.questions.len());
        }
        for question in &self.questions {
            put_text(out, question);
            put_marking(out, question, plain.is_some());
            put_count(out, question.rules.len());
            out.extend(question.rules.iter().map(|rule| code(*rule)));
        }
        [self.trustees, self.threshold, self.mixers, self.minimum_mixers]
            .iter()
            .for_each(|number| number.encode(out));
        match self.shuffle {
            Shuffle::TereliusWikstrom if plain.is_some() => {}
            Shuffle::TereliusWikstrom => out.push(TW),
            Shuffle::Tflsz { parameters } => {
                out.push(TFLSZ);
                parameters.encode(out);
            }
        }
        if !self.classes.is_empty() || self.schedule.is_some() {
            put_count(out, self.classes.len());
            self.classes.iter().for_each(|class| put_class(out, class));
        }
        if let Some(Schedule { opens, closes, patience, quorum }) = self.schedule {
            opens.encode(out);
            closes.encode(out);
            patience.encode(out);
            quorum.encode(out);
        }
        put_optional(out, self.notes.as_deref());
        put_optional(out, self.link.as_deref());
    }
}

impl Decode for ElectionDescription {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let version = match HEADER.expect(reader) {
            Err(DecodeError::Version { got, .. })
                if (WITH_SHUFFLE.version..=WITH_SCHEDULE.version).contains(&got) =>
            {
                got
            }
            other => other.map(|()| HEADER.version)?,
        };
        let lists = version >= WITH_QUESTIONS.version;
        let title = reader.text("title", MAX_TITLE_BYTES)?.to_owned();
        let questions = if lists { reader.count("questions", MAX_QUESTIONS)? } else { 1 };
        let draft = Draft {
            title,
            questions: (0..questions).map(|_| question(reader, lists)).collect::<Result<_, _>>()?,
            trustees: reader.u16()?,
            threshold: reader.u16()?,
            mixers: reader.u16()?,
            minimum_mixers: reader.u16()?,
            shuffle: match version == HEADER.version {
                true => Shuffle::TereliusWikstrom,
                false => shuffle(reader, lists)?,
            },
            classes: match version >= WITH_CLASSES.version {
                true => classes(reader)?,
                false => Vec::new(),
            },
            schedule: match version == WITH_SCHEDULE.version {
                true => Some(schedule(reader)?),
                false => None,
            },
            notes: take_optional(reader, "notes", MAX_NOTES_BYTES)?,
            link: take_optional(reader, "link", MAX_LINK_BYTES)?,
        };
        let invalid = |why: &dyn std::fmt::Display| {
            DecodeError::invalid("election description", why.to_string())
        };
        let checked = Self::new(draft).map_err(|error| invalid(&error))?;
        // What an older version can say has one form.
        let has_classes = !checked.classes.is_empty();
        let is_own = version == WITH_SCHEDULE.version
            || checked.plain().is_some() != lists
                && has_classes == (version == WITH_CLASSES.version);
        match is_own {
            true => Ok(checked),
            false => Err(invalid(&"it is not in the version that belongs to it")),
        }
    }
}

fn put_text(out: &mut Vec<u8>, question: &Question) {
    put_bytes(out, question.text.as_bytes());
    put_count(out, question.candidates.len());
    question.candidates.iter().for_each(|name| put_bytes(out, name.as_bytes()));
}

const RANKING: u8 = 1;
const CHOICES: u8 = 2;
const GRADES: u8 = 3;

/// The kind and the seats are those of version 3; before it there was only one of each.
fn put_marking(out: &mut Vec<u8>, question: &Question, is_plain: bool) {
    let kind = |out: &mut Vec<u8>, kind| {
        if !is_plain {
            out.extend([question.seats, kind]);
        }
    };
    match &question.marking {
        Marking::Ranking { max_ranks } => {
            kind(out, RANKING);
            out.push(*max_ranks);
        }
        Marking::Choices { max_choices } => {
            kind(out, CHOICES);
            out.push(*max_choices);
        }
        Marking::Grades { best, names } => {
            kind(out, GRADES);
            out.push(*best);
            put_count(out, names.len());
            names.iter().for_each(|name| put_bytes(out, name.as_bytes()));
        }
    }
}

fn names(
    reader: &mut Reader<'_>,
    what: &'static str,
    most: usize,
) -> Result<Vec<String>, DecodeError> {
    let count = reader.count(what, most)?;
    (0..count).map(|_| Ok(reader.text("name", MAX_NAME_BYTES)?.to_owned())).collect()
}

fn question(reader: &mut Reader<'_>, lists: bool) -> Result<Question, DecodeError> {
    let text = reader.text("question", MAX_QUESTION_BYTES)?.to_owned();
    let candidates = names(reader, "candidates", MAX_CANDIDATES)?;
    let (seats, kind) = if lists { (reader.u8()?, reader.u8()?) } else { (1, RANKING) };
    let marking = match kind {
        RANKING => Marking::Ranking { max_ranks: reader.u8()? },
        CHOICES => Marking::Choices { max_choices: reader.u8()? },
        GRADES => Marking::Grades {
            best: reader.u8()?,
            names: names(reader, "grades", usize::from(count::MAX_GRADE) + 1)?,
        },
        other => return Err(DecodeError::invalid("ballot", format!("unknown code {other}"))),
    };
    let rules = (0..reader.count("rules", MAX_RULES)?)
        .map(|_| reader.u8().and_then(rule))
        .collect::<Result<_, _>>()?;
    Ok(Question { text, candidates, marking, seats, rules })
}

fn put_class(out: &mut Vec<u8>, class: &Class) {
    put_bytes(out, class.name.as_bytes());
    class.weight.numerator().encode(out);
    class.weight.denominator().encode(out);
    class.min_ballots.encode(out);
}

fn classes(reader: &mut Reader<'_>) -> Result<Vec<Class>, DecodeError> {
    (0..reader.count("classes", MAX_CLASSES)?).map(|_| class(reader)).collect()
}

fn class(reader: &mut Reader<'_>) -> Result<Class, DecodeError> {
    let name = reader.text("class", MAX_NAME_BYTES)?.to_owned();
    let weight = Weight::new(reader.u32()?, reader.u32()?);
    let weight = weight.map_err(|error| DecodeError::invalid("weight", error.to_string()))?;
    Ok(Class { name, weight, min_ballots: reader.u32()? })
}

fn schedule(reader: &mut Reader<'_>) -> Result<Schedule, DecodeError> {
    let (opens, closes) = (reader.u64()?, reader.u64()?);
    Ok(Schedule { opens, closes, patience: reader.u32()?, quorum: reader.u16()? })
}

/// Appends a count that [`Reader::count`] reads; every list of a description is short.
fn put_count(out: &mut Vec<u8>, count: usize) {
    u32::try_from(count).unwrap_or(u32::MAX).encode(out);
}

/// Absent and empty are one: a checked description has no empty text.
fn put_optional(out: &mut Vec<u8>, text: Option<&str>) {
    put_bytes(out, text.unwrap_or_default().as_bytes());
}

fn take_optional(
    reader: &mut Reader<'_>,
    what: &'static str,
    limit: usize,
) -> Result<Option<String>, DecodeError> {
    let text = reader.text(what, limit)?;
    Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
}

fn code(rule: Rule) -> u8 {
    let numbered = (1..).zip(Rule::ALL).find(|(_, known)| *known == rule);
    numbered.map_or(0, |(code, _)| code)
}

fn rule(code: u8) -> Result<Rule, DecodeError> {
    let numbered = (1..).zip(Rule::ALL).find(|(known, _)| *known == code);
    numbered
        .map(|(_, rule)| rule)
        .ok_or_else(|| DecodeError::invalid("rule", format!("unknown code {code}")))
}

fn shuffle(reader: &mut Reader<'_>, lists: bool) -> Result<Shuffle, DecodeError> {
    match reader.u8()? {
        TW if lists => Ok(Shuffle::TereliusWikstrom),
        TFLSZ => Ok(Shuffle::Tflsz { parameters: Digest::decode(reader)? }),
        other => Err(DecodeError::invalid("shuffle", format!("unknown code {other}"))),
    }
}
