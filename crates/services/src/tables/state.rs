//! What all requests share.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use table::store::CustodyError;

use super::{
    epochs::Epochs,
    served::Served,
    tokens::{Revocations, TokenKey},
};
use crate::{
    config::{ClientEntry, Config, Limits, Page},
    folder::{Folder, FolderError, Plan},
    http::{Accesses, Buckets, Gate, Limited, Metrics, Problem, ServeError},
};

/// Where the operator reads what it must look at, a line at a time.
pub type Notice = Box<dyn Fn(&str) + Send + Sync>;

/// A table that is being made, or whose making was cut off.
const UNFINISHED: &str = ".making-";
const USERS_KEY: &str = "users.key";
const USERS_REVOKED: &str = "users.revoked";
/// Bytes of a store in memory that a table has at least, however many there are.
const LEAST_CACHE: usize = 1 << 20;
/// Threads for each core that look-ups and the like run on.
const LIGHT_PER_CORE: usize = 4;
/// Threads that write: one while another's rows are read.
pub const WRITERS: usize = 2;

/// What a reload replaces.
pub struct Live {
    /// What requests may cost.
    pub limits: Limits,
    /// Clients, by the hashes of their tokens.
    pub clients: Vec<(blake3::Hash, ClientEntry)>,
    /// With which browsers check the answers.
    pub page: Option<Page>,
    /// The databases.
    #[cfg(feature = "sql")]
    pub sources: Vec<crate::sql::Feed>,
}

impl Live {
    fn new(config: &Config) -> Self {
        // A hash that is none was refused with the configuration.
        let clients = config.clients.iter().filter_map(|client| {
            Some((blake3::Hash::from_hex(&client.token_hash).ok()?, client.clone()))
        });
        Self {
            limits: config.limits.clone(),
            clients: clients.collect(),
            page: config.page.clone(),
            #[cfg(feature = "sql")]
            sources: config.sources.clone(),
        }
    }
}

/// What all requests share.
pub struct State {
    live: RwLock<Arc<Live>>,
    /// Signs users' tokens.
    pub users: TokenKey,
    /// Those that hold no more.
    pub revocations: Revocations,
    /// How often each client may ask.
    pub buckets: Buckets,
    /// For what takes milliseconds.
    pub light: Gate,
    /// For what writes: one at a time may, and look-ups need not wait behind them.
    pub writes: Gate,
    /// For what takes longer: proofs, and epochs that are not in memory.
    pub heavy: Gate,
    /// For what waits for a database: one at a time.
    #[cfg(feature = "sql")]
    pub pulls: Gate,
    /// Sealed epochs in memory.
    pub epochs: Epochs,
    /// What is counted.
    pub metrics: Metrics,
    /// Who asked what.
    pub accesses: Accesses,
    /// Where the operator reads what went wrong.
    pub notice: Notice,
    root: PathBuf,
    /// Bytes of a table's store that are kept in memory.
    cache: usize,
    /// By identifier.
    tables: RwLock<BTreeMap<String, Arc<Served>>>,
    /// Folders of tables that cannot be opened, and why.
    closed: Mutex<BTreeMap<PathBuf, String>>,
    /// Held while a table is made, or opened.
    making: Mutex<()>,
}

impl Limited for Arc<State> {
    fn body_bytes(&self) -> usize {
        self.live().limits.body_bytes
    }

    fn body_time(&self) -> Duration {
        Duration::from_secs(self.live().limits.body_seconds)
    }

    fn json_depth(&self) -> usize {
        self.live().limits.json_depth
    }
}

