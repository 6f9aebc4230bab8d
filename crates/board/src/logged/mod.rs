//! A board on a log ([`log`]): entries with places and times, and no position in what authors sign.
//!
//! An author signs a slot, kind and subject, once, and keeps what it signed ([`log::Outbox`]). The log's keeper
//! gives the entry place and time. Readers check everything: checkpoints with the keeper's key, that the log only
//! grows, leaves against the root, headers' signatures ([`log::Follower`]), payloads' digests. A second entry in an
//! author's slot convicts the author ([`Contradiction`]) and says so of itself ([`Entry::contradicts`]). Heartbeats,
//! the beginnings of parties' runs and what is in the log twice are passed over.

mod contradiction;
mod desk;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use log::{AuthorId, Follower, Leaf, LogAccess, Origin, SignedCheckpoint, outbox::RUN};
use wire::Digest;

pub use self::{
    contradiction::Contradiction,
    desk::{Desk, Drawer, MemoryOutbox, Outboxes},
};
use crate::{AppendError, BoardError, Bulletin, Entry, Identity};

/// A board's log has less leaves than this, heartbeats included: one each ten seconds for five years.
const MAX_LEAVES: u64 = 1 << 24;
/// How long one wait for an entry of one's own lasts.
const WAIT: Duration = Duration::from_millis(500);
/// How long an author waits for an entry that was promised. Its outbox has it then.
const PATIENCE: Duration = Duration::from_secs(120);

/// A board on a log, as far as it was read and verified, with the desk of whoever writes on it.
pub struct LogBoard<L> {
    log: L,
    follower: Follower,
    desk: Desk,
    /// Leaves that were taken, with their payloads.
    taken: usize,
    entries: Vec<Entry>,
    names: BTreeSet<Digest>,
    slots: BTreeMap<Slot, usize>,
    contradictions: Vec<Contradiction>,
}

type Slot = (AuthorId, String, Vec<u8>);

impl<L: LogAccess> LogBoard<L> {
    /// Writes the genesis entry of a new board into a log without entries, or goes on with one that this author
    /// began.
    ///
    /// # Errors
    /// [`AppendError::Taken`] if the log has another board already; those of [`Bulletin::append`].
    pub fn create(
        log: L,
        desk: Desk,
        identity: &Identity,
        kind: &str,
        payload: &[u8],
    ) -> Result<Self, AppendError> {
        let mut board = Self::over(log, desk)?;
        board.refresh()?;
        match board.append(identity, (kind, b""), payload) {
            Ok(()) | Err(AppendError::Spent { .. }) => {}
            Err(error) => return Err(error),
        }
        let genesis = board.entries.first();
        let is_it = |entry: &Entry| {
            (entry.author(), entry.kind(), entry.payload()) == (identity.id(), kind, payload)
        };
        if genesis.is_some_and(is_it) { Ok(board) } else { Err(AppendError::Taken) }
    }

    /// Reads and verifies the board on a log, which must have the given name if there is one.
    ///
    /// # Errors
    /// [`BoardError::Empty`] before somebody created it, [`BoardError::WrongBoard`]; those of
    /// [`Bulletin::refresh`].
    pub fn open(log: L, desk: Desk, expected: Option<Digest>) -> Result<Self, BoardError> {
        let mut board = Self::over(log, desk)?;
        board.refresh()?;
        let got = board.entries.first().map(Entry::digest).ok_or(BoardError::Empty)?;
        match expected.filter(|expected| *expected != got) {
            Some(expected) => Err(BoardError::WrongBoard { expected, got }),
            None => Ok(board),
        }
    }

    fn over(log: L, desk: Desk) -> Result<Self, BoardError> {
        let follower = Follower::new(log.key().clone(), None)?;
        let (names, slots) = (BTreeSet::new(), BTreeMap::new());
        let (entries, contradictions) = (Vec::new(), Vec::new());
        Ok(Self { log, follower, desk, taken: 0, entries, names, slots, contradictions })
    }

    /// The log's name.
    pub fn origin(&self) -> &Origin {
        self.follower.origin()
    }

    /// The checkpoint up to which the log was read.
    pub fn signed(&self) -> Option<&SignedCheckpoint> {
        self.follower.signed()
    }

    /// All leaves up to there, heartbeats included.
    pub fn leaves(&self) -> &[Leaf] {
        self.follower.leaves()
    }

    /// What convicts authors of two entries in one slot.
    pub fn contradictions(&self) -> &[Contradiction] {
        &self.contradictions
    }

