//! The keeper of a simulated log: the schedule tells it what to append, and when. It signs what it shows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use board::Identity;
use log::{
    AccessError, Checkpoint, Header, Leaf, LogAccess, Origin, SignedCheckpoint, Standing, log_key,
    merkle::{CompactRange, Hash},
    note::VerifierKey,
};
use wire::Digest;

/// A log of which nothing is stored, and nothing is checked by its keeper.
pub(super) struct Keeper {
    key: VerifierKey,
    origin: Origin,
    identity: Identity,
    kept: Mutex<Kept>,
}

#[derive(Clone, Default)]
struct Kept {
    leaves: Vec<Leaf>,
    payloads: HashMap<Digest, Vec<u8>>,
    range: CompactRange,
    signed: Option<SignedCheckpoint>,
}

impl Keeper {
    pub(super) fn new(origin: &Origin) -> Self {
        Self::with(origin, Kept::default())
    }

    fn with(origin: &Origin, kept: Kept) -> Self {
        let identity = Identity::from_seed(&[200; 32]);
        let key = log_key(origin, identity.id()).unwrap();
        Self { key, origin: origin.clone(), identity, kept: Mutex::new(kept) }
    }

    /// The same history on another log of the same name and key.
    pub(super) fn fork(&self) -> Self {
        Self::with(&self.origin, self.lock().clone())
    }

    pub(super) fn append(&self, time: u64, header: &Header, payload: &[u8]) {
        let mut kept = self.lock();
        let time = kept.leaves.last().map_or(time, |leaf| leaf.time.max(time));
        let leaf = Leaf { time, header: header.clone() };
        kept.range.push(leaf.hash());
        kept.leaves.push(leaf);
        kept.payloads.insert(header.digest(), payload.to_vec());
        kept.signed = None;
    }

    pub(super) fn has(&self, header: &Header) -> bool {
        self.lock().payloads.contains_key(&header.digest())
    }

    pub(super) fn leaves_from(&self, from: u64) -> Vec<Leaf> {
        self.lock().leaves[from as usize..].to_vec()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap()
    }
}

impl LogAccess for Keeper {
    fn key(&self) -> &VerifierKey {
        &self.key
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        let mut kept = self.lock();
        if kept.signed.is_none() {
            let (size, root) = (kept.range.size(), kept.range.root());
            let checkpoint = Checkpoint::new(self.origin.clone(), size, root);
            kept.signed = Some(checkpoint.sign(&self.identity).unwrap());
        }
        Ok(kept.signed.clone())
    }

    fn wait_beyond(&self, size: u64, _: Duration) -> Result<bool, AccessError> {
        Ok(self.lock().range.size() > size)
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        Ok(self.lock().leaves.iter().skip(from as usize).take(limit).cloned().collect())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        Ok(self.lock().payloads.get(&header.digest()).cloned())
    }

    fn submit(&self, _: &Header, _: &[u8]) -> Result<Standing, AccessError> {
        Err(AccessError::Store("the schedule appends".to_owned()))
    }

    fn standing(&self, _: &Digest) -> Result<Option<Standing>, AccessError> {
        Ok(None)
    }

    fn consistency(&self, _: u64, _: u64) -> Result<Vec<Hash>, AccessError> {
        Err(AccessError::Store("nobody asks".to_owned()))
    }
}

/// The boards' log by name.
pub(super) fn origin() -> Origin {
    "example.org/lunch".parse().unwrap()
}

/// What stands on a log, to be handed in elsewhere.
pub(super) type Recorded = Arc<Vec<(Header, Vec<u8>)>>;

impl Keeper {
    pub(super) fn recorded(&self) -> Vec<(Header, Vec<u8>)> {
        let kept = self.lock();
        let payload = |leaf: &Leaf| kept.payloads[&leaf.header.digest()].clone();
        kept.leaves.iter().map(|leaf| (leaf.header.clone(), payload(leaf))).collect()
    }
}