impl State {
    /// Opens every table in the configured folder. One that cannot be opened does not keep the others
    /// from being served; it is tried again by [`State::open_closed`].
    ///
    /// # Errors
    /// [`ServeError`], naming the folder.
    pub fn open(config: &Config, notice: Notice) -> Result<Self, ServeError> {
        let root = config.tables.clone();
        let failed = |error: std::io::Error| {
            let reason = format!("{error}: make the folder, or name another as `tables`");
            ServeError::File { path: root.clone(), reason }
        };
        let mut closed = BTreeMap::new();
        for entry in std::fs::read_dir(&root).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if is_unfinished(&path) {
                // Nobody was told that it exists.
                std::fs::remove_dir_all(&path).map_err(failed)?;
            } else if path.join("genesis.json").is_file() {
                closed.insert(path, String::new());
            }
        }
        let limits = &config.limits;
        let state = Self {
            live: RwLock::new(Arc::new(Live::new(config))),
            users: TokenKey::open(&root.join(USERS_KEY))?,
            revocations: Revocations::open(&root.join(USERS_REVOKED))?,
            buckets: Buckets::new(limits.requests_per_second, limits.burst),
            light: Gate::new(light_threads(), limits.waiting),
            writes: Gate::new(WRITERS, limits.waiting),
            heavy: Gate::new(limits.queries, limits.waiting),
            #[cfg(feature = "sql")]
            pulls: Gate::new(1, limits.waiting),
            epochs: Epochs::new(limits.cached_rows),
            metrics: Metrics::default(),
            accesses: Accesses::open(config.access_log.as_ref())?,
            notice,
            root,
            cache: (limits.store_cache_bytes / closed.len().max(1)).max(LEAST_CACHE),
            tables: RwLock::default(),
            closed: Mutex::new(closed),
            making: Mutex::default(),
        };
        state.open_closed();
        Ok(state)
    }

    /// Opens the tables that could not be opened so far; those that now can.
    pub fn open_closed(&self) -> Vec<Arc<Served>> {
        // The one guards no data, and in the other entries come and go one by one.
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = || self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = lock().clone();
        let mut opened = Vec::new();
        for (path, known) in closed {
            match self.open_table(&path) {
                Ok(served) => {
                    lock().remove(&path);
                    opened.push(served);
                }
                Err(reason) => {
                    // Told once, and again when it is another.
                    if reason != known {
                        self.alarm("table", &format!("{}: {reason}", path.display()));
                    }
                    lock().insert(path, reason);
                }
            }
        }
        opened
    }

    fn open_table(&self, path: &Path) -> Result<Arc<Served>, String> {
        let served = Served::open(Folder::new(path), self.cache);
        let served = Arc::new(served.map_err(|error| error.to_string())?);
        // Tables are there or not.
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        // Two stores of one table would become two histories.
        if let Some(other) = tables.get(&served.id) {
            let other = other.folder.path().display();
            return Err(format!("the table is served from {other}: a copy of it must not be"));
        }
        tables.insert(served.id.clone(), Arc::clone(&served));
        Ok(served)
    }

    /// The folders of tables that cannot be opened.
    pub fn closed(&self) -> Vec<PathBuf> {
        // Entries come and go one by one.
        self.closed.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// What holds now; a request that asks once sees one configuration.
    pub fn live(&self) -> Arc<Live> {
        // A configuration is replaced as a whole.
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes another configuration.
    pub fn reload(&self, config: &Config) {
        let next = Arc::new(Live::new(config));
        self.buckets.change(next.limits.requests_per_second, next.limits.burst);
        // A configuration is replaced as a whole.
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = next;
    }

    /// All tables.
    pub fn tables(&self) -> Vec<Arc<Served>> {
        // Tables are there or not.
        self.tables.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// A table by its identifier or its name, if one only has it.
    ///
    /// # Errors
    /// 404.
    pub fn table(&self, name: &str) -> Result<Arc<Served>, Problem> {
        // Tables are there or not.
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = tables.get(name) {
            return Ok(Arc::clone(table));
        }
        let mut named = tables.values().filter(|table| table.name == name);
        match (named.next(), named.next()) {
            (Some(table), None) => Ok(Arc::clone(table)),
            (Some(_), Some(_)) => Err(Problem::not_found(
                "table",
                "several tables have this name: say its identifier",
            )),
            _ => Err(Problem::not_found("table", "there is no such table")),
        }
    }

    /// Makes a table; all of it is on the disk when it is returned.
    ///
    /// # Errors
    /// 409 for a name that is taken, 422 for a plan that no table can have.
    pub fn make(&self, plan: Plan) -> Result<Arc<Served>, Problem> {
        // It guards no data.
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let name = plan.schema.table.clone();
        if !is_plain(&name) {
            let detail = "`table` is made of letters, digits, `-` and `_`, 64 at most";
            return Err(Problem::refused("schema", detail));
        }
        let target = self.root.join(&name);
        if target.symlink_metadata().is_ok() || self.tables().iter().any(|table| table.name == name)
        {
            return Err(Problem::conflict("table", format!("there is a table `{name}` already")));
        }
        let unfinished = self.root.join(format!("{UNFINISHED}{name}"));
        let made = || {
            let folder = Folder::new(&unfinished);
            drop(folder.make(plan)?);
            Served::open(folder.rename(&target)?, self.cache)
        };
        let served = made().map_err(|error| {
            // What stays has the name of what is unfinished, and is not served.
            let _ = std::fs::remove_dir_all(&unfinished);
            folder_problem(error)
        })?;
        let served = Arc::new(served);
        // Tables are there or not.
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        tables.insert(served.id.clone(), Arc::clone(&served));
        Ok(served)
    }

    /// Tells the operator what it must look at.
    pub fn alarm(&self, kind: &'static str, message: &dyn std::fmt::Display) {
        self.metrics.alarm(kind);
        (self.notice)(&format!("{kind}: {message}"));
    }
}

/// A folder that cannot be used.
pub fn folder_problem(error: FolderError) -> Problem {
    match error {
        FolderError::Custody(error) => error.into(),
        error => Problem::internal(error),
    }
}

/// Threads for what takes milliseconds.
pub fn light_threads() -> usize {
    LIGHT_PER_CORE * std::thread::available_parallelism().map_or(1, usize::from)
}

fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(UNFINISHED))
}

/// A name that is a folder's, too.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&name.len()) && name.bytes().all(plain)
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl From<CustodyError> for Problem {
    fn from(error: CustodyError) -> Self {
        let detail = error.to_string();
        match error {
            CustodyError::Row { .. } => Self::refused("row", detail),
            CustodyError::Duplicate { .. } => Self::conflict("duplicate-row", detail),
            CustodyError::Reused => Self::conflict("idempotency-key", detail),
            CustodyError::State { .. } => Self::conflict("epoch-state", detail),
            CustodyError::OutOfOrder { .. } => Self::conflict("epoch-order", detail),
            // The oldest question of the last day may be from now.
            CustodyError::Budget { .. } => Self::too_many("budget", detail, 3600),
            CustodyError::RolledBack { .. } => Self::conflict("rollback", detail),
            CustodyError::Forked { .. } => Self::conflict("equivocation", detail),
            CustodyError::Restoring => Self::conflict("restoring", detail),
            CustodyError::Lost { .. } => Self::conflict("lost", detail),
            CustodyError::Erased { .. } => Self::conflict("erased", detail),
            CustodyError::Fault(_) => Self::refused("proof", detail),
            _ => Self::internal(detail),
        }
    }
}
