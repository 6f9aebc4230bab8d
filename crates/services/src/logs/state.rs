//! What a serving keeper holds: the log, its door, and the payloads under way.

use std::{
    collections::HashMap,
    fs::File,
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use log::{
    Admission, AdmissionError, AdmissionPolicy, AuthorId, Delivered, Header, KeeperError,
    KeeperStore as _, Origin, Quorum, SignedCheckpoint, Standing,
    note::VerifierKey,
    outbox::RUN,
    store::{DirectoryLog, JournalEntries, KeptLog, StoreError, system_clock},
};
use tokio::sync::{Notify, Semaphore, watch};
use wire::Digest;

use super::{KeeperConfig, cosigner::Cosigner};
use crate::{
    config::Limits,
    http::{Accesses, Buckets, Gate, Limited, Metered, Problem, ServeError},
    tables::Notice,
};

/// Blocking threads at once: the work is a signature, and the disk.
const RUNNING: usize = 4;
/// Entries that are appended at once.
const BATCH: usize = 1 << 10;

/// Who may write after the first entry, by its header and payload: `None` leaves it to the
/// configuration; an error refuses the first entry.
pub type Rules =
    Box<dyn Fn(&Header, &[u8]) -> Result<Option<AdmissionPolicy>, String> + Send + Sync>;

/// A payload that may come.
pub(super) struct Seat {
    /// A secret that the admitted author was told, and sends along with the payload.
    pub token: [u8; 16],
    pub header: Header,
    /// Which policy admitted it.
    pub generation: u64,
    /// When it is given up, as [`State::now`] counts.
    pub until: u64,
    /// Whether its payload is coming.
    pub taken: bool,
}

/// A serving keeper.
pub struct State {
    pub(super) key: VerifierKey,
    pub(super) origin: Origin,
    pub(super) entries: JournalEntries,
    keeper: Mutex<KeptLog>,
    admission: Mutex<Admission>,
    pub(super) seats: Mutex<HashMap<Digest, Seat>>,
    policy: AdmissionPolicy,
    rules: Rules,
    /// Whether there is a first entry. Beginnings of runs do not count.
    begun: AtomicBool,
    /// How often the policy was replaced. A payload admitted under an earlier one is refused as late.
    generation: AtomicU64,
    /// Whether the log was compared with what the witnesses remember. Before that nothing is signed.
    settled: AtomicBool,
    promise_seconds: u64,
    heartbeat_seconds: u64,
    pub(super) shown: RwLock<Option<SignedCheckpoint>>,
    /// Leaves of the checkpoint that is shown.
    pub(super) size: watch::Sender<u64>,
    pub(super) witnesses: Vec<Cosigner>,
    pub(super) quorum: Option<Quorum>,
    pub(super) threshold: usize,
    /// There is a checkpoint that witnesses have not seen.
    pub(super) grown: Notify,
    /// The store failed: the process must end, and begin again.
    pub(super) failed: Notify,
    pub(super) notice: Notice,
    pub(super) accesses: Accesses,
    pub(super) limits: Limits,
    pub(super) gate: Gate,
    /// By address, where addresses are those of clients.
    pub(super) buckets: Option<Buckets>,
    /// Requests that wait for news.
    pub(super) waiting: Semaphore,
    /// Of large payloads one at a time is in memory.
    pub(super) large: Mutex<()>,
    pub(super) spool: PathBuf,
    start: Instant,
    _serving: File,
}

impl Metered for State {
    fn buckets(&self) -> Option<&Buckets> {
        self.buckets.as_ref()
    }
}

impl Limited for std::sync::Arc<State> {
    fn body_bytes(&self) -> usize {
        log::MAX_HEADER
    }

    fn body_time(&self) -> Duration {
        Duration::from_secs(self.limits.body_seconds)
    }

    fn json_depth(&self) -> usize {
        self.limits.json_depth
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What can be left half done says so: the keeper and its journal are unsettled then.
    // Nothing else under these locks can panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Opens the log, which nobody else works on from now on.
    ///
    /// # Errors
    /// [`ServeError::File`].
    pub fn open(config: &KeeperConfig, rules: Rules, notice: Notice) -> Result<Self, ServeError> {
        let failed = |error: &dyn ToString| ServeError::File {
            path: config.log.clone(),
            reason: error.to_string(),
        };
        let (keeper, serving) = DirectoryLog::serve(&config.log).map_err(|error| failed(&error))?;
        let spool = config.log.join("incoming");
        std::fs::create_dir_all(&spool).map_err(|error| failed(&error))?;
        let policy = config.policy().map_err(|error| failed(&error))?;
        let operator = config.operator_key().map_err(|error| failed(&error))?;
        let (begun, current) =
            current(keeper.store(), &policy, operator, &rules).map_err(|error| failed(&error))?;
        let keys = config.witness_keys().map_err(|error| failed(&error))?;
        let witnesses = keys.iter().zip(&config.witnesses);
        let witnesses = witnesses
            .map(|(key, entry)| Cosigner::new(key.clone(), entry))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| failed(&error))?;
        let quorum = match config.quorum {
            0 => None,
            threshold => Some(Quorum::new(keys, threshold).map_err(|error| failed(&error))?),
        };
        let signed = keeper.signed().map_err(|_| failed(&"the journal does not answer"))?;
        let shown = signed.filter(|_| quorum.is_none());
        let size = shown.as_ref().map_or(0, |signed| signed.checkpoint().size);
        Ok(Self {
            key: keeper.key().clone(),
            origin: keeper.origin().clone(),
            entries: keeper.store().clone(),
            admission: Mutex::new(Admission::new(keeper.origin().clone(), current, 0)),
            keeper: Mutex::new(keeper),
            seats: Mutex::default(),
            policy,
            rules,
            begun: AtomicBool::new(begun),
            generation: AtomicU64::new(0),
            settled: AtomicBool::new(witnesses.is_empty()),
            promise_seconds: config.promise_seconds,
            heartbeat_seconds: config.heartbeat_seconds,
            shown: RwLock::new(shown),
            size: watch::Sender::new(size),
            witnesses,
            quorum,
            threshold: config.quorum,
            grown: Notify::new(),
            failed: Notify::new(),
            notice,
            accesses: Accesses::open(config.access_log.as_ref())?,
            gate: Gate::new(RUNNING, config.limits.waiting),
            buckets: config
                .tls
                .is_some()
                .then(|| Buckets::new(config.limits.requests_per_second, config.limits.burst)),
            waiting: Semaphore::new(config.limits.connections / 4),
            limits: config.limits.clone(),
            large: Mutex::default(),
            spool,
            start: Instant::now(),
            _serving: serving,
        })
    }

    /// Milliseconds since the keeper began.
    pub(super) fn now(&self) -> u64 {
        // No process runs for 584 million years.
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The keeper, with nobody else.
    pub(super) fn keeper(&self) -> MutexGuard<'_, KeptLog> {
        lock(&self.keeper)
    }

    /// The keeper may sign from now on.
    pub(super) fn settle(&self) {
        self.settled.store(true, SeqCst);
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled.load(SeqCst)
    }

    /// Decides by a header whether its payload may come.
    pub(super) fn admit(&self, header: &Header) -> Result<[u8; 16], Problem> {
        if !self.is_settled() {
            let detail = "the keeper compares its log with what its witnesses saw";
            return Err(Problem::overloaded(detail, 1));
        }
        let now = self.now();
        let generation = self.generation.load(SeqCst);
        lock(&self.admission).admit(header, now).map_err(refused)?;
        let mut token = [0; 16];
        getrandom::fill(&mut token).map_err(Problem::internal)?;
        let until = now.saturating_add(self.policy.patience);
        let seat = Seat { token, header: header.clone(), generation, until, taken: false };
        let mut seats = lock(&self.seats);
        seats.retain(|_, seat| seat.until > now || seat.taken);
        seats.insert(header.digest(), seat);
        Ok(token)
    }

    /// Gives up a payload that does not come.
    pub(super) fn release(&self, entry: &Digest) {
        lock(&self.seats).remove(entry);
        lock(&self.admission).release(entry);
    }

    /// Takes a payload that came whole. The promise is stored when this returns.
    pub(super) fn deliver(
        &self,
        entry: &Digest,
        generation: u64,
        payload: &[u8],
    ) -> Result<Standing, Problem> {
        let header = lock(&self.admission).claim(entry, self.now()).map_err(refused)?;
        let delivered = Delivered::check(&self.origin, header, payload)
            .map_err(|error| refused(error.into()))?;
        let mut keeper = self.keeper();
        if generation != self.generation.load(SeqCst) {
            return Err(refused(AdmissionError::Late));
        }
        // A party's run begins before what it says: the operator's, before the first entry.
        let next = match self.begun.load(SeqCst) || delivered.header().kind() == RUN {
            true => None,
            false => Some(self.begin(&delivered)?),
        };
        let now = system_clock() / 1000;
        let standing = keeper.promise(&delivered, now, self.promise_seconds);
        let standing = standing.map_err(|error| self.fail(error))?;
        if let Some(policy) = next {
            *lock(&self.admission) = Admission::new(self.origin.clone(), policy, self.now());
            self.generation.fetch_add(1, SeqCst);
            self.begun.store(true, SeqCst);
        }
        Ok(standing)
    }

    /// Who may write after this first entry.
    fn begin(&self, first: &Delivered<'_>) -> Result<AdmissionPolicy, Problem> {
        let policy = (self.rules)(first.header(), first.payload());
        let policy = policy.map_err(|reason| Problem::refused("genesis", reason))?;
        // Rules that name nobody leave it to the configuration.
        Ok(policy.unwrap_or_else(|| self.policy.clone()))
    }

    /// Appends what is promised, and a heartbeat if it is time for one.
    pub(super) fn append(&self) {
        if !self.is_settled() {
            return;
        }
        let mut keeper = self.keeper();
        let now = system_clock() / 1000;
        let due = self.begun.load(SeqCst)
            && self.heartbeat_seconds > 0
            && now.saturating_sub(keeper.time()) >= self.heartbeat_seconds;
        let mut heartbeat = due;
        let mut grown = false;
        loop {
            match keeper.append(now, BATCH, heartbeat) {
                Ok(Some(signed)) => {
                    grown = true;
                    if self.quorum.is_none() {
                        self.show(signed);
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    self.fail(error);
                    return;
                }
            }
            // Once: else each round would append a heartbeat. After a full batch none is due: its leaves have the time.
            heartbeat = false;
        }
        if grown {
            self.grown.notify_one();
        }
    }

    /// Shows a checkpoint to everybody.
    pub(super) fn show(&self, signed: SignedCheckpoint) {
        let size = signed.checkpoint().size;
        // A checkpoint is replaced as a whole.
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        let is_newer = |old: &SignedCheckpoint| old.checkpoint().size <= size;
        if shown.as_ref().is_none_or(is_newer) {
            *shown = Some(signed);
            drop(shown);
            self.size.send_if_modified(|old| std::mem::replace(old, size) < size);
        }
    }

    /// The checkpoint that is shown.
    pub(super) fn latest(&self) -> Option<SignedCheckpoint> {
        // A checkpoint is replaced as a whole.
        self.shown.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a store that failed means: only a process that begins again knows what was kept.
    pub(super) fn fail(&self, error: KeeperError<StoreError, StoreError>) -> Problem {
        let cause = match error {
            KeeperError::Store(error) => error.to_string(),
            KeeperError::Tiles(error) => error.to_string(),
            other => other.to_string(),
        };
        (self.notice)(&format!("the keeper ends: {cause}"));
        self.failed.notify_one();
        Problem::internal(cause)
    }
}

/// The first entry that is not the beginning of a run, in the log or promised.
fn first_entry(entries: &JournalEntries) -> Result<Option<Header>, StoreError> {
    let mut place = 0;
    while let Some(leaf) = entries.leaf(place)? {
        if leaf.header.kind() != RUN {
            return Ok(Some(leaf.header));
        }
        place += 1;
    }
    // All of them: however many runs begin before it, the first entry decides who may write.
    let mut promised = entries.promised(usize::MAX)?.into_iter();
    Ok(promised.find(|header| header.kind() != RUN))
}

/// Whether the log has a first entry, and who may write now.
fn current(
    entries: &JournalEntries,
    policy: &AdmissionPolicy,
    operator: Option<AuthorId>,
    rules: &Rules,
) -> Result<(bool, AdmissionPolicy), String> {
    let text = |error: StoreError| error.to_string();
    if let Some(first) = first_entry(entries).map_err(text)? {
        // By it is decided who may write: nothing must stand in for it.
        let payload = entries.payload(&first).map_err(text)?;
        let payload = payload.ok_or("the payload of the log's first entry is not in the store")?;
        let of_first = rules(&first, &payload)?;
        // As in `State::begin`: rules that name nobody leave it to the configuration.
        return Ok((true, of_first.unwrap_or_else(|| policy.clone())));
    }
    let Some(operator) = operator else { return Ok((false, policy.clone())) };
    let quota = log::Quota { entries: 16, bytes: 16 * policy.payload, per: 60_000 };
    let known = [(operator, quota)].into();
    Ok((false, AdmissionPolicy { known, reserved: 1, strangers: None, ..policy.clone() }))
}

/// What an author is told whose entry is not admitted.
pub(super) fn refused(error: AdmissionError) -> Problem {
    let detail = error.to_string();
    let seconds = |wait: u64| wait.div_ceil(1000).max(1);
    match error {
        AdmissionError::Stranger(_) => Problem::forbidden(detail),
        AdmissionError::Payload { .. } | AdmissionError::OverQuota { .. } => {
            Problem::new(axum::http::StatusCode::PAYLOAD_TOO_LARGE, "payload", detail)
        }
        AdmissionError::Quota { wait } => Problem::too_many("quota", detail, seconds(wait)),
        AdmissionError::Seats { wait } => Problem::too_many("seats", detail, seconds(wait)),
        AdmissionError::UnderWay => Problem::too_many("under-way", detail, 1),
        AdmissionError::Late => Problem::conflict("late", detail),
        _ => Problem::refused("entry", detail),
    }
}
