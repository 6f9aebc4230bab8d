//! Batches of rows whose sender may not get an answer and sends them again: accepted once, with the
//! same receipts each time.

use board::Identity;
use rand_core::CryptoRng;
use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use super::{Custodian, CustodyError, Space, Store, Write};
use crate::{Hash, Row, UserKeys, log::Receipt};

const BATCH: &str = "subrosa/table/batch";

/// What the operator's receipts for a row promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Epochs in the log when the row was accepted, which says by which key the receipt is signed.
    pub log_size: u64,
    /// When the epoch will be in the log, in seconds since 1970.
    pub deadline: u64,
}

impl Encode for Promise {
    fn encode(&self, out: &mut Vec<u8>) {
        self.log_size.encode(out);
        self.deadline.encode(out);
    }
}

impl Decode for Promise {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { log_size: reader.u64()?, deadline: reader.u64()? })
    }
}

/// A batch that its sender names.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The name: the same for the same rows only.
    pub name: &'a [u8],
    /// Their epoch.
    pub epoch: u32,
    /// The rows.
    pub rows: &'a [Row],
    /// The deadline to promise for rows that are new.
    pub deadline: u64,
}

impl Batch<'_> {
    fn hash(&self) -> Hash {
        let mut bytes = Vec::new();
        self.epoch.encode(&mut bytes);
        for row in self.rows {
            put_bytes(&mut bytes, &row.user);
            put_bytes(&mut bytes, &row.key);
            row.values.iter().for_each(|value| value.encode(&mut bytes));
        }
        Hash::of(BATCH, &bytes)
    }
}

/// What is stored of a batch under its name.
struct Known {
    hash: Hash,
    /// Its epoch and deadline; not there in stores of before they were kept.
    until: Option<(u32, u64)>,
}

impl Encode for Known {
    fn encode(&self, out: &mut Vec<u8>) {
        self.hash.encode(out);
        if let Some((epoch, deadline)) = self.until {
            epoch.encode(out);
            deadline.encode(out);
        }
    }
}

impl Decode for Known {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let hash = Hash::decode(reader)?;
        let until = match reader.remaining() {
            0 => None,
            _ => Some((reader.u32()?, reader.u64()?)),
        };
        Ok(Self { hash, until })
    }
}

/// Whether a stored batch is of one of these epochs, or does not say of which.
pub(super) fn is_of_epochs(
    stored: &[u8],
    epochs: &std::collections::BTreeSet<u32>,
) -> Result<bool, CustodyError> {
    Ok(Known::from_bytes(stored)?.until.is_none_or(|(epoch, _)| epochs.contains(&epoch)))
}

/// A row's keys, and what was promised about it.
pub type Accepted = (UserKeys, Promise);

impl<S: Store> Custodian<S> {
    /// Takes a batch in, all or none. When it returns, rows and promises are stored for good and
    /// receipts may be signed. A batch that was accepted before gets the same promises, also when
    /// its epoch is closed.
    ///
    /// # Errors
    /// [`CustodyError::Reused`], and as [`Custodian::ingest`].
    pub fn accept(
        &self,
        batch: &Batch<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<Accepted>, CustodyError> {
        let _writer = self.write();
        let hash = batch.hash();
        match self.store.get(Space::Batches, batch.name)? {
            Some(known) if Known::from_bytes(&known)?.hash == hash => return self.accepted(batch),
            Some(_) => return Err(CustodyError::Reused),
            None => {}
        }
        let (mut writes, keys) = self.prepare(batch.epoch, batch.rows, rng)?;
        let promises = self.promise_all((batch.epoch, batch.deadline), batch.rows, &mut writes)?;
        let known = Known { hash, until: Some((batch.epoch, batch.deadline)) };
        writes.push((Space::Batches, batch.name.to_vec(), Some(known.to_bytes())));
        self.store.commit(writes)?;
        Ok(keys.into_iter().zip(promises).collect())
    }

    /// Forgets the names of batches whose epoch is in the log and whose deadline was `keep` seconds
    /// before `now`, or earlier, so that names do not pile up; how many. Such a batch, sent again, is
    /// refused as one for a closed epoch. Rows and promises stay.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn forget_batches(&self, now: u64, keep: u64) -> Result<usize, CustodyError> {
        let _writer = self.write();
        let next = self.next_epoch()?;
        let mut writes = Vec::new();
        let mut forgotten = 0;
        for (name, bytes) in self.store.scan(Space::Batches, &[])? {
            let known = Known::from_bytes(&bytes)?;
            match known.until {
                Some((epoch, deadline)) if epoch < next && deadline.saturating_add(keep) <= now => {
                    forgotten += 1;
                    writes.push((Space::Batches, name, None));
                }
                Some(_) => {}
                // Of an older store: its time starts now.
                None => {
                    let known = Known { until: Some((next, now)), ..known };
                    writes.push((Space::Batches, name, Some(known.to_bytes())));
                }
            }
        }
        self.store.commit(writes)?;
        Ok(forgotten)
    }

