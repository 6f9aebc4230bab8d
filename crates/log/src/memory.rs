//! A keeper's store in memory.

use std::{collections::BTreeMap, convert::Infallible};

use wire::Digest;

use crate::{Header, KeeperStore, Leaf, Promise, SignedCheckpoint, Standing};

/// Entries in memory, which end with the process.
#[derive(Clone, Debug, Default)]
pub struct MemoryEntries {
    signed: Option<SignedCheckpoint>,
    leaves: Vec<Leaf>,
    promised: Vec<Header>,
    standing: BTreeMap<Digest, Standing>,
    payloads: BTreeMap<Digest, Vec<u8>>,
}

impl KeeperStore for MemoryEntries {
    type Error = Infallible;

    fn signed(&self) -> Result<Option<SignedCheckpoint>, Infallible> {
        Ok(self.signed.clone())
    }

    fn leaf(&self, index: u64) -> Result<Option<Leaf>, Infallible> {
        let index = usize::try_from(index).ok();
        Ok(index.and_then(|index| self.leaves.get(index)).cloned())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, Infallible> {
        Ok(self.payloads.get(&header.payload()).cloned())
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, Infallible> {
        Ok(self.standing.get(entry).cloned())
    }

    fn promised(&self, limit: usize) -> Result<Vec<Header>, Infallible> {
        Ok(self.promised.iter().take(limit).cloned().collect())
    }

    fn promise(
        &mut self,
        header: &Header,
        payload: &[u8],
        promise: &Promise,
    ) -> Result<(), Infallible> {
        self.payloads.insert(header.payload(), payload.to_vec());
        self.standing.insert(promise.entry, Standing::Promised(promise.clone()));
        self.promised.push(header.clone());
        Ok(())
    }

    fn append(&mut self, leaves: &[Leaf], signed: &SignedCheckpoint) -> Result<(), Infallible> {
        for leaf in leaves {
            let place = Standing::Logged(self.leaves.len() as u64);
            self.standing.insert(leaf.header.digest(), place);
            self.leaves.push(leaf.clone());
        }
        let standing = &self.standing;
        let is_promised =
            |header: &Header| matches!(standing.get(&header.digest()), Some(Standing::Promised(_)));
        self.promised.retain(is_promised);
        self.signed = Some(signed.clone());
        Ok(())
    }
}
