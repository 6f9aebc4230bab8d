//! A board on a log ([`log`]): entries with places and times, and no position in what authors sign.
//!
//! An author signs a slot, kind and subject, once. The log's keeper gives the entry place and time. Readers
//! check everything: checkpoints with the keeper's key, that the log only grows, leaves against the root,
//! headers' signatures, payloads' digests. A second entry in an author's slot convicts the author
//! ([`Contradiction`]) and says so of itself ([`Entry::contradicts`]); the same entry again is passed over, as
//! the keeper's heartbeats are.

mod contradiction;
mod outbox;
mod view;

use std::time::{Duration, Instant};

use log::{Header, LogAccess, Origin, SignedCheckpoint, Standing};
use wire::Digest;

pub use self::{
    contradiction::Contradiction,
    outbox::{DirectoryOutbox, MemoryOutbox, Outbox, Signed},
    view::View,
};
use crate::{AppendError, BoardError, Entry, Identity};

/// Seconds that a keeper may take to append what it promised. A longer promise is worth nothing.
const WITHIN: u64 = 3600;
/// How long one wait for an entry of one's own lasts.
const WAIT: Duration = Duration::from_millis(500);
/// How long an author waits for an entry that was promised, before it goes on with other things: the outbox
/// has it.
const PATIENCE: Duration = Duration::from_secs(120);

/// Seconds since 1970.
pub type Clock = Box<dyn Fn() -> u64 + Send>;

/// A board on a log, as far as it was read and verified, and what its party signed there. It has a genesis
/// entry at least.
pub struct LogBoard<L, O = MemoryOutbox> {
    log: L,
    view: View,
    outbox: O,
    clock: Clock,
    /// Entries that were compared with the outbox.
    compared: usize,
}

impl<L: LogAccess, O: Outbox> LogBoard<L, O> {
    /// Writes the genesis entry of a new board into a log without entries.
    ///
    /// # Errors
    /// [`AppendError::Taken`] if the log has a board already; those of [`LogBoard::append`].
    pub fn create(
        log: L,
        (outbox, clock): (O, Clock),
        identity: &Identity,
        kind: &str,
        payload: &[u8],
    ) -> Result<Self, AppendError> {
        let view = View::new(log.key().clone(), outbox.seen()?)?;
        let mut board = Self { log, view, outbox, clock, compared: 0 };
        board.refresh()?;
        let is_own = |entry: &Entry| entry.author() == identity.id() && entry.kind() == kind;
        if board.entries().first().is_some_and(|entry| !is_own(entry)) {
            return Err(AppendError::Taken);
        }
        let digest = board.append(identity, (kind, b""), payload)?;
        match board.id() == Some(digest) {
            true => Ok(board),
            false => Err(AppendError::Taken),
        }
    }

    /// Reads and verifies the board on a log, which must have the given name if there is one.
    ///
    /// # Errors
    /// [`BoardError::Empty`] before somebody created it, [`BoardError::WrongBoard`]; those of
    /// [`LogBoard::refresh`].
    pub fn open(
        log: L,
        (outbox, clock): (O, Clock),
        expected: Option<Digest>,
    ) -> Result<Self, BoardError> {
        let view = View::new(log.key().clone(), outbox.seen()?)?;
        let mut board = Self { log, view, outbox, clock, compared: 0 };
        board.refresh()?;
        let got = board.id().ok_or(BoardError::Empty)?;
        match expected.filter(|expected| *expected != got) {
            Some(expected) => Err(BoardError::WrongBoard { expected, got }),
            None => Ok(board),
        }
    }

    /// Reads and verifies what was appended since, and counts it.
    ///
    /// # Errors
    /// [`BoardError`]; what was taken before it is kept. [`BoardError::Convicted`] has evidence against the
    /// keeper.
    pub fn refresh(&mut self) -> Result<usize, BoardError> {
        let known = self.view.entries().len();
        self.view.catch_up(&self.log)?;
        if let Some(signed) = self.view.signed() {
            self.outbox.see(signed)?;
        }
        Ok(self.view.entries().len() - known)
    }

