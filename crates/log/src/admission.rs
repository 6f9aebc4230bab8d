//! Who may write, and how much at once. An entry's header decides this, before any byte of the payload is read. There
//! are no sockets and no clock: the caller passes the time, in milliseconds of any monotonic clock.
//!
//! Anybody can make new keys, so limits by key alone stop nobody. Therefore known parties have quotas and seats of
//! their own, which nobody else can use up. All strangers together share one quota, and have their own seats. A seat
//! whose payload does not come is free again after a while.

use std::collections::BTreeMap;

use thiserror::Error;
use wire::Digest;

use crate::{AuthorId, EntryError, Header, Origin};

/// How much of something an author may write: a bucket of these sizes that fills up in `per`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Entries at once.
    pub entries: u64,
    /// Bytes of payload at once.
    pub bytes: u64,
    /// Milliseconds in which an empty bucket is full again.
    pub per: u64,
}

/// What a keeper takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdmissionPolicy {
    /// Known parties, each with its quota.
    pub known: BTreeMap<AuthorId, Quota>,
    /// What some of them may write in a short time, beside their quota: whoever writes as fast as the log takes it
    /// takes readers' time, and with it everybody's.
    pub paced: BTreeMap<AuthorId, Quota>,
    /// Payloads that a known party may have under way.
    pub reserved: usize,
    /// What all strangers together may write; `None` if only known parties write.
    pub strangers: Option<Quota>,
    /// Payloads that strangers may have under way.
    pub open: usize,
    /// The largest payload, in bytes.
    pub payload: u64,
    /// Milliseconds that a payload may take.
    pub patience: u64,
}

/// Why an entry is not admitted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AdmissionError {
    /// The header is not signed for this log, or the payload is not the one that it names.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The kind is the keeper's own.
    #[error("kinds that begin with `log/` are reserved for the keeper")]
    Kind,
    /// The author is not among those who write here.
    #[error("{0} may not write to this log")]
    Stranger(AuthorId),
    /// The payload is too large for this log.
    #[error("a payload of {got} bytes is over the log's limit of {limit}")]
    Payload {
        /// Its bytes.
        got: u64,
        /// The limit.
        limit: u64,
    },
    /// The quota is used up.
    #[error("the quota is used up: try again in {wait} ms")]
    Quota {
        /// Milliseconds until it is not.
        wait: u64,
    },
    /// More bytes than the quota has when it is full.
    #[error("a payload of {got} bytes is more than the quota of {limit}")]
    OverQuota {
        /// Its bytes.
        got: u64,
        /// The quota's.
        limit: u64,
    },
    /// All seats are taken.
    #[error("too many payloads are on their way: try again in {wait} ms")]
    Seats {
        /// Milliseconds until the next of these seats is free for certain.
        wait: u64,
    },
    /// The same entry is under way.
    #[error("the payload of this entry is already on its way")]
    UnderWay,
    /// The seat was given up: the payload took too long.
    #[error("the payload took too long: send the header again")]
    Late,
}

/// Whose seats and quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Known(AuthorId),
    Strangers,
}

/// A bucket that fills up with time. Levels are in units of `1 / per`, so that nothing is rounded away.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    quota: Quota,
    entries: u128,
    bytes: u128,
    at: u64,
}

impl Bucket {
    fn full(quota: Quota, at: u64) -> Self {
        let per = u128::from(quota.per.max(1));
        let [entries, bytes] = [quota.entries, quota.bytes].map(|level| u128::from(level) * per);
        Self { quota, entries, bytes, at }
    }

    fn fill(&mut self, now: u64) {
        let passed = u128::from(now.saturating_sub(self.at));
        let full = Self::full(self.quota, now.max(self.at));
        let filled = |level: u128, quota: u64, full: u128| {
            level.saturating_add(passed.saturating_mul(quota.into())).min(full)
        };
        self.entries = filled(self.entries, self.quota.entries, full.entries);
        self.bytes = filled(self.bytes, self.quota.bytes, full.bytes);
        self.at = full.at;
    }

    /// Milliseconds until an entry with a payload of so many bytes fits.
    fn wait(&self, bytes: u64) -> u64 {
        let per = u128::from(self.quota.per.max(1));
        let until = |level: u128, wanted: u64, quota: u64| {
            let missing = (u128::from(wanted) * per).saturating_sub(level);
            // Beyond all numbers of milliseconds it is for ever.
            u64::try_from(missing.div_ceil(u128::from(quota.max(1)))).unwrap_or(u64::MAX)
        };
        let entries = until(self.entries, 1, self.quota.entries);
        entries.max(until(self.bytes, bytes, self.quota.bytes))
    }

    /// Whether an entry with a payload of so many bytes can be taken now.
    fn require(&mut self, bytes: u64, now: u64) -> Result<(), AdmissionError> {
        let limit = self.quota.bytes;
        if bytes > limit || self.quota.entries == 0 {
            return Err(AdmissionError::OverQuota { got: bytes, limit });
        }
        self.fill(now);
        match self.wait(bytes) {
            0 => Ok(()),
            wait => Err(AdmissionError::Quota { wait }),
        }
    }

    /// Takes an entry for which there is room.
    fn take(&mut self, bytes: u64) {
        let per = u128::from(self.quota.per.max(1));
        self.entries = self.entries.saturating_sub(per);
        self.bytes = self.bytes.saturating_sub(u128::from(bytes) * per);
    }
}

