//! Questions that were noted, and what can be shown of them: that one is in the list that an epoch records, and
//! from the whole list that the policy's budgets were kept (`docs/spec/table.md`).

use std::collections::BTreeMap;

use ::log::merkle::CompactRange;
use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use crate::{
    AuxRecord, EpochHeader, Fault, Hash, Policy, Table,
    log::{Checkpoint, LoggedRecords, check_records, decode_records, encode_records, merkle, only},
};

/// Bytes of the name of who asked.
pub const MAX_ASKER: usize = 1 << 8;
/// Bytes of a question; more than any that is answered.
const MAX_QUESTION: usize = 1 << 16;
/// Bytes of the code of a refusal.
const MAX_CODE: usize = 1 << 6;
/// Epochs and questions of a whole list.
const MAX_EPOCHS: usize = 1 << 20;
const MAX_QUESTIONS: usize = 1 << 22;
/// Seconds over which budgets count.
pub(crate) const DAY: u64 = 86_400;

/// A question that was answered, or that the policy refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// When, in seconds since 1970, by the operator's clock.
    pub time: u64,
    /// In SQL.
    pub text: String,
    /// Who asked, by a name of [`MAX_ASKER`] bytes at most; `None` for whoever has the folder.
    pub asker: Option<String>,
    /// Answers that were given, each with a proof of its own: of every group, one or more.
    pub answers: u32,
    /// Why it was refused, by the code of the rule.
    pub refused: Option<String>,
}

impl Question {
    /// What stands in the log of questions without its numbers, as before they were noted.
    fn is_plain(&self) -> bool {
        self.answers == 1 && self.refused.is_none()
    }
}

impl Encode for Question {
    fn encode(&self, out: &mut Vec<u8>) {
        self.time.encode(out);
        put_bytes(out, self.text.as_bytes());
        if self.is_plain() && self.asker.is_none() {
            return;
        }
        // Here and below: no name and no code is empty, and an empty text is read as none.
        put_bytes(out, self.asker.as_deref().unwrap_or_default().as_bytes());
        if !self.is_plain() {
            self.answers.encode(out);
            put_bytes(out, self.refused.as_deref().unwrap_or_default().as_bytes());
        }
    }
}

impl Decode for Question {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let time = reader.u64()?;
        let text = reader.text("question", MAX_QUESTION)?.to_owned();
        // Nothing follows in the log's entries.
        if reader.remaining() == 0 {
            return Ok(Self { time, text, asker: None, answers: 1, refused: None });
        }
        let asker = Some(reader.text("asker", MAX_ASKER)?.to_owned());
        if reader.remaining() == 0 {
            return Ok(Self { time, text, asker, answers: 1, refused: None });
        }
        let (answers, refused) = (reader.u32()?, reader.text("refusal", MAX_CODE)?.to_owned());
        let full = |name: &String| !name.is_empty();
        let (asker, refused) = (asker.filter(full), Some(refused).filter(full));
        let question = Self { time, text, asker, answers, refused };
        match question.is_plain() {
            true => {
                Err(DecodeError::invalid("question", "its number of answers has another spelling"))
            }
            false => Ok(question),
        }
    }
}

/// A question is in the list that an epoch records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionProof {
    /// The epoch.
    pub recorded: LoggedRecords,
    /// Questions in its list.
    pub count: u64,
    /// The question's place in it, from 0.
    pub number: u64,
    /// The question.
    pub question: Question,
    /// Siblings in the list's tree, from the bottom.
    pub inclusion: Vec<Hash>,
}

impl QuestionProof {
    /// Checks that the list which the log binds has the question, with its time, its asker and its answers. How
    /// many others there are, and at which place it stands, is not shown.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify(&self, table: &Table, checkpoint: &Checkpoint) -> Result<(), Fault> {
        self.recorded.verify(table, checkpoint)?;
        let root = only("lists of questions", &self.recorded.records, AuxRecord::questions)?;
        let leaf = merkle::leaf_hash(&self.question.to_bytes());
        let led = merkle::root_from_inclusion(self.number, self.count, &leaf, &self.inclusion)?;
        match led == root {
            true => Ok(()),
            false => Err(Fault::Mismatch { what: "the list of questions" }),
        }
    }
}

impl Encode for QuestionProof {
    fn encode(&self, out: &mut Vec<u8>) {
        self.recorded.encode(out);
        self.count.encode(out);
        self.number.encode(out);
        put_bytes(out, &self.question.to_bytes());
        merkle::encode_proof(&self.inclusion, out);
    }
}

impl Decode for QuestionProof {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            recorded: LoggedRecords::decode(reader)?,
            count: reader.u64()?,
            number: reader.u64()?,
            question: decode_entry(reader)?,
            inclusion: merkle::decode_proof(reader)?,
        })
    }
}

fn decode_entry(reader: &mut Reader<'_>) -> Result<Question, DecodeError> {
    const MAX_ENTRY: usize = MAX_QUESTION + MAX_ASKER + MAX_CODE + 24;
    Question::from_bytes(reader.bytes("question", MAX_ENTRY)?)
}

