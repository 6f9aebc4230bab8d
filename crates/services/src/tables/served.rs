//! A table that is served: its custodian, and what is kept in memory so that look-ups are fast.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockResult,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use client::api;
use data_encoding::BASE64;
use table::{
    Hash,
    log::{LoggedEpoch, LoggedRotation, SignedCheckpoint},
    store::{BUNDLE_CHUNK, Custodian, CustodyError, EpochState, RedbStore},
};
use wire::Encode as _;

use super::sealing::Sealing;
use crate::{
    folder::{Folder, FolderError},
    http::Problem,
};

/// Anybody may ask whether a store works: it is looked at so often.
const PROBE_EVERY: Duration = Duration::from_secs(1);
/// Places in the log, and lengths of bundles, that are kept of a table.
const MAX_KEPT: usize = 1 << 12;

/// The newest log that may be shown to anybody, computed once.
pub struct View {
    /// The checkpoint, with all cosignatures known.
    pub signed: SignedCheckpoint,
    /// The changes of the operator's key that it records.
    pub rotations: Vec<LoggedRotation>,
    /// Its digests.
    pub digests: Vec<Hash>,
    /// Checkpoint and rotations as they are sent.
    pub sent: api::LogView,
    generation: u64,
    places: Mutex<HashMap<u32, LoggedEpoch>>,
}

/// A table that is served.
pub struct Served {
    /// Its name for people.
    pub name: String,
    /// The name that clients pin, in hexadecimal.
    pub id: String,
    /// Where it lives.
    pub folder: Folder,
    /// The epoch that is being sealed.
    pub sealing: Sealing,
    custodian: RwLock<Custodian<RedbStore>>,
    generation: AtomicU64,
    view: RwLock<Option<Arc<View>>>,
    bundles: Mutex<HashMap<u32, u64>>,
    /// When the store was last probed, and whether it works.
    probed: Mutex<Option<(Instant, bool)>>,
}