    /// Promises that rows will be in the log, unless that was promised before.
    pub(super) fn promise_all(
        &self,
        (epoch, deadline): (u32, u64),
        rows: &[Row],
        writes: &mut Vec<Write>,
    ) -> Result<Vec<Promise>, CustodyError> {
        let log_size = self.digests()?.len() as u64;
        let mut promises = Vec::with_capacity(rows.len());
        for row in rows {
            let promise = match self.promise(epoch, &row.user)? {
                Some(promise) => promise,
                None => {
                    let promise = Promise { log_size, deadline };
                    let place = self.place(Space::Promises, epoch, &row.user);
                    writes.push((Space::Promises, place, Some(promise.to_bytes())));
                    promise
                }
            };
            promises.push(promise);
        }
        Ok(promises)
    }

    /// What a batch that is stored was answered with.
    fn accepted(&self, batch: &Batch<'_>) -> Result<Vec<Accepted>, CustodyError> {
        let of = |row: &Row| {
            let keys = self.user_keys(batch.epoch, &row.user)?;
            let promise = self.promise(batch.epoch, &row.user)?;
            keys.zip(promise).ok_or(CustodyError::Damaged("a row of a batch has no keys"))
        };
        batch.rows.iter().map(of).collect()
    }

    /// Rows that were accepted before, with the same promises, also when their epoch is closed; `None` if one is not
    /// there, is another, or nothing was promised about it.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn accepted_before(
        &self,
        epoch: u32,
        rows: &[Row],
    ) -> Result<Option<Vec<Accepted>>, CustodyError> {
        let mut accepted = Vec::with_capacity(rows.len());
        for row in rows {
            if self.row(epoch, &row.user)?.as_ref() != Some(row) {
                return Ok(None);
            }
            let keys = self.user_keys(epoch, &row.user)?;
            match keys.zip(self.promise(epoch, &row.user)?) {
                Some(known) => accepted.push(known),
                None => return Ok(None),
            }
        }
        Ok(Some(accepted))
    }

    /// The receipts for a row that is stored, as they were promised: the same bytes each time.
    ///
    /// # Errors
    /// [`CustodyError::RolledBack`]; [`CustodyError::Fault`] for a key that was not the operator's at the
    /// time.
    pub fn promised_receipts(
        &self,
        operator: &Identity,
        epoch: u32,
        (row, (keys, promise)): (&Row, &Accepted),
    ) -> Result<Vec<Receipt>, CustodyError> {
        self.require_caught_up()?;
        let Promise { log_size, deadline } = *promise;
        let sign = |column| {
            let place = (epoch, column);
            let receipt =
                Receipt::sign(operator, &self.table, place, (row, keys), (log_size, deadline))?;
            receipt.verify(&self.table)?;
            Ok(receipt)
        };
        self.table.schema().ordered().map(sign).collect()
    }

    /// What was promised about a user's row, if it came in a batch with a name.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn promise(&self, epoch: u32, user: &[u8]) -> Result<Option<Promise>, CustodyError> {
        let stored = self.store.get(Space::Promises, &self.place(Space::Promises, epoch, user))?;
        stored.map(|bytes| Ok(Promise::from_bytes(&bytes)?)).transpose()
    }

    /// A user's row in an epoch.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn row(&self, epoch: u32, user: &[u8]) -> Result<Option<Row>, CustodyError> {
        let key = self.place(Space::Rows, epoch, user);
        let stored = self.store.get(Space::Rows, &key)?;
        stored.map(|sealed| self.open_row(&key, &sealed)).transpose()
    }
}