/// An epoch of a log, and how many questions its list has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedEpoch {
    /// The epoch.
    pub header: EpochHeader,
    /// All its records.
    pub records: Vec<AuxRecord>,
    /// Questions noted until it closed.
    pub questions: u64,
}

/// All questions that a log binds, with every epoch of it: nothing can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionLog {
    /// The epochs, from the first.
    pub epochs: Vec<NotedEpoch>,
    /// The questions, from the first.
    pub questions: Vec<Question>,
}

impl QuestionLog {
    /// Checks that these are all questions which the checkpoint's log binds, that no epoch's list took one back,
    /// and that the budgets of the table's policy were kept, by the times that the list names.
    ///
    /// # Errors
    /// [`Fault`]; [`Fault::Bounds`] for a budget that was exceeded.
    pub fn verify(&self, table: &Table, checkpoint: &Checkpoint) -> Result<(), Fault> {
        let (mut log, mut list) = (CompactRange::new(), CompactRange::new());
        let mut questions = self.questions.iter();
        for (index, noted) in (0_u64..).zip(&self.epochs) {
            let NotedEpoch { header, records, questions: count } = noted;
            if u64::from(header.core.epoch) != u64::from(table.genesis().first_epoch) + index {
                return Err(Fault::Bounds { what: "the epoch" });
            }
            log.push(merkle::leaf_hash(header.digest(table.id()).as_bytes()));
            check_records(header, records)?;
            if *count < list.size() {
                return Err(Fault::Bounds { what: "the questions of an epoch" });
            }
            while list.size() < *count {
                let missing = Fault::Bounds { what: "the questions of an epoch" };
                list.push(merkle::leaf_hash(&questions.next().ok_or(missing)?.to_bytes()));
            }
            let recorded = match list.size() {
                // Before the first question nothing is recorded.
                0 if !records.iter().any(|record| record.questions().is_some()) => continue,
                _ => only("lists of questions", records, AuxRecord::questions)?,
            };
            if recorded != list.root() {
                return Err(Fault::Mismatch { what: "the list of questions" });
            }
        }
        if log.size() != checkpoint.size || log.root() != checkpoint.root {
            return Err(Fault::Mismatch { what: "the epochs of the log" });
        }
        match questions.next() {
            None => within_budgets(&table.schema().policy, &self.questions),
            Some(_) => Err(Fault::Bounds { what: "questions that no epoch records" }),
        }
    }

    /// Answers that were given.
    pub fn answers(&self) -> u64 {
        self.questions.iter().map(|question| u64::from(question.answers)).sum()
    }

    /// Questions that were refused.
    pub fn refused(&self) -> u64 {
        self.questions.iter().filter(|question| question.refused.is_some()).count() as u64
    }
}

impl Encode for QuestionLog {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.epochs.len() as u32).encode(out);
        for noted in &self.epochs {
            noted.header.encode(out);
            encode_records(&noted.records, out);
            noted.questions.encode(out);
        }
        (self.questions.len() as u32).encode(out);
        self.questions.iter().for_each(|question| put_bytes(out, &question.to_bytes()));
    }
}

impl Decode for QuestionLog {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let epochs = reader.count("epochs", MAX_EPOCHS)?;
        let noted = |_| {
            Ok(NotedEpoch {
                header: EpochHeader::decode(reader)?,
                records: decode_records(reader)?,
                questions: reader.u64()?,
            })
        };
        let epochs = (0..epochs).map(noted).collect::<Result<_, DecodeError>>()?;
        let questions = reader.count("questions", MAX_QUESTIONS)?;
        let questions = (0..questions).map(|_| decode_entry(reader));
        Ok(Self { epochs, questions: questions.collect::<Result<_, _>>()? })
    }
}

/// Whether in no 24 hours more answers were given than a policy's budgets allow.
fn within_budgets(policy: &Policy, questions: &[Question]) -> Result<(), Fault> {
    let exceeded = Fault::Bounds { what: "the answers of a day" };
    if let Some(budget) = policy.max_queries_per_day
        && most_in_a_day(questions.iter()) > u64::from(budget)
    {
        return Err(exceeded);
    }
    if let Some(budget) = policy.max_queries_per_asker {
        let mut askers: BTreeMap<&Option<String>, Vec<&Question>> = BTreeMap::new();
        for question in questions {
            askers.entry(&question.asker).or_default().push(question);
        }
        if askers.into_values().any(|of| most_in_a_day(of.into_iter()) > u64::from(budget)) {
            return Err(exceeded);
        }
    }
    Ok(())
}

/// The most answers within a day. An operator that counts all answers of the day before, whenever it gives one,
/// keeps to it also if its clock is set back.
fn most_in_a_day<'a>(questions: impl Iterator<Item = &'a Question>) -> u64 {
    let given = questions.map(|question| (question.time, u64::from(question.answers)));
    let mut given: Vec<(u64, u64)> = given.collect();
    given.sort_unstable();
    let (mut most, mut within) = (0_u64, 0_u64);
    let mut oldest = given.iter().peekable();
    for (time, answers) in &given {
        within += answers;
        while let Some((_, gone)) = oldest.next_if(|(then, _)| then.saturating_add(DAY) <= *time) {
            within -= gone;
        }
        most = most.max(within);
    }
    most
}
