//! Where parties sign: their outboxes, a clock, and names for their runs.

use std::{
    collections::BTreeMap,
    fmt::Display,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use log::{AuthorId, Header, Leaf, Outbox, OutboxError, OutboxStore, note::VerifierKey};

use crate::{AppendError, Identity};

/// A party's outbox, wherever it is kept.
pub struct Drawer(Box<dyn OutboxStore<Error = String> + Send>);

impl Drawer {
    /// An outbox whose store's errors are said in words.
    pub fn new<S>(store: S) -> Self
    where
        S: OutboxStore<Error: Display> + Send + 'static,
    {
        Self(Box::new(Told(store)))
    }
}

impl OutboxStore for Drawer {
    type Error = String;

    fn headers(&self) -> Result<Vec<Header>, String> {
        self.0.headers()
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, String> {
        self.0.payload(header)
    }

    fn put(&mut self, header: &Header, payload: &[u8]) -> Result<(), String> {
        self.0.put(header, payload)
    }
}

/// A store whose errors are words.
struct Told<S>(S);

impl<S: OutboxStore<Error: Display>> OutboxStore for Told<S> {
    type Error = String;

    fn headers(&self) -> Result<Vec<Header>, String> {
        self.0.headers().map_err(|error| error.to_string())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, String> {
        self.0.payload(header).map_err(|error| error.to_string())
    }

    fn put(&mut self, header: &Header, payload: &[u8]) -> Result<(), String> {
        self.0.put(header, payload).map_err(|error| error.to_string())
    }
}

/// Opens a party's outbox for a log.
///
/// # Errors
/// The reason, if there is none: whoever only reads has none.
pub type Outboxes = Box<dyn Fn(&VerifierKey, &AuthorId) -> Result<Drawer, String> + Send>;

/// What a party on a log signs with beside its key. Its outbox is opened when it says something first, and
/// its run begins then.
pub struct Desk {
    outboxes: Outboxes,
    /// Seconds since 1970.
    clock: Box<dyn Fn() -> u64 + Send>,
    /// 16 bytes from the system's generator.
    draw: Box<dyn FnMut() -> [u8; 16] + Send>,
    open: BTreeMap<AuthorId, Seat>,
}

/// A party's outbox, and the entry with which its run begins until that is in the log.
struct Seat {
    outbox: Outbox<Drawer>,
    opening: Option<Header>,
}

impl Desk {
    /// A desk with these outboxes, this clock in seconds since 1970, and the system's generator.
    pub fn new(
        outboxes: Outboxes,
        clock: impl Fn() -> u64 + Send + 'static,
        draw: impl FnMut() -> [u8; 16] + Send + 'static,
    ) -> Self {
        Self { outboxes, clock: Box::new(clock), draw: Box::new(draw), open: BTreeMap::new() }
    }

    /// The desk of somebody who reads only.
    pub fn of_a_reader() -> Self {
        let none = |_: &VerifierKey, _: &AuthorId| Err("whoever reads has no outbox".to_owned());
        Self::new(Box::new(none), || 0, || [0; 16])
    }

    /// Opens a party's outbox, if it is not open. Returns the entry that begins its run, or `None` once that was seen
    /// in the log.
    pub(super) fn begin(
        &mut self,
        identity: &Identity,
        log: &VerifierKey,
    ) -> Result<Option<Header>, AppendError> {
        let author = identity.id();
        if let Some(seat) = self.open.get(&author) {
            return Ok(seat.opening.clone());
        }
        let store = (self.outboxes)(log, &author).map_err(AppendError::Outbox)?;
        let origin = log.name.as_str().parse().map_err(crate::BoardError::from)?;
        let mut outbox = Outbox::open(store, author, origin).map_err(failed)?;
        let opening = outbox.begin(identity, (self.draw)(), (self.clock)()).map_err(failed)?;
        self.open.insert(author, Seat { outbox, opening: Some(opening.clone()) });
        Ok(Some(opening))
    }

    /// Compares a party's outbox with a log that has the beginning of its run.
    pub(super) fn compare(
        &mut self,
        author: &AuthorId,
        leaves: &[Leaf],
    ) -> Result<(), AppendError> {
        let Seat { outbox, opening } = self.seat(author)?;
        *opening = None;
        let from = outbox.seen();
        // A log of no more leaves than were compared has no fresh ones.
        let fresh = leaves.get(from as usize..).unwrap_or_default();
        outbox.compare(from, fresh).map_err(failed)
    }

    /// Signs a payload in a slot and stores it. If the slot is filled, returns what was signed then instead.
    pub(super) fn fill(
        &mut self,
        identity: &Identity,
        slot: (&str, &[u8]),
        payload: &[u8],
    ) -> Result<(Header, Vec<u8>), AppendError> {
        let now = (self.clock)();
        let Seat { outbox, .. } = self.seat(&identity.id())?;
        let header = outbox.fill(identity, slot, now, payload).map_err(failed)?;
        let payload = outbox.payload(&header).map_err(failed)?;
        Ok((header, payload))
    }

    fn seat(&mut self, author: &AuthorId) -> Result<&mut Seat, AppendError> {
        let closed = || AppendError::Outbox("it is not open".to_owned());
        self.open.get_mut(author).ok_or_else(closed)
    }
}

fn failed(error: OutboxError<String>) -> AppendError {
    match error {
        OutboxError::Restored { index } => AppendError::Restored { sequence: index },
        other => AppendError::Outbox(other.to_string()),
    }
}

/// Outboxes that end with the process, one for each author, all for the same log. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MemoryOutbox(Arc<Mutex<BTreeMap<AuthorId, Kept>>>);

type Kept = Vec<(Header, Vec<u8>)>;

impl MemoryOutbox {
    /// A desk with these outboxes.
    pub fn desk(
        &self,
        clock: impl Fn() -> u64 + Send + 'static,
        draw: impl FnMut() -> [u8; 16] + Send + 'static,
    ) -> Desk {
        let kept = self.clone();
        let open = move |_: &VerifierKey, author: &AuthorId| {
            Ok(Drawer::new(MemoryDrawer { kept: kept.clone(), author: *author }))
        };
        Desk::new(Box::new(open), clock, draw)
    }

    /// Nothing under the lock can panic half-way.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<AuthorId, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct MemoryDrawer {
    kept: MemoryOutbox,
    author: AuthorId,
}

impl OutboxStore for MemoryDrawer {
    type Error = String;

    fn headers(&self) -> Result<Vec<Header>, String> {
        let kept = self.kept.lock();
        let own = kept.get(&self.author).into_iter().flatten();
        Ok(own.map(|(header, _)| header.clone()).collect())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, String> {
        let kept = self.kept.lock();
        let mut own = kept.get(&self.author).into_iter().flatten();
        Ok(own.find(|(one, _)| one == header).map(|(_, payload)| payload.clone()))
    }

    fn put(&mut self, header: &Header, payload: &[u8]) -> Result<(), String> {
        let mut kept = self.kept.lock();
        kept.entry(self.author).or_default().push((header.clone(), payload.to_vec()));
        Ok(())
    }
}
