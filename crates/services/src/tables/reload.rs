//! A running server takes another configuration, certificate and key: on SIGHUP, or when the files have
//! changed. Connections stay open. What is wrong changes nothing, and the operator is told.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{seal, served::Served, state::State};
use crate::{
    config::Config,
    http::{Hangup, ServeError, Tuning},
};

/// Seconds after which tables that could not be opened are tried again.
const RETRY: Duration = Duration::from_secs(10);
/// Bytes of a file that is looked at for changes.
const LIMIT: u64 = 16 << 20;

/// What follows the files of a running server.
struct Follower {
    state: Arc<State>,
    tuning: Tuning,
    path: PathBuf,
    config: Config,
    /// Of the files as they were read last.
    seen: blake3::Hash,
}

/// Takes changes of a configuration that was read from a file, for as long as the server runs.
///
/// # Errors
/// [`ServeError::Runtime`] if the process cannot be told of signals.
pub fn follow(state: &Arc<State>, config: &Config, tuning: Tuning) -> Result<(), ServeError> {
    let mut hangup = Hangup::new()?;
    let Some(path) = config.path.clone() else { return Ok(()) };
    let seen = fingerprint(&path, config);
    let state = Arc::clone(state);
    let mut follower = Follower { state, tuning, path, config: config.clone(), seen };
    tokio::spawn(async move {
        loop {
            let asked = match follower.config.reload_seconds {
                0 => {
                    hangup.recv().await;
                    true
                }
                seconds => tokio::select! {
                    () = hangup.recv() => true,
                    () = tokio::time::sleep(Duration::from_secs(seconds)) => false,
                },
            };
            // Files are read where they keep nobody waiting.
            let looked = tokio::task::spawn_blocking(move || {
                follower.look(asked);
                follower
            });
            match looked.await {
                Ok(next) => follower = next,
                Err(_) => return,
            }
        }
    });
    Ok(())
}

/// Opens tables that could not be opened before, from time to time.
pub fn retry(state: &Arc<State>) {
    let state = Arc::clone(state);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(RETRY).await;
            let state = Arc::clone(&state);
            if tokio::task::spawn_blocking(move || open_closed(&state)).await.is_err() {
                return;
            }
        }
    });
}

fn open_closed(state: &Arc<State>) {
    for table in state.open_closed() {
        (state.notice)(&format!("table {}: opened", table.name));
        resume(state, &table);
    }
}

/// Goes on with what a stopped server left half done, and tells the operator if that is not possible.
pub fn resume(state: &Arc<State>, table: &Arc<Served>) {
    if let Err(problem) = seal::resume(state, table) {
        state.alarm("seal", &format!("table {}: {problem:?}", table.id));
    }
}

impl Follower {
    fn look(&mut self, asked: bool) {
        if asked {
            open_closed(&self.state);
        }
        let seen = fingerprint(&self.path, &self.config);
        if !asked && seen == self.seen {
            return;
        }
        self.seen = seen;
        match self.take() {
            Ok(()) => (self.state.notice)(&format!("reload: {} is taken", self.path.display())),
            Err(reason) => {
                let message = format!("{reason}: what held before holds on");
                self.state.alarm("reload", &message);
            }
        }
    }

    fn take(&mut self) -> Result<(), String> {
        let next = Config::load(&self.path).map_err(|error| error.to_string())?;
        if let Some(option) = self.config.fixed_difference(&next) {
            let path = self.path.display();
            return Err(format!("{path}: a change of `{option}` needs a restart"));
        }
        self.tuning.apply(&next).map_err(|error| error.to_string())?;
        self.state.reload(&next);
        self.config = next;
        // With the names of certificate and key as they are now.
        self.seen = fingerprint(&self.path, &self.config);
        Ok(())
    }
}

/// What the files hold, or why they cannot be read.
fn fingerprint(path: &Path, config: &Config) -> blake3::Hash {
    let tls = config.tls.iter().flat_map(|tls| [&tls.certificate, &tls.key]);
    let files = tls.chain(config.page.iter().map(|page| &page.file));
    let mut hasher = blake3::Hasher::new();
    for file in files.map(PathBuf::as_path).chain([path]) {
        let bytes = wire::read_bounded(file, LIMIT);
        let hash = bytes.map_or_else(
            |error| blake3::hash(error.to_string().as_bytes()),
            |bytes| blake3::hash(&bytes),
        );
        hasher.update(hash.as_bytes());
    }
    hasher.finalize()
}
