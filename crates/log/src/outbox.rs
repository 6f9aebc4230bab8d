//! What a party signed, stored before it is sent: one entry for every slot, for ever. No files, no
//! sockets: the store is a trait.
//!
//! A party that was killed sends the stored bytes again, as soon as its next run has begun. It signs nothing else in
//! that slot, whatever it would compute now. A party whose state was lost, or was restored from an older copy, does not
//! know what it signed, and can take no further part. To notice this, a party begins every run with an entry of its own
//! in the log ([`Outbox::begin`]). When this entry is in the log, everything that the party handed in before is there,
//! too. If its log has an entry that its outbox does not have, it signs nothing any more ([`OutboxError::Restored`]).
//!
//! This rests on two assumptions. First, bytes that did not reach the keeper are not delivered after the process and
//! its connections have ended. Second, the keeper appends entries in the order of its promises. A keeper that holds
//! back an entry of a restored party can make it sign a slot twice.

use std::collections::BTreeMap;

use thiserror::Error;
use wire::Digest;

use crate::{AuthorId, EntryError, Header, Identity, Leaf, Origin};

/// The kind of the entry with which a party begins a run; its subject is drawn for that.
pub const RUN: &str = "party/run";

/// Where a party keeps what it signed. Every step is for good when it returns.
pub trait OutboxStore {
    /// Why the store does not answer.
    type Error;

    /// Everything that was ever put, in that order.
    ///
    /// # Errors
    /// Those of the store.
    fn headers(&self) -> Result<Vec<Header>, Self::Error>;

    /// The payload that was put with a header.
    ///
    /// # Errors
    /// Those of the store.
    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, Self::Error>;

    /// Keeps an entry.
    ///
    /// # Errors
    /// Those of the store; then the entry is not sent.
    fn put(&mut self, header: &Header, payload: &[u8]) -> Result<(), Self::Error>;
}

/// Why a party does not speak.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OutboxError<E> {
    /// The store does not answer.
    #[error("what was signed cannot be stored: {0}")]
    Store(E),
    /// An entry cannot be made, or what is stored is not this party's for this log.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The store fails while something is signed: open it again.
    #[error("the store failed while something was signed: open the outbox again")]
    Unsettled,
    /// The log has what the outbox does not have.
    #[error(
        "this party signed entry {index} of the log, but its outbox does not have it: its state \
         was lost or restored from an older copy, so it must not sign any more"
    )]
    Restored {
        /// Its place.
        index: u64,
    },
    /// Two entries in one slot.
    #[error("the outbox has two entries of the kind {kind} in one slot")]
    Twice {
        /// Their kind.
        kind: String,
    },
    /// The run has not begun: its first entry is not in the log that was seen.
    #[error("the run has not begun: submit its first entry, and read the log until it is there")]
    NotBegun,
    /// The outbox has no such entry.
    #[error("the payload of a stored entry is missing")]
    Missing,
}

type Slot = (String, Vec<u8>);

/// What a party signed for a log.
pub struct Outbox<S> {
    store: S,
    author: AuthorId,
    log: Origin,
    slots: BTreeMap<Slot, Header>,
    /// The entry that began this run.
    opening: Option<Digest>,
    /// Whether it is in the log that was seen.
    begun: bool,
    /// Leaves of the log that were compared.
    seen: u64,
    /// The place of an entry that the outbox does not have.
    restored: Option<u64>,
    unsettled: bool,
}

impl<S: OutboxStore> Outbox<S> {
    /// Opens what this party signed for this log.
    ///
    /// # Errors
    /// [`OutboxError::Store`], [`OutboxError::Entry`], [`OutboxError::Twice`].
    pub fn open(store: S, author: AuthorId, log: Origin) -> Result<Self, OutboxError<S::Error>> {
        let mut slots = BTreeMap::new();
        for header in store.headers().map_err(OutboxError::Store)? {
            header.verify(&log)?;
            if header.author() != author {
                return Err(EntryError::Signature { author }.into());
            }
            let kind = header.kind().to_owned();
            if slots.insert(slot(&header), header).is_some() {
                return Err(OutboxError::Twice { kind });
            }
        }
        Ok(Self {
            store,
            author,
            log,
            slots,
            opening: None,
            begun: false,
            seen: 0,
            restored: None,
            unsettled: false,
        })
    }

