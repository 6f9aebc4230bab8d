//! The canonical binary form: a file header, then the fields in the order of [`Draft`]. Version 1
//! is for the shuffle of Terelius and Wikström; version 2 names another one.

use wire::{Decode, DecodeError, Digest, Encode, FileHeader, Reader, put_bytes};

use super::{
    Draft, ElectionDescription, MAX_CANDIDATES, MAX_LINK_BYTES, MAX_NAME_BYTES, MAX_NOTES_BYTES,
    MAX_QUESTION_BYTES, MAX_TITLE_BYTES, Rule, Shuffle, check::MAX_RULES,
};

const HEADER: FileHeader = FileHeader::new("election", 1);
const WITH_SHUFFLE: FileHeader = FileHeader::new("election", 2);

/// The code of the shuffle tFLSZ.
const TFLSZ: u8 = 2;

impl Encode for ElectionDescription {
    fn encode(&self, out: &mut Vec<u8>) {
        match self.shuffle {
            Shuffle::TereliusWikstrom => HEADER.encode(out),
            Shuffle::Tflsz { .. } => WITH_SHUFFLE.encode(out),
        }
        put_bytes(out, self.title.as_bytes());
        put_bytes(out, self.question.as_bytes());
        put_count(out, self.candidates.len());
        self.candidates.iter().for_each(|name| put_bytes(out, name.as_bytes()));
        out.push(self.max_ranks);
        put_count(out, self.rules.len());
        out.extend(self.rules.iter().map(|rule| code(*rule)));
        [self.trustees, self.threshold, self.mixers, self.minimum_mixers]
            .iter()
            .for_each(|number| number.encode(out));
        if let Shuffle::Tflsz { parameters } = self.shuffle {
            out.push(TFLSZ);
            parameters.encode(out);
        }
        put_optional(out, self.notes.as_deref());
        put_optional(out, self.link.as_deref());
    }
}

impl Decode for ElectionDescription {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let names_shuffle = match HEADER.expect(reader) {
            Err(DecodeError::Version { got, .. }) if got == WITH_SHUFFLE.version => true,
            other => other.map(|()| false)?,
        };
        let draft = Draft {
            title: reader.text("title", MAX_TITLE_BYTES)?.to_owned(),
            question: reader.text("question", MAX_QUESTION_BYTES)?.to_owned(),
            candidates: (0..reader.count("candidates", MAX_CANDIDATES)?)
                .map(|_| reader.text("candidate", MAX_NAME_BYTES).map(str::to_owned))
                .collect::<Result<_, _>>()?,
            max_ranks: reader.u8()?,
            rules: (0..reader.count("rules", MAX_RULES)?)
                .map(|_| reader.u8().and_then(rule))
                .collect::<Result<_, _>>()?,
            trustees: reader.u16()?,
            threshold: reader.u16()?,
            mixers: reader.u16()?,
            minimum_mixers: reader.u16()?,
            shuffle: if names_shuffle { shuffle(reader)? } else { Shuffle::TereliusWikstrom },
            notes: take_optional(reader, "notes", MAX_NOTES_BYTES)?,
            link: take_optional(reader, "link", MAX_LINK_BYTES)?,
        };
        Self::new(draft).map_err(|error| DecodeError::invalid("election description", error))
    }
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
    match rule {
        Rule::Plurality => 1,
        Rule::Irv => 2,
    }
}

fn rule(code: u8) -> Result<Rule, DecodeError> {
    match code {
        1 => Ok(Rule::Plurality),
        2 => Ok(Rule::Irv),
        other => Err(DecodeError::invalid("rule", format!("unknown code {other}"))),
    }
}

fn shuffle(reader: &mut Reader<'_>) -> Result<Shuffle, DecodeError> {
    match reader.u8()? {
        TFLSZ => Ok(Shuffle::Tflsz { parameters: Digest::decode(reader)? }),
        other => Err(DecodeError::invalid("shuffle", format!("unknown code {other}"))),
    }
}