/// An entry whose header is its author's and whose payload is the one that the header names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered<'a> {
    header: Header,
    payload: &'a [u8],
}

impl<'a> Delivered<'a> {
    /// Checks an entry that comes whole, such as the keeper's own first one.
    ///
    /// # Errors
    /// [`EntryError`].
    pub fn check(log: &Origin, header: Header, payload: &'a [u8]) -> Result<Self, EntryError> {
        header.verify(log)?;
        header.verify_payload(payload)?;
        Ok(Self { header, payload })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The payload.
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }
}

/// A payload under way.
#[derive(Clone, Debug)]
struct Seat {
    class: Class,
    header: Header,
    until: u64,
}

/// The door of a log. Its memory is bounded by the policy: one or two buckets for every known party and one for
/// strangers, a header for every seat.
#[derive(Clone, Debug)]
pub struct Admission {
    log: Origin,
    policy: AdmissionPolicy,
    buckets: BTreeMap<Class, Vec<Bucket>>,
    seats: BTreeMap<Digest, Seat>,
}

impl Admission {
    /// An empty house.
    pub fn new(log: Origin, policy: AdmissionPolicy, now: u64) -> Self {
        let known = policy.known.iter().map(|(author, quota)| {
            let quotas = [Some(quota), policy.paced.get(author)];
            (Class::Known(*author), quotas.into_iter().flatten().copied().collect())
        });
        let strangers = policy.strangers.map(|quota| (Class::Strangers, vec![quota]));
        let all = known.chain(strangers).map(|(class, quotas): (_, Vec<Quota>)| {
            (class, quotas.into_iter().map(|quota| Bucket::full(quota, now)).collect())
        });
        let buckets = all.collect();
        Self { log, policy, buckets, seats: BTreeMap::new() }
    }

    /// Decides by a header whether its payload may come; [`Admission::deliver`] takes it, under the
    /// header's digest. The caller has looked where the entry stands ([`crate::Keeper::standing`]): what
    /// is in the log or promised costs nobody anything.
    ///
    /// # Errors
    /// [`AdmissionError`]. What is not signed by its author uses up nothing.
    pub fn admit(&mut self, header: &Header, now: u64) -> Result<(), AdmissionError> {
        if header.kind().starts_with("log/") {
            return Err(AdmissionError::Kind);
        }
        let (got, limit) = (header.length(), self.policy.payload);
        if got > limit {
            return Err(AdmissionError::Payload { got, limit });
        }
        let author = header.author();
        let class = match self.policy.known.contains_key(&author) {
            true => Class::Known(author),
            false => Class::Strangers,
        };
        let buckets = self.buckets.get_mut(&class).ok_or(AdmissionError::Stranger(author))?;
        header.verify(&self.log)?;
        self.seats.retain(|_, seat| seat.until > now);
        let digest = header.digest();
        if self.seats.contains_key(&digest) {
            return Err(AdmissionError::UnderWay);
        }
        let limit = match class {
            Class::Known(_) => self.policy.reserved,
            Class::Strangers => self.policy.open,
        };
        let taken = self.seats.values().filter(|seat| seat.class == class);
        if taken.clone().count() >= limit {
            // Where there are no seats at all, none ever becomes free.
            let next = taken.map(|seat| seat.until).min().unwrap_or(u64::MAX);
            return Err(AdmissionError::Seats { wait: next.saturating_sub(now) });
        }
        buckets.iter_mut().try_for_each(|bucket| bucket.require(header.length(), now))?;
        buckets.iter_mut().for_each(|bucket| bucket.take(header.length()));
        let until = now.saturating_add(self.policy.patience);
        self.seats.insert(digest, Seat { class, header: header.clone(), until });
        Ok(())
    }

    /// Takes the payload of an admitted header, whole; its seat is free again. [`crate::Keeper::promise`] goes
    /// on with it.
    ///
    /// # Errors
    /// [`AdmissionError::Late`], [`AdmissionError::Entry`].
    pub fn deliver<'a>(
        &mut self,
        entry: &Digest,
        payload: &'a [u8],
        now: u64,
    ) -> Result<Delivered<'a>, AdmissionError> {
        let header = self.claim(entry, now)?;
        header.verify_payload(payload)?;
        Ok(Delivered { header, payload })
    }

    /// The header of a payload that came whole; its seat is free again. The caller checks the payload
    /// ([`Delivered::check`]) where nobody waits for it.
    ///
    /// # Errors
    /// [`AdmissionError::Late`].
    pub fn claim(&mut self, entry: &Digest, now: u64) -> Result<Header, AdmissionError> {
        let seat = self.seats.remove(entry).filter(|seat| seat.until > now);
        Ok(seat.ok_or(AdmissionError::Late)?.header)
    }

    /// Gives up a seat whose connection ended.
    pub fn release(&mut self, entry: &Digest) {
        self.seats.remove(entry);
    }

    /// The entries whose payloads took too long: their connections are closed.
    pub fn expire(&mut self, now: u64) -> Vec<Digest> {
        let late = self.seats.extract_if(.., |_, seat| seat.until <= now);
        late.map(|(entry, _)| entry).collect()
    }

    /// Payloads under way.
    pub fn under_way(&self) -> usize {
        self.seats.len()
    }
}