    /// The entry with which this run begins, for [`crate::LogAccess::submit`]: its subject is 16 bytes of
    /// the system's generator, so that no other run has its slot, not even one of a restored copy.
    ///
    /// # Errors
    /// [`OutboxError`].
    pub fn begin(
        &mut self,
        identity: &Identity,
        run: [u8; 16],
        time: u64,
    ) -> Result<Header, OutboxError<S::Error>> {
        let header = self.put(identity, (RUN, &run), time, &[])?;
        self.opening = Some(header.digest());
        Ok(header)
    }

    /// Compares with leaves of the log, from a place that does not leave out any. When the run's first
    /// entry is among those that were compared, everything is that was handed in before.
    ///
    /// # Errors
    /// [`OutboxError::Restored`].
    pub fn compare(&mut self, from: u64, leaves: &[Leaf]) -> Result<(), OutboxError<S::Error>> {
        for (index, leaf) in (from..).zip(leaves) {
            if index != self.seen {
                continue;
            }
            self.seen += 1;
            let header = &leaf.header;
            if header.author() != self.author {
                continue;
            }
            if self.slots.get(&slot(header)) != Some(header) {
                self.restored.get_or_insert(index);
            }
            self.begun |= self.opening == Some(header.digest());
        }
        self.restored.map_or(Ok(()), |index| Err(OutboxError::Restored { index }))
    }

    /// Leaves of the log that were compared.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// What fills a slot, if anything does.
    pub fn filled(&self, kind: &str, subject: &[u8]) -> Option<&Header> {
        self.slots.get(&(kind.to_owned(), subject.to_vec()))
    }

    /// Fills a slot: signs and stores. If it is filled the stored entry is the answer, whatever the
    /// payload would be now; its payload is that of [`Outbox::payload`].
    ///
    /// # Errors
    /// [`OutboxError`]; [`OutboxError::NotBegun`] until the run has begun.
    pub fn fill(
        &mut self,
        identity: &Identity,
        (kind, subject): (&str, &[u8]),
        time: u64,
        payload: &[u8],
    ) -> Result<Header, OutboxError<S::Error>> {
        if let Some(index) = self.restored {
            return Err(OutboxError::Restored { index });
        }
        // What is stored is not sent before that, either: another copy of this outbox may have filled the slot.
        if !self.begun {
            return Err(OutboxError::NotBegun);
        }
        match self.filled(kind, subject) {
            Some(header) => Ok(header.clone()),
            None => self.put(identity, (kind, subject), time, payload),
        }
    }

    /// The stored payload of an entry.
    ///
    /// # Errors
    /// [`OutboxError::Store`], [`OutboxError::Missing`].
    pub fn payload(&self, header: &Header) -> Result<Vec<u8>, OutboxError<S::Error>> {
        let payload = self.store.payload(header).map_err(OutboxError::Store)?;
        let payload = payload.ok_or(OutboxError::Missing)?;
        header.verify_payload(&payload)?;
        Ok(payload)
    }

    /// Everything that was signed, by kind and subject.
    pub fn entries(&self) -> impl Iterator<Item = &Header> {
        self.slots.values()
    }

    /// Signs, and stores before anybody sees it.
    fn put(
        &mut self,
        identity: &Identity,
        name: (&str, &[u8]),
        time: u64,
        payload: &[u8],
    ) -> Result<Header, OutboxError<S::Error>> {
        if self.unsettled {
            return Err(OutboxError::Unsettled);
        }
        let header = Header::sign(identity, &self.log, name, time, payload)?;
        if header.author() != self.author {
            return Err(EntryError::Signature { author: self.author }.into());
        }
        // What fails may have been kept: only the store knows, when it is opened again.
        self.unsettled = true;
        self.store.put(&header, payload).map_err(OutboxError::Store)?;
        self.unsettled = false;
        self.slots.insert(slot(&header), header.clone());
        Ok(header)
    }
}

fn slot(header: &Header) -> Slot {
    (header.kind().to_owned(), header.subject().to_vec())
}
