//! A board on a log ([`log`]): entries with places and times, and no position in what authors sign.
//!
//! An author signs each slot (kind and subject) once, and keeps what it signed ([`log::Outbox`]). The log's keeper
//! assigns place and time to the entry. Readers check everything: checkpoints with the keeper's key, that the log only
//! grows, leaves against the root, headers' signatures ([`log::Follower`]), payloads' digests. A second entry in an
//! author's slot convicts the author ([`Contradiction`]), and [`Entry::contradicts`] is true for it. Readers skip
//! heartbeats, the beginnings of parties' runs and entries that are in the log twice.

mod contradiction;
mod desk;
mod ledger;
mod naming;
mod record;

use std::{
    thread,
    time::{Duration, Instant},
};

use log::{AccessError, Follower, Leaf, LogAccess, Origin, SignedCheckpoint};
use wire::Digest;

pub use self::{
    contradiction::Contradiction,
    desk::{Desk, Drawer, MemoryOutbox, Outboxes},
    naming::origin_of,
    record::Record,
};
use self::{ledger::Ledger, naming::require_own_key};
use crate::{AppendError, BoardError, Bulletin, Entry, Identity};

/// A board's log has at most so many leaves, heartbeats included: one each ten seconds for five years.
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
    ledger: Ledger,
}

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
        if board.entries().is_empty() {
            board.append(identity, (kind, b""), payload)?;
        }
        let genesis = board.entries().first();
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
        let got = board.entries().first().map(Entry::digest).ok_or(BoardError::Empty)?;
        match expected.filter(|expected| *expected != got) {
            Some(expected) => Err(BoardError::WrongBoard { expected, got }),
            None => Ok(board),
        }
    }

    fn over(log: L, desk: Desk) -> Result<Self, BoardError> {
        require_own_key(log.key())?;
        let follower = Follower::new(log.key().clone(), None)?;
        let ledger = Ledger::new(log.key(), follower.origin().clone());
        Ok(Self { log, follower, desk, ledger })
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
        self.ledger.contradictions()
    }

    /// Takes the leaves that the follower verified, in order, each with its payload.
    fn take_leaves(&mut self) -> Result<(), BoardError> {
        let (log, leaves) = (&self.log, self.follower.leaves());
        while let Some(leaf) = leaves.get(self.ledger.taken() as usize) {
            self.ledger.take(leaf, |sequence, header| {
                let payload = log.payload(header)?;
                payload.map(Into::into).ok_or(BoardError::Missing { sequence })
            })?;
        }
        Ok(())
    }

    /// Hands in what the outbox has, and waits until it is in the log.
    fn deliver(&mut self, header: &log::Header, payload: &[u8]) -> Result<(), AppendError> {
        let start = Instant::now();
        // A promise is checked by whoever reaches the keeper; here only the log itself counts.
        while let Err(error) = self.log.submit(header, payload) {
            match error {
                // Who writes faster than the keeper takes it waits.
                AccessError::Refused { wait: Some(wait), .. }
                    if wait > 0 && start.elapsed() < PATIENCE =>
                {
                    thread::sleep(Duration::from_millis(wait).min(WAIT));
                }
                error => return Err(error.into()),
            }
        }
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
        self.ledger.entries()
    }

    fn id(&self) -> Digest {
        self.entries().first().map_or_else(|| [0; 32].into(), Entry::digest)
    }

    fn refresh(&mut self) -> Result<usize, BoardError> {
        let known = self.entries().len();
        // What was verified before the log failed to answer is taken first.
        self.take_leaves()?;
        let latest = self.log.latest()?;
        let size = latest.map_or(0, |signed| signed.checkpoint().size);
        if size > MAX_LEAVES {
            return Err(BoardError::TooLong { size });
        }
        self.follower.follow(&self.log)?;
        self.take_leaves()?;
        Ok(self.entries().len() - known)
    }

    fn wait(&mut self, timeout: Duration) -> Result<bool, BoardError> {
        let known = self.entries().len();
        match self.log.wait_beyond(self.follower.leaves().len() as u64, timeout)? {
            true => drop(self.refresh()?),
            false => self.take_leaves()?,
        }
        Ok(self.entries().len() > known)
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
        if let Some(spent) = self.ledger.said(identity.id(), kind, subject) {
            return Err(AppendError::Spent { sequence: spent.sequence(), kind: kind.to_owned() });
        }
        let (header, payload) = self.desk.fill(identity, (kind, subject), payload)?;
        self.deliver(&header, &payload)
    }

    fn record(&self, last: u64) -> Option<Record> {
        let leaves = self.follower.beginning(last.checked_add(1)?)?;
        let (key, checkpoint) = (self.log.key().clone(), self.follower.signed()?.clone());
        Some(Record::new(key, checkpoint, leaves, self.log.witnesses()))
    }
}
