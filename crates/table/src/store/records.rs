//! What an epoch records besides its rows: the log of questions answered so far, and the change of
//! the operator's key. Records are fixed when the epoch closes.

use board::Identity;
use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use super::{Custodian, CustodyError, EpochState, Space, Store, Write};
use crate::{
    AuxRecord, EpochHeader, Fault, Hash, PublicKey,
    log::{Growth, LoggedRotation, Rotation, decode_records, encode_records, merkle},
};

/// Bytes of the name of who asked.
pub const MAX_ASKER: usize = 1 << 8;
/// Bytes of a question; more than any that is answered.
const MAX_QUESTION: usize = 1 << 16;
/// Bytes of the code of a refusal.
const MAX_CODE: usize = 1 << 6;
const DAY: u64 = 86_400;

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

/// What is known of the questions answered, without reading all of them again.
pub(super) struct Asked {
    count: u64,
    /// When the last day's answers were given, how many at once, and to whom.
    recent: Vec<(u64, u64, Option<String>)>,
}

impl Asked {
    fn read(questions: &[Question]) -> Self {
        let given = questions.iter().filter(|asked| asked.answers > 0);
        let recent = |asked: &Question| (asked.time, asked.answers.into(), asked.asker.clone());
        Self { count: questions.len() as u64, recent: given.map(recent).collect() }
    }

    /// Answers of the last day, to one who asked, or to everybody.
    fn given(&self, to: Option<&Option<String>>) -> u64 {
        let counted = self.recent.iter().filter(|(_, _, asker)| to.is_none_or(|to| to == asker));
        counted.map(|(_, answers, _)| answers).sum()
    }
}

fn decode_stored(bytes: &[u8]) -> Result<Vec<AuxRecord>, CustodyError> {
    let mut reader = Reader::new(bytes);
    let records = decode_records(&mut reader)?;
    reader.finish()?;
    Ok(records)
}

