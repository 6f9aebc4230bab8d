//! What the leaves of a log amount to as a board.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use log::{AuthorId, Header, Leaf, Origin, merkle::CompactRange, note::VerifierKey, outbox::RUN};
use wire::Digest;

use super::Contradiction;
use crate::{BoardError, Entry, Head};

type Slot = (AuthorId, String, Vec<u8>);

/// The entries of a board, taken leaf by leaf: one for each slot of an author, and those that contradict them.
pub(super) struct Ledger {
    keeper: AuthorId,
    origin: Origin,
    /// Leaves that were taken.
    taken: CompactRange,
    entries: Vec<Entry>,
    names: BTreeSet<Digest>,
    slots: BTreeMap<Slot, usize>,
    contradictions: Vec<Contradiction>,
}

impl Ledger {
    /// A board of which nothing was read, on the log with this key.
    pub(super) fn new(key: &VerifierKey, origin: Origin) -> Self {
        Self {
            keeper: key.key,
            origin,
            taken: CompactRange::new(),
            entries: Vec::new(),
            names: BTreeSet::new(),
            slots: BTreeMap::new(),
            contradictions: Vec::new(),
        }
    }

    pub(super) fn taken(&self) -> u64 {
        self.taken.size()
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    pub(super) fn contradictions(&self) -> &[Contradiction] {
        &self.contradictions
    }

    /// What an author said first in a slot.
    pub(super) fn said(&self, author: AuthorId, kind: &str, subject: &[u8]) -> Option<&Entry> {
        let index = self.slots.get(&(author, kind.to_owned(), subject.to_vec()))?;
        self.entries.get(*index)
    }

    /// Takes the next leaf, whose signatures were verified. Heartbeats, the beginnings of parties' runs and what
    /// was there before are passed over; of any other the payload is fetched, and must be the one that the header
    /// names.
    pub(super) fn take(
        &mut self,
        leaf: &Leaf,
        payload: impl FnOnce(u64, &Header) -> Result<Arc<[u8]>, BoardError>,
    ) -> Result<(), BoardError> {
        let (sequence, header) = (self.taken.size(), &leaf.header);
        let is_tick = leaf.is_tick(&self.keeper);
        if header.kind().starts_with("log/") && !is_tick {
            return Err(BoardError::Reserved { sequence, author: header.author() });
        }
        if is_tick || header.kind() == RUN || self.names.contains(&header.digest()) {
            self.taken.push(leaf.hash());
            return Ok(());
        }
        let payload = payload(sequence, header)?;
        let other = |_| BoardError::OtherPayload { sequence };
        header.verify_payload(&payload).map_err(other)?;
        self.taken.push(leaf.hash());
        self.enter(sequence, leaf.clone(), payload);
        Ok(())
    }

    /// Enters what is the first of its author's in the slot, or contradicts it.
    fn enter(&mut self, sequence: u64, leaf: Leaf, payload: Arc<[u8]>) {
        let header = &leaf.header;
        let first = self.said(header.author(), header.kind(), header.subject());
        let contradicts = first.map(Entry::sequence);
        match first.and_then(Entry::leaf).map(|first| first.header.clone()) {
            Some(one) => {
                let (log, other) = (self.origin.clone(), header.clone());
                self.contradictions.push(Contradiction { log, one, other });
            }
            None => {
                let slot = (header.author(), header.kind().to_owned(), header.subject().to_vec());
                self.slots.insert(slot, self.entries.len());
            }
        }
        self.names.insert(header.digest());
        let head = Head { size: self.taken.size(), root: self.taken.root() };
        self.entries.push(Entry::logged(sequence, leaf, payload, contradicts, Some(head)));
    }
}