    /// Waits up to `timeout` for new entries, verifies them, and says whether there are any.
    ///
    /// # Errors
    /// Those of [`LogBoard::refresh`].
    pub fn wait(&mut self, timeout: Duration) -> Result<bool, BoardError> {
        self.log.wait_beyond(self.view.size(), timeout)?;
        Ok(self.refresh()? > 0)
    }

    /// Signs a payload in a slot, unless that was done before, keeps it, hands it in, and waits until it
    /// is in the log. Returns the entry's name. What the author signed in the slot before is what is handed
    /// in, and the payload is of no account then.
    ///
    /// # Errors
    /// [`AppendError::Restored`] if the log has an entry of the author's that the outbox does not have: then this
    /// party must not speak. [`AppendError::Promised`] if the keeper takes long; the next call goes on.
    pub fn append(
        &mut self,
        identity: &Identity,
        (kind, subject): (&str, &[u8]),
        payload: &[u8],
    ) -> Result<Digest, AppendError> {
        self.refresh()?;
        self.require_memory(identity)?;
        let Signed { header, payload } = match self.outbox.signed(kind, subject)? {
            Some(signed) => signed,
            None => {
                let (slot, now) = ((kind, subject), (self.clock)());
                let header = Header::sign(identity, self.view.origin(), slot, now, payload)?;
                let signed = Signed { header, payload: payload.to_vec() };
                // What was signed is stored before anybody sees it; a copy of this party that was first wins.
                self.outbox.keep(&signed)?
            }
        };
        self.deliver(&header, &payload)?;
        Ok(header.digest())
    }

    /// Hands in again what was signed and is not in the log, as after a crash.
    ///
    /// # Errors
    /// Those of [`LogBoard::append`].
    pub fn resume(&mut self, identity: &Identity) -> Result<usize, AppendError> {
        self.refresh()?;
        self.require_memory(identity)?;
        let missing = self.outbox.all()?.into_iter();
        let missing: Vec<Signed> =
            missing.filter(|signed| !self.view.has(&signed.header.digest())).collect();
        for Signed { header, payload } in &missing {
            self.deliver(header, payload)?;
        }
        Ok(missing.len())
    }

    fn deliver(&mut self, header: &Header, payload: &[u8]) -> Result<(), AppendError> {
        let (entry, start) = (header.digest(), Instant::now());
        if self.view.has(&entry) {
            return Ok(());
        }
        let size = self.view.size();
        if let Standing::Promised(promise) = self.log.submit(header, payload)? {
            let latest = (self.clock)().saturating_add(WITHIN);
            let keeper = self.view.key().key;
            promise.accept(self.view.origin(), &keeper, header, (size, latest))?;
        }
        loop {
            self.refresh()?;
            if self.view.has(&entry) {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                return Err(AppendError::Promised);
            }
            self.log.wait_beyond(self.view.size(), WAIT)?;
        }
    }

    /// Whoever lost its memory, or runs from a copy of it, could sign a slot twice.
    fn require_memory(&mut self, identity: &Identity) -> Result<(), AppendError> {
        let fresh = self.view.entries().iter().skip(self.compared);
        for entry in fresh.filter(|entry| entry.author() == identity.id()) {
            let kept = self.outbox.signed(entry.kind(), entry.subject())?;
            if kept.is_none_or(|kept| kept.header.digest() != entry.digest()) {
                return Err(AppendError::Restored { sequence: entry.sequence() });
            }
        }
        self.compared = self.view.entries().len();
        Ok(())
    }

    /// What was read and verified, in order, without heartbeats.
    pub fn entries(&self) -> &[Entry] {
        self.view.entries()
    }

    /// The board's name: the digest of its genesis entry's header.
    pub fn id(&self) -> Option<Digest> {
        self.view.entries().first().map(Entry::digest)
    }

    /// The log's name.
    pub fn origin(&self) -> &Origin {
        self.view.origin()
    }

    /// The checkpoint up to which the log was read.
    pub fn signed(&self) -> Option<&SignedCheckpoint> {
        self.view.signed()
    }

    /// What was verified.
    pub fn view(&self) -> &View {
        &self.view
    }
}