impl<S: Store> Custodian<S> {
    /// What an epoch records: so far, while it is open.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn records(&self, epoch: u32) -> Result<Vec<AuxRecord>, CustodyError> {
        let stored = self.store.get(Space::Records, &epoch.to_be_bytes())?;
        stored.map_or_else(|| Ok(Vec::new()), |bytes| decode_stored(&bytes))
    }

    fn put_records(epoch: u32, records: &[AuxRecord]) -> Write {
        let mut bytes = Vec::new();
        encode_records(records, &mut bytes);
        (Space::Records, epoch.to_be_bytes().to_vec(), Some(bytes))
    }

    /// Records a change of the operator's key in the next epoch, which the old key still seals. When
    /// it returns it is stored for good: keep the new key safe before.
    ///
    /// # Errors
    /// [`CustodyError::State`] if the next epoch is closed already, [`CustodyError::Fault`] if the
    /// old key is not the operator's or is being replaced already.
    pub fn rotate(&mut self, old: &Identity, new: &Identity) -> Result<Rotation, CustodyError> {
        self.require_restored()?;
        let epoch = self.next_epoch()?;
        match self.state(epoch)? {
            EpochState::Open => {}
            state => return Err(CustodyError::State { epoch, state }),
        }
        let rotation = Rotation::sign(&self.table, epoch, old, new);
        let mut table = self.table.clone();
        table.rotate(&rotation)?;
        let mut records = self.records(epoch)?;
        records.push(AuxRecord::Rotation(rotation.clone()));
        self.store.commit(vec![Self::put_records(epoch, &records)])?;
        self.table = table;
        Ok(rotation)
    }

    /// Lets the table know every change of the operator's key that is stored.
    pub(super) fn know_rotations(&mut self) -> Result<(), CustodyError> {
        for (_, bytes) in self.store.scan(Space::Records, &[])? {
            for rotation in decode_stored(&bytes)?.iter().filter_map(AuxRecord::rotation) {
                self.table.rotate(rotation)?;
            }
        }
        Ok(())
    }

    /// The changes of the operator's key that a log of `size` epochs records.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn rotations(&self, size: u64) -> Result<Vec<LoggedRotation>, CustodyError> {
        let first = self.table.genesis().first_epoch;
        let rotations = self.table.rotations().iter().map(|rotation| rotation.epoch);
        let logged = rotations.filter(|epoch| u64::from(epoch.saturating_sub(first)) < size);
        let show = |epoch| {
            Ok(LoggedRotation { epoch: self.logged(epoch, size)?, records: self.records(epoch)? })
        };
        logged.map(show).collect()
    }

    /// Shows witnesses that the newest log continues the one of `since` epochs.
    ///
    /// # Errors
    /// [`CustodyError::Damaged`] for an empty log, [`CustodyError::Fault`] for a log that is not
    /// that long.
    pub fn growth(&self, since: u64) -> Result<Growth, CustodyError> {
        let digests = self.digests()?;
        let size = digests.len() as u64;
        if since > size {
            return Err(Fault::Bounds { what: "the size to start from" }.into());
        }
        let leaves: Vec<_> = digests.iter().map(Hash::as_bytes).collect();
        // What a reader of the genesis learns from the rotations, and nothing that is pending.
        let mut table = crate::Table::new(self.table.genesis().clone()).map_err(Fault::from)?;
        let (rotations, signed) = (self.rotations(size)?, self.checkpoint(size)?);
        rotations.iter().try_for_each(|known| known.apply(&mut table, &signed.checkpoint))?;
        let consistency = merkle::consistency(since as usize, &leaves);
        let since_root = merkle::root(leaves.get(..since as usize).unwrap_or_default());
        Ok(Growth { table, rotations, since, since_root, signed, consistency })
    }

    /// Notes a question before its answers are shown to anybody, or that it was refused.
    ///
    /// # Errors
    /// [`CustodyError::Budget`] if the policy's budget of the day does not have so many answers left.
    pub fn note_question(&self, question: &Question) -> Result<(), CustodyError> {
        let mut writer = self.write();
        let wanted = (&question.asker, question.answers.into());
        let asked = self.budget(&mut writer, question.time, wanted)?;
        let place = asked.count.to_be_bytes().to_vec();
        let noted = self.store.commit(vec![(Space::Questions, place, Some(question.to_bytes()))]);
        if let Err(error) = noted {
            // It may be there nevertheless: the next one must not take its place.
            *writer = None;
            return Err(error.into());
        }
        asked.count += 1;
        // Where there is no budget, nobody counts.
        let policy = &self.table.schema().policy;
        let counts = policy.max_queries_per_day.or(policy.max_queries_per_asker).is_some();
        if counts && question.answers > 0 {
            let answers = question.answers.into();
            asked.recent.push((question.time, answers, question.asker.clone()));
        }
        Ok(())
    }

    /// Whether so many answers may be given to somebody now, so that nobody proves what cannot be shown.
    ///
    /// # Errors
    /// As [`Custodian::note_question`].
    pub fn check_budget(
        &self,
        time: u64,
        (asker, answers): (&Option<String>, u64),
    ) -> Result<(), CustodyError> {
        self.budget(&mut self.write(), time, (asker, answers)).map(|_| ())
    }

    fn budget<'a>(
        &self,
        asked: &'a mut Option<Asked>,
        now: u64,
        (asker, answers): (&Option<String>, u64),
    ) -> Result<&'a mut Asked, CustodyError> {
        let known = match asked.take() {
            Some(known) => known,
            None => Asked::read(&self.questions()?),
        };
        let known = asked.insert(known);
        known.recent.retain(|(time, ..)| time.saturating_add(DAY) > now);
        let policy = &self.table.schema().policy;
        let budgets =
            [(policy.max_queries_per_day, None), (policy.max_queries_per_asker, Some(asker))];
        for (budget, to) in budgets {
            let Some(budget) = budget else { continue };
            let left = u64::from(budget).saturating_sub(known.given(to));
            if answers > left {
                let whose = if to.is_some() { "each who asks" } else { "all together" };
                return Err(CustodyError::Budget { budget, whose, left });
            }
        }
        Ok(known)
    }

    /// At most `count` questions, from the one with a number on.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn questions_from(&self, from: u64, count: u64) -> Result<Vec<Question>, CustodyError> {
        let get = |number: u64| self.store.get(Space::Questions, &number.to_be_bytes());
        let stored = (from..from.saturating_add(count)).map(get);
        let mut questions = Vec::new();
        for bytes in stored {
            let Some(bytes) = bytes? else { break };
            questions.push(Question::from_bytes(&bytes)?);
        }
        Ok(questions)
    }

    /// The questions answered so far, from the first.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn questions(&self) -> Result<Vec<Question>, CustodyError> {
        let stored = self.store.scan(Space::Questions, &[])?;
        stored.iter().map(|(_, bytes)| Ok(Question::from_bytes(bytes)?)).collect()
    }

    /// Closes an epoch: no more rows, and its records are fixed, the log of questions among them.
    pub(super) fn close(&self, epoch: u32) -> Result<(), CustodyError> {
        let _writer = self.write();
        if self.state(epoch)? != EpochState::Open {
            return Ok(());
        }
        let asked = self.store.scan(Space::Questions, &[])?;
        let asked: Vec<Vec<u8>> = asked.into_iter().map(|(_, bytes)| bytes).collect();
        let mut batch = vec![super::custodian::state(epoch, EpochState::Closing)];
        if !asked.is_empty() {
            let mut records = self.records(epoch)?;
            records.push(AuxRecord::QueryLog(merkle::root(&asked)));
            batch.push(Self::put_records(epoch, &records));
        }
        Ok(self.store.commit(batch)?)
    }

    /// The first epoch that is not in the log.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn next_epoch(&self) -> Result<u32, CustodyError> {
        let logged = self.digests()?.len() as u32;
        Ok(self.table.genesis().first_epoch.saturating_add(logged))
    }

    /// The size of the newest log that may be shown: the one that a quorum has seen, where the
    /// table has witnesses.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn served_size(&self) -> Result<u64, CustodyError> {
        let first = self.table.genesis().first_epoch;
        for epoch in (first..self.next_epoch()?).rev() {
            if self.state(epoch)? == EpochState::Witnessed {
                return Ok(u64::from(epoch - first) + 1);
            }
        }
        Ok(0)
    }

    /// The key that seals an epoch.
    pub fn sealing_key(&self, epoch: u32) -> PublicKey {
        let index = epoch.saturating_sub(self.table.genesis().first_epoch);
        self.table.operator(u64::from(index) + 1)
    }

    /// An epoch's header, if it has been built.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn built_header(&self, epoch: u32) -> Result<Option<EpochHeader>, CustodyError> {
        match self.state(epoch)? {
            EpochState::Open | EpochState::Closing => Ok(None),
            _ => self.header(epoch).map(Some),
        }
    }
}
