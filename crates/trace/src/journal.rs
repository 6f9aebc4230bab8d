//! What a server must not forget.

use std::{collections::BTreeMap, convert::Infallible, fmt::Display};

use wire::Digest;

/// A server's durable memory. It holds what was signed, before it is sent, so that no restart and
/// no second process makes the server sign twice.
pub trait Journal {
    /// Why storing failed.
    type Error: Display;

    /// The value under `key`, if there is one.
    ///
    /// # Errors
    /// Those of the store.
    fn load(&self, key: &Digest) -> Result<Option<Vec<u8>>, Self::Error>;

    /// Stores `value` under `key`, durably, unless there is a value already; returns the value
    /// that is then stored.
    ///
    /// # Errors
    /// Those of the store. Nothing is sent then.
    fn record(&mut self, key: &Digest, value: &[u8]) -> Result<Vec<u8>, Self::Error>;
}

/// A journal for as long as the process lives: for tests, benches and one-process runs.
#[derive(Clone, Debug, Default)]
pub struct MemoryJournal(BTreeMap<Digest, Vec<u8>>);

impl Journal for MemoryJournal {
    type Error = Infallible;

    fn load(&self, key: &Digest) -> Result<Option<Vec<u8>>, Infallible> {
        Ok(self.0.get(key).cloned())
    }

    fn record(&mut self, key: &Digest, value: &[u8]) -> Result<Vec<u8>, Infallible> {
        Ok(self.0.entry(*key).or_insert_with(|| value.to_vec()).clone())
    }
}
