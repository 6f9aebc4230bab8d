//! The canonical binary form of a tally. Version 2 has questions, as JSON with no space in it; version 3 has
//! classes behind them, in the same form.

use serde::{Serialize, de::DeserializeOwned};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader, put_bytes};

use super::{InstantRunoff, Outcome, Plurality, Round, SpoiledCount, Tally, Tie, TieBreak, Votes};
use crate::{description::MAX_CANDIDATES, preferences::Spoiled};

const HEADER: FileHeader = FileHeader { kind: "tally", version: 1 };
const WITH_QUESTIONS: FileHeader = FileHeader { kind: "tally", version: 2 };
const WITH_CLASSES: FileHeader = FileHeader { kind: "tally", version: 3 };

/// The longest JSON of questions, and of classes, in bytes.
const MAX_JSON_BYTES: usize = 1 << 20;

const ELECTED: u8 = 1;
const ELIMINATED: u8 = 2;
const NO_VOTES: u8 = 3;

impl Encode for Tally {
    fn encode(&self, out: &mut Vec<u8>) {
        match (self.questions.is_empty(), self.classes.is_empty()) {
            (_, false) => WITH_CLASSES.encode(out),
            (false, true) => WITH_QUESTIONS.encode(out),
            (true, true) => HEADER.encode(out),
        }
        self.ballots.encode(out);
        self.blank.encode(out);
        put_list(out, &self.spoiled, |out, count| {
            out.push(count.reason.code());
            count.ballots.encode(out);
        });
        put_list(out, self.plurality.as_slice(), |out, plurality| {
            put_list(out, &plurality.votes, put_votes);
            put_list(out, plurality.winner.as_slice(), put_byte);
            put_list(out, &plurality.tied, put_byte);
        });
        put_list(out, self.irv.as_slice(), |out, irv| put_list(out, &irv.rounds, put_round));
        if !self.questions.is_empty() || !self.classes.is_empty() {
            // Here and below: numbers and lists are always JSON, and an empty text is refused where it is read.
            put_bytes(out, &serde_json::to_vec(&self.questions).unwrap_or_default());
        }
        if !self.classes.is_empty() {
            put_bytes(out, &serde_json::to_vec(&self.classes).unwrap_or_default());
        }
    }
}

impl Decode for Tally {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let later = [WITH_QUESTIONS.version, WITH_CLASSES.version];
        let version = match HEADER.expect(reader) {
            Err(DecodeError::Version { got, .. }) if later.contains(&got) => got,
            other => other.map(|()| HEADER.version)?,
        };
        Ok(Self {
            ballots: reader.u64()?,
            blank: reader.u64()?,
            spoiled: take_list(reader, "spoiled", Spoiled::ALL.len(), |reader| {
                Ok(SpoiledCount { reason: take_reason(reader)?, ballots: reader.u64()? })
            })?,
            plurality: take_optional(reader, "plurality", |reader| {
                Ok(Plurality {
                    votes: take_list(reader, "votes", MAX_CANDIDATES, take_votes)?,
                    winner: take_optional(reader, "winner", take_candidate)?,
                    tied: take_candidates(reader)?,
                })
            })?,
            irv: take_optional(reader, "instant runoff", |reader| {
                let rounds = take_list(reader, "rounds", MAX_CANDIDATES, take_round)?;
                Ok(InstantRunoff { rounds })
            })?,
            questions: match version == HEADER.version {
                true => Vec::new(),
                false => take_json(reader, "questions")?,
            },
            classes: match version == WITH_CLASSES.version {
                true => take_json(reader, "classes")?,
                false => Vec::new(),
            },
        })
    }
}

/// At least one item, in the one form of its JSON.
fn take_json<T: Serialize + DeserializeOwned>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<Vec<T>, DecodeError> {
    let bytes = reader.bytes(what, MAX_JSON_BYTES)?;
    let invalid = |why: String| DecodeError::invalid(what, why);
    let items: Vec<T> =
        serde_json::from_slice(bytes).map_err(|error| invalid(error.to_string()))?;
    let again = serde_json::to_vec(&items).map_err(|error| invalid(error.to_string()))?;
    match !items.is_empty() && again == bytes {
        true => Ok(items),
        false => Err(invalid("not in their one form".to_owned())),
    }
}