impl Served {
    /// Opens a folder, and keeps so many bytes of its store in memory.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn open(folder: Folder, cache: usize) -> Result<Self, FolderError> {
        let custodian = folder.open_with_cache(cache)?;
        let table = custodian.table();
        Ok(Self {
            name: table.schema().table.clone(),
            id: table.id().to_string(),
            folder,
            sealing: Sealing::default(),
            custodian: RwLock::new(custodian),
            generation: AtomicU64::new(0),
            view: RwLock::default(),
            bundles: Mutex::default(),
            probed: Mutex::new(None),
        })
    }

    /// The custodian, which many may use at once. Never on the asynchronous runtime.
    pub fn custodian(&self) -> RwLockReadGuard<'_, Custodian<RedbStore>> {
        // Another key replaces the table as a whole, once it is stored (`Custodian::rotate`).
        self.custodian.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the store works, as it was found within the last second.
    pub fn works(&self) -> bool {
        // It is replaced as a whole.
        let mut probed = self.probed.lock().unwrap_or_else(PoisonError::into_inner);
        match *probed {
            Some((at, works)) if at.elapsed() < PROBE_EVERY => works,
            _ => {
                let works = self.custodian().probe().is_ok();
                *probed = Some((Instant::now(), works));
                works
            }
        }
    }

    /// The custodian alone, to change the operator's key, if nobody uses it now.
    ///
    /// # Errors
    /// As [`RwLock::try_write`].
    pub fn try_exclusive(&self) -> TryLockResult<RwLockWriteGuard<'_, Custodian<RedbStore>>> {
        self.custodian.try_write()
    }

    /// What is shown has changed.
    pub fn changed(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// The newest log that may be shown; none if no epoch is sealed.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn view(&self) -> Result<Option<Arc<View>>, CustodyError> {
        let generation = self.generation.load(Ordering::Acquire);
        {
            // A view is replaced as a whole.
            let known = self.view.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(view) = known.as_ref().filter(|view| view.generation == generation) {
                return Ok(Some(Arc::clone(view)));
            }
        }
        let custodian = self.custodian();
        let size = custodian.served_size()?;
        if size == 0 {
            return Ok(None);
        }
        let signed = custodian.checkpoint(size)?;
        let rotations = custodian.rotations(size)?;
        let mut digests = custodian.digests()?;
        digests.truncate(size as usize);
        let encoded = rotations.iter().map(|rotation| BASE64.encode(&rotation.to_bytes()));
        let sent = api::LogView { checkpoint: signed.to_note(), rotations: encoded.collect() };
        let places = Mutex::default();
        let view = Arc::new(View { signed, rotations, digests, sent, generation, places });
        let mut known = self.view.write().unwrap_or_else(PoisonError::into_inner);
        *known = Some(Arc::clone(&view));
        Ok(Some(view))
    }

    /// The newest log that may be shown.
    ///
    /// # Errors
    /// 404 if no epoch is sealed.
    pub fn shown(&self) -> Result<Arc<View>, Problem> {
        let none = || Problem::not_found("log", "no epoch of this table is sealed yet");
        self.view()?.ok_or_else(none)
    }

    /// The newest log that may be shown, if it holds an epoch.
    ///
    /// # Errors
    /// 404 with the epoch's state.
    pub fn sealed(&self, epoch: u32) -> Result<Arc<View>, Problem> {
        let custodian = self.custodian();
        let first = custodian.table().genesis().first_epoch;
        if let Some(view) = self.view()?
            && epoch.checked_sub(first).is_some_and(|index| u64::from(index) < view.size())
        {
            return Ok(view);
        }
        let state = state_name(custodian.state(epoch)?);
        let detail = format!("epoch {epoch} is not sealed: it is {state}");
        Err(Problem::not_found("epoch", detail))
    }

    /// Bytes of an epoch's audit bundle, found in its parts without reading all of them.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn bundle_length(&self, epoch: u32) -> Result<u64, CustodyError> {
        let known = |bundles: &Mutex<HashMap<u32, u64>>| {
            // A length is there or not.
            bundles.lock().unwrap_or_else(PoisonError::into_inner).get(&epoch).copied()
        };
        if let Some(length) = known(&self.bundles) {
            return Ok(length);
        }
        let custodian = self.custodian();
        let part = |number| custodian.bundle_chunk(epoch, number);
        let (mut last, mut length) = (None, 0);
        // Parts are there without a gap: the last is found by halving.
        let mut beyond = 1_u32;
        while let Some(bytes) = part(beyond - 1)? {
            (last, length) = (Some(beyond - 1), bytes.len());
            beyond = beyond.saturating_mul(2);
        }
        let (mut low, mut high) = (last.map_or(0, |last| last + 1), beyond - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            match part(middle)? {
                Some(bytes) => {
                    (last, length) = (Some(middle), bytes.len());
                    low = middle + 1;
                }
                None => high = middle,
            }
        }
        let whole = last.map_or(0, |last| u64::from(last) * BUNDLE_CHUNK as u64);
        let length = whole + length as u64;
        let mut bundles = self.bundles.lock().unwrap_or_else(PoisonError::into_inner);
        if bundles.len() >= MAX_KEPT {
            bundles.clear();
        }
        bundles.insert(epoch, length);
        Ok(length)
    }
}

impl View {
    /// Epochs in the log.
    pub fn size(&self) -> u64 {
        self.signed.checkpoint.size
    }

    /// An epoch's place in this log.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn place(
        &self,
        custodian: &Custodian<RedbStore>,
        epoch: u32,
    ) -> Result<LoggedEpoch, CustodyError> {
        // A place is there or not.
        let lock = || self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = lock().get(&epoch) {
            return Ok(place.clone());
        }
        let place = custodian.logged(epoch, self.size())?;
        let mut places = lock();
        if places.len() >= MAX_KEPT {
            places.clear();
        }
        places.insert(epoch, place.clone());
        Ok(place)
    }
}

/// A state in a word.
pub fn state_name(state: EpochState) -> &'static str {
    match state {
        EpochState::Open => "open",
        EpochState::Closing => "closing",
        EpochState::Built => "built",
        EpochState::Proved => "proved",
        EpochState::Logged => "logged",
        EpochState::Witnessed => "sealed",
    }
}
