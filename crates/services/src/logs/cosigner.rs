//! A witness that a keeper asks.

use std::sync::atomic::AtomicU64;

use client::logs::RemoteWitness;
use log::note::VerifierKey;

use super::config::WitnessEntry;

const ROOTS_LIMIT: u64 = 1 << 24;

/// A witness that is asked.
pub(super) struct Cosigner {
    pub(super) key: VerifierKey,
    pub(super) witness: RemoteWitness,
    /// The size that it cosigned last, as far as is known.
    pub(super) seen: AtomicU64,
}

impl Cosigner {
    pub(super) fn new(key: VerifierKey, entry: &WitnessEntry) -> Result<Self, String> {
        let roots = entry.roots.as_ref().map_or(Ok(Vec::new()), |path| {
            let bytes = wire::read_bounded(path, ROOTS_LIMIT);
            bytes.map_err(|error| format!("{}: {error}", path.display()))
        })?;
        let witness = RemoteWitness::new(&entry.url, &roots).map_err(|error| error.to_string())?;
        Ok(Self { key, witness, seen: AtomicU64::new(0) })
    }
}
