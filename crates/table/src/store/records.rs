//! What an epoch records besides its rows: the log of questions answered so far, and the change of
//! the operator's key. Records are fixed when the epoch closes.

use ::log::merkle::CompactRange;
use board::Identity;
use wire::{Decode as _, Encode as _, Reader};

use super::{Custodian, CustodyError, EpochState, Space, Store, Write, asked::Asked, state::state};
use crate::{
    AuxRecord, EpochHeader, Fault, Hash, PublicKey, Succession, Table,
    log::{
        Growth, LoggedRecords, LoggedRotation, Rotation, SignedCheckpoint, decode_records,
        encode_records, merkle,
    },
    questions::{DAY, NotedEpoch, Question, QuestionLog, QuestionProof},
};

pub(super) fn decode_stored(bytes: &[u8]) -> Result<Vec<AuxRecord>, CustodyError> {
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

    /// Records in the next epoch that another table continues this one.
    ///
    /// # Errors
    /// [`CustodyError::State`] if the next epoch is closed already; [`CustodyError::Fault`] for a table that does
    /// not name this one's log, or a second successor.
    pub fn succeed(&self, next: &Table) -> Result<u32, CustodyError> {
        let _writer = self.write();
        self.require_restored()?;
        let wrong = Fault::Mismatch { what: "the table that is continued" };
        let continued = next.genesis().continues.as_ref();
        let continued = continued.filter(|continued| continued.table == *self.table.id());
        let continued = continued.ok_or(wrong.clone())?;
        let digests = self.digests()?;
        let leaves: Vec<_> = digests.iter().map(Hash::as_bytes).collect();
        let then = leaves.get(..continued.epochs as usize).filter(|then| !then.is_empty());
        if then.is_none_or(|then| merkle::root(then) != continued.root) {
            return Err(wrong.into());
        }
        if self.successor()?.is_some() {
            return Err(Fault::Duplicate { what: "a successor of the table" }.into());
        }
        let epoch = self.next_epoch()?;
        match self.state(epoch)? {
            EpochState::Open => {}
            state => return Err(CustodyError::State { epoch, state }),
        }
        let mut records = self.records(epoch)?;
        records.push(AuxRecord::Successor(*next.id()));
        self.store.commit(vec![Self::put_records(epoch, &records)])?;
        Ok(epoch)
    }

    /// The epoch that records a successor, and its name.
    fn successor(&self) -> Result<Option<(u32, Hash)>, CustodyError> {
        for (place, bytes) in self.store.scan(Space::Records, &[])? {
            if let Some(next) = decode_stored(&bytes)?.iter().find_map(AuxRecord::successor) {
                let damaged = |_| CustodyError::Damaged("the epoch of a record");
                return Ok(Some((u32::from_be_bytes(place.try_into().map_err(damaged)?), next)));
            }
        }
        Ok(None)
    }

    /// Shows in a log that another table continues this one; `None` if the log does not record it.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn show_successor(
        &self,
        signed: &SignedCheckpoint,
        next: &Table,
    ) -> Result<Option<Succession>, CustodyError> {
        let (size, first) = (signed.checkpoint.size, self.table.genesis().first_epoch);
        let Some((epoch, name)) = self.successor()? else { return Ok(None) };
        let Some(continued) = next.genesis().continues.as_ref() else { return Ok(None) };
        if name != *next.id() || u64::from(epoch.saturating_sub(first)) >= size {
            return Ok(None);
        }
        let digests = self.digests()?;
        let leaves: Vec<_> = digests.iter().take(size as usize).map(Hash::as_bytes).collect();
        // More than there are is all that there are.
        let since = usize::try_from(continued.epochs).unwrap_or(usize::MAX).min(leaves.len());
        let records = self.records(epoch)?;
        let recorded = LoggedRecords { epoch: self.logged(epoch, size)?, records };
        Ok(Some(Succession { recorded, consistency: merkle::consistency(since, &leaves) }))
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
        // `since` is at most the size, as was seen above.
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

    /// Shows that a question, by its number from 0, is in the list of the first epoch of a log that records it;
    /// `None` if none does.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn show_question(
        &self,
        signed: &SignedCheckpoint,
        number: u64,
    ) -> Result<Option<QuestionProof>, CustodyError> {
        let (size, all) = (signed.checkpoint.size, self.questions()?);
        let Some(question) = all.get(number as usize) else { return Ok(None) };
        let noted = self.noted(size, &all)?;
        let Some(of) = noted.into_iter().find(|of| of.questions > number) else { return Ok(None) };
        let (epoch, count) = (self.logged(of.header.core.epoch, size)?, of.questions);
        let leaves: Vec<_> =
            all.iter().take(count as usize).map(|question| question.to_bytes()).collect();
        Ok(Some(QuestionProof {
            recorded: LoggedRecords { epoch, records: of.records },
            count,
            number,
            question: question.clone(),
            inclusion: merkle::inclusion(number as usize, &leaves),
        }))
    }

    /// Shows all questions that a log binds.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn show_questions(&self, signed: &SignedCheckpoint) -> Result<QuestionLog, CustodyError> {
        let mut questions = self.questions()?;
        let epochs = self.noted(signed.checkpoint.size, &questions)?;
        questions.truncate(epochs.last().map_or(0, |last| last.questions as usize));
        Ok(QuestionLog { epochs, questions })
    }

    /// Every epoch of a log, with the number of questions in its list: those that lead to its root.
    fn noted(&self, size: u64, all: &[Question]) -> Result<Vec<NotedEpoch>, CustodyError> {
        let first = self.table.genesis().first_epoch;
        let (mut list, mut next) = (CompactRange::new(), all.iter());
        let mut noted = Vec::new();
        for index in 0..size as u32 {
            let epoch = first.saturating_add(index);
            let (header, records) = (self.header(epoch)?, self.records(epoch)?);
            let root = records.iter().find_map(AuxRecord::questions);
            while root.is_some_and(|root| list.root() != root) {
                let question = next.next().ok_or(CustodyError::Damaged("the log of questions"))?;
                list.push(merkle::leaf_hash(&question.to_bytes()));
            }
            noted.push(NotedEpoch { header, records, questions: list.size() });
        }
        Ok(noted)
    }

    /// Closes an epoch: no more rows, and its records are fixed, the log of questions among them.
    pub(super) fn close(&self, epoch: u32) -> Result<(), CustodyError> {
        let _writer = self.write();
        if self.state(epoch)? != EpochState::Open {
            return Ok(());
        }
        let asked = self.store.scan(Space::Questions, &[])?;
        let asked: Vec<Vec<u8>> = asked.into_iter().map(|(_, bytes)| bytes).collect();
        let mut batch = vec![state(epoch, EpochState::Closing)];
        let questions = (!asked.is_empty()).then(|| AuxRecord::QueryLog(merkle::root(&asked)));
        let more: Vec<AuxRecord> = questions.into_iter().chain(self.erasures()?).collect();
        if !more.is_empty() {
            let mut records = self.records(epoch)?;
            records.extend(more);
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