fn put_round(out: &mut Vec<u8>, round: &Round) {
    put_list(out, &round.standing, put_votes);
    round.exhausted.encode(out);
    round.majority.encode(out);
    match &round.outcome {
        Outcome::Elected { candidate } => out.extend([ELECTED, *candidate]),
        Outcome::Eliminated { candidate, tie, transfers, exhausted } => {
            out.extend([ELIMINATED, *candidate]);
            put_list(out, tie.as_slice(), |out, tie| {
                put_list(out, &tie.candidates, put_byte);
                // Rounds count from 1, which leaves 0 for the candidates' order.
                out.push(match tie.decided_by {
                    TieBreak::EarlierRound { round } => round,
                    TieBreak::CandidateOrder => 0,
                });
            });
            put_list(out, transfers, put_votes);
            exhausted.encode(out);
        }
        Outcome::NoVotes => out.push(NO_VOTES),
    }
}

fn take_round(reader: &mut Reader<'_>) -> Result<Round, DecodeError> {
    Ok(Round {
        standing: take_list(reader, "standing", MAX_CANDIDATES, take_votes)?,
        exhausted: reader.u64()?,
        majority: reader.u64()?,
        outcome: match reader.u8()? {
            ELECTED => Outcome::Elected { candidate: take_candidate(reader)? },
            ELIMINATED => Outcome::Eliminated {
                candidate: take_candidate(reader)?,
                tie: take_optional(reader, "tie", take_tie)?,
                transfers: take_list(reader, "transfers", MAX_CANDIDATES, take_votes)?,
                exhausted: reader.u64()?,
            },
            NO_VOTES => Outcome::NoVotes,
            other => return Err(DecodeError::invalid("outcome", format!("unknown code {other}"))),
        },
    })
}

fn take_tie(reader: &mut Reader<'_>) -> Result<Tie, DecodeError> {
    let candidates = take_candidates(reader)?;
    let decided_by = match reader.u8()? {
        0 => TieBreak::CandidateOrder,
        round => TieBreak::EarlierRound { round },
    };
    Ok(Tie { candidates, decided_by })
}

fn put_votes(out: &mut Vec<u8>, votes: &Votes) {
    out.push(votes.candidate);
    votes.ballots.encode(out);
}

fn take_votes(reader: &mut Reader<'_>) -> Result<Votes, DecodeError> {
    Ok(Votes { candidate: take_candidate(reader)?, ballots: reader.u64()? })
}

fn put_byte(out: &mut Vec<u8>, byte: &u8) {
    out.push(*byte);
}

fn take_candidate(reader: &mut Reader<'_>) -> Result<u8, DecodeError> {
    match reader.u8()? {
        index if usize::from(index) < MAX_CANDIDATES => Ok(index),
        index => Err(DecodeError::invalid("candidate", format!("{index} is out of range"))),
    }
}

fn take_candidates(reader: &mut Reader<'_>) -> Result<Vec<u8>, DecodeError> {
    take_list(reader, "candidates", MAX_CANDIDATES, take_candidate)
}

fn take_reason(reader: &mut Reader<'_>) -> Result<Spoiled, DecodeError> {
    let code = reader.u8()?;
    let reason = Spoiled::ALL.into_iter().find(|reason| reason.code() == code);
    reason.ok_or_else(|| DecodeError::invalid("spoiled", format!("unknown code {code}")))
}

/// Appends a list that [`take_list`] reads; every list of a tally is short.
fn put_list<T>(out: &mut Vec<u8>, list: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    u32::try_from(list.len()).unwrap_or(u32::MAX).encode(out);
    list.iter().for_each(|item| put(out, item));
}

fn take_list<T>(
    reader: &mut Reader<'_>,
    what: &'static str,
    limit: usize,
    take: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    (0..reader.count(what, limit)?).map(|_| take(reader)).collect()
}

fn take_optional<T>(
    reader: &mut Reader<'_>,
    what: &'static str,
    take: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Option<T>, DecodeError> {
    take_list(reader, what, 1, take).map(|mut list| list.pop())
}