    /// Takes the leaves that the follower verified, in order, each with its payload.
    fn take_leaves(&mut self) -> Result<(), BoardError> {
        while let Some(leaf) = self.follower.leaves().get(self.taken) {
            let sequence = self.taken as u64;
            let header = &leaf.header;
            if header.kind().starts_with("log/") && !leaf.is_tick(&self.log.key().key) {
                return Err(BoardError::Reserved { sequence, author: header.author() });
            }
            let is_silent = leaf.is_tick(&self.log.key().key) || header.kind() == RUN;
            if !is_silent && !self.names.contains(&header.digest()) {
                let payload = self.log.payload(header)?.ok_or(BoardError::Missing { sequence })?;
                let other = |_| BoardError::OtherPayload { sequence };
                header.verify_payload(&payload).map_err(other)?;
                self.take(sequence, leaf.clone(), payload.into());
            }
            self.taken += 1;
        }
        Ok(())
    }

    /// Takes the next entry: the first of its author's in the slot, or one that contradicts it.
    fn take(&mut self, sequence: u64, leaf: Leaf, payload: Arc<[u8]>) {
        let header = &leaf.header;
        let slot = (header.author(), header.kind().to_owned(), header.subject().to_vec());
        let first = self.slots.get(&slot).and_then(|index| self.entries.get(*index));
        let contradicts = first.map(Entry::sequence);
        match first.and_then(Entry::leaf) {
            Some(first) => {
                let (one, other) = (first.header.clone(), header.clone());
                let log = self.follower.origin().clone();
                self.contradictions.push(Contradiction { log, one, other });
            }
            None => drop(self.slots.insert(slot, self.entries.len())),
        }
        self.names.insert(header.digest());
        self.entries.push(Entry::logged(sequence, leaf, payload, contradicts));
    }

    /// Hands in what the outbox has, and waits until it is in the log.
    fn deliver(&mut self, header: &log::Header, payload: &[u8]) -> Result<(), AppendError> {
        let start = Instant::now();
        // A promise is checked by whoever reaches the keeper; here only the log itself counts.
        self.log.submit(header, payload)?;
        while !self.follower.leaves().iter().rev().any(|leaf| leaf.header == *header) {
            if start.elapsed() > PATIENCE {
                return Err(AppendError::Promised);
            }
            self.log.wait_beyond(self.follower.leaves().len() as u64, WAIT)?;
            self.refresh()?;
        }
        Ok(())
    }

    /// Begins this party's run: whoever lost what it signed is put out.
    fn sit_down(&mut self, identity: &Identity) -> Result<(), AppendError> {
        let author = identity.id();
        if let Some(opening) = self.desk.begin(identity, self.log.key())? {
            self.deliver(&opening, &[])?;
        }
        self.desk.compare(&author, self.follower.leaves())
    }
}

impl<L: LogAccess> Bulletin for LogBoard<L> {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn id(&self) -> Digest {
        self.entries.first().map_or_else(|| [0; 32].into(), Entry::digest)
    }

    fn refresh(&mut self) -> Result<usize, BoardError> {
        let known = self.entries.len();
        // What was verified before the log failed to answer is taken first.
        self.take_leaves()?;
        let latest = self.log.latest()?;
        let size = latest.map_or(0, |signed| signed.checkpoint().size);
        if size > MAX_LEAVES {
            return Err(BoardError::TooLong { size });
        }
        self.follower.follow(&self.log)?;
        self.take_leaves()?;
        Ok(self.entries.len() - known)
    }

    fn wait(&mut self, timeout: Duration) -> Result<bool, BoardError> {
        self.log.wait_beyond(self.follower.leaves().len() as u64, timeout)?;
        Ok(self.refresh()? > 0)
    }

    /// Signs a payload in a slot, unless that was done before, keeps it, hands it in, and waits until it is in
    /// the log. What the author signed in the slot before is what is handed in, and the payload is of no account
    /// then.
    fn append(
        &mut self,
        identity: &Identity,
        (kind, subject): (&str, &[u8]),
        payload: &[u8],
    ) -> Result<(), AppendError> {
        self.refresh()?;
        self.sit_down(identity)?;
        let slot = (identity.id(), kind.to_owned(), subject.to_vec());
        if let Some(spent) = self.slots.get(&slot).and_then(|index| self.entries.get(*index)) {
            return Err(AppendError::Spent { sequence: spent.sequence(), kind: kind.to_owned() });
        }
        let (header, payload) = self.desk.fill(identity, (kind, subject), payload)?;
        self.deliver(&header, &payload)
    }
}
