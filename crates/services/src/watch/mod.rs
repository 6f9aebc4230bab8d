//! `subrosa table audit watch`: follows a table's log, audits every new epoch, vouches for it, and
//! compares the log with what witnesses saw.
//!
//! A step has these parts in this order. It may be interrupted anywhere: what is not stored is done again.
//!
//! 1. how the log grew since the last step: the log seen then must be its beginning;
//! 2. every new epoch, from its first row to its digest, and all digests to the root of the log;
//! 3. the logs that witnesses saw last: one of them must continue the other;
//! 4. what was seen is stored;
//! 5. the auditor's word about every epoch goes to the server, and its cosignature, if the table
//!    names it as a witness, too; but not while a witness saw a longer log of which nothing shows that it
//!    continues this one.
//!
//! If there are two histories, the watch ends: the evidence is a bundle, or if no signatures convict, both logs are
//! kept. The auditor attests nothing any more. An epoch whose audit fails is kept as it was shown.

mod compare;
mod error;
mod memory;
mod source;

use std::path::{Path, PathBuf};

use self::{
    compare::{Relation, relate},
    memory::Memory,
};
pub use self::{
    error::WatchError,
    source::{Peer, Source},
};
use crate::witness::write_evidence;
use board::Identity;
use table::{
    Fault, Hash, PublicKey, Table, audit,
    log::{Attestation, Evidence, Growth, merkle},
};

const EVIDENCE: &str = "evidence";

/// What a step found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Epochs in the log.
    pub epochs: u64,
    /// Those that were audited now.
    pub audited: Vec<u32>,
    /// Witnesses that could not be asked, or saw a longer log than is shown here, and what follows.
    pub notices: Vec<String>,
}

/// An auditor that follows a table.
pub struct Watcher {
    table: Hash,
    auditor: Identity,
    folder: PathBuf,
}

impl Watcher {
    /// An auditor of a table that remembers in a folder, which must be there.
    pub fn new(table: Hash, auditor: Identity, folder: &Path) -> Self {
        Self { table, auditor, folder: folder.to_owned() }
    }

    /// Looks once; `now` is in seconds since 1970.
    ///
    /// # Errors
    /// [`WatchError`].
    pub fn step(
        &self,
        source: &dyn Source,
        peers: &[&dyn Peer],
        now: u64,
    ) -> Result<Step, WatchError> {
        // Two processes that remember in one folder would vouch for two histories.
        let _alone = memory::lock(&self.folder)?;
        let evidence = self.folder.join(EVIDENCE);
        if evidence.join("bundle.json").symlink_metadata().is_ok() {
            return Err(WatchError::Forked { offence: "two histories", path: evidence });
        }
        if let Some((peer, path)) = memory::differing(&self.folder)? {
            return Err(WatchError::Differs { peer, path });
        }
        let memory = Memory::load(&self.folder)?;
        let since = memory.as_ref().map_or(0, |memory| memory.digests.len() as u64);
        let growth = match source.growth(since) {
            // No epoch is in the log yet.
            Err(error) if since == 0 && error.status() == Some(404) => {
                return Ok(Step::default());
            }
            growth => growth?,
        };
        let mut memory = self.follow(memory, growth)?;
        let audited = self.audit(source, &mut memory)?;
        let (notices, connected) = self.compare(peers, &memory)?;
        memory.store(&self.folder)?;
        if connected {
            self.vouch(source, &mut memory, now)?;
        }
        Ok(Step { epochs: memory.growth.signed.checkpoint.size, audited, notices })
    }

    /// Requires that the log continues the one seen last.
    fn follow(&self, memory: Option<Memory>, growth: Growth) -> Result<Memory, WatchError> {
        if *growth.table.id() != self.table {
            return Err(WatchError::Log(Fault::Mismatch { what: "the genesis" }));
        }
        if !growth.table.genesis().auditors.contains(&PublicKey::of(&self.auditor)) {
            return Err(WatchError::NotNamed);
        }
        let seen = memory.as_ref().map(|memory| &memory.growth);
        // Keys first: where the operator's keys part, neither log can be verified under those of the other.
        if let Some(evidence) = seen.and_then(|seen| growth.succession(seen)) {
            return Err(self.convict(&growth.table, &evidence));
        }
        let seen = seen.map(|seen| &seen.signed);
        if let Err(fault) = growth.verify(seen) {
            let evidence = seen.and_then(|seen| growth.fork(seen));
            return Err(match evidence {
                Some(evidence) => self.convict(&growth.table, &evidence),
                None => WatchError::Log(fault),
            });
        }
        // Of a table that is watched for the first time nothing is remembered.
        let (digests, vouched) =
            memory.map(|memory| (memory.digests, memory.vouched)).unwrap_or_default();
        Ok(Memory { growth, digests, vouched })
    }

    /// Audits the epochs that are new, and adds their digests, which must be those of the log.
    fn audit(&self, source: &dyn Source, memory: &mut Memory) -> Result<Vec<u32>, WatchError> {
        let Memory { growth, digests, .. } = memory;
        let (table, checkpoint) = (&growth.table, &growth.signed.checkpoint);
        let mut audited = Vec::new();
        while (digests.len() as u64) < checkpoint.size {
            let epoch = table.genesis().first_epoch.saturating_add(digests.len() as u32);
            let (header, bundle) = (source.header(epoch)?, source.bundle(epoch)?);
            // The first epoch follows the table's name, as its core says.
            let previous = digests.last().unwrap_or(table.id());
            let links = header.core.epoch == epoch && header.core.previous == *previous;
            let verified = match links {
                true => audit::verify(table, &header, &bundle, &()),
                false => Err(Fault::Mismatch { what: "the epoch before" }),
            };
            if let Err(fault) = verified {
                let path = memory::keep(&self.folder, epoch, &header, &bundle)?;
                return Err(WatchError::Audit { epoch, fault, path });
            }
            digests.push(header.digest(table.id()));
            audited.push(epoch);
        }
        let leaves: Vec<_> = digests.iter().map(Hash::as_bytes).collect();
        match merkle::root(&leaves) == checkpoint.root {
            true => Ok(audited),
            false => Err(WatchError::Log(Fault::Mismatch { what: "the epochs of the log" })),
        }
    }

    /// Compares the log with those that witnesses saw last; notices, and whether every longer one is
    /// known to continue it.
    fn compare(
        &self,
        peers: &[&dyn Peer],
        memory: &Memory,
    ) -> Result<(Vec<String>, bool), WatchError> {
        let Memory { growth, digests, .. } = memory;
        let (mut notices, mut connected) = (Vec::new(), true);
        for peer in peers {
            let seen = match peer.seen() {
                Ok(Some(seen)) if *seen.table.id() == self.table => seen,
                Ok(_) => continue,
                Err(error) => {
                    notices.push(error.to_string());
                    continue;
                }
            };
            let ours = growth.signed.checkpoint.size;
            let longer = || {
                let theirs = seen.signed.checkpoint.size;
                let name = peer.name();
                format!(
                    "{name}: the witness saw a log of {theirs} epochs, and the server shows {ours}"
                )
            };
            match relate(growth, digests, &seen) {
                Err(fault) => {
                    notices
                        .push(format!("{}: the witness's log does not hold: {fault}", peer.name()));
                }
                Ok(Relation::Differs(Some(evidence))) => {
                    return Err(self.convict(&growth.table, &evidence));
                }
                Ok(Relation::Differs(None)) => {
                    let peer = peer.name().to_owned();
                    let path = memory::keep_differing(&self.folder, &peer, growth, &seen)?;
                    return Err(WatchError::Differs { peer, path });
                }
                Ok(Relation::Unconnected) => {
                    connected = false;
                    let why = "nothing connects the two, so nothing is vouched for yet";
                    notices.push(format!("{}; {why}", longer()));
                }
                Ok(Relation::Continues) if seen.signed.checkpoint.size > ours => {
                    notices.push(longer());
                }
                Ok(Relation::Continues) => {}
            }
        }
        Ok((notices, connected))
    }

    /// Brings the server the auditor's word about every epoch about which it has none yet, and the cosignature if
    /// the auditor is a witness, too. After an interruption the next step brings the words again.
    fn vouch(&self, source: &dyn Source, memory: &mut Memory, now: u64) -> Result<(), WatchError> {
        let table = &memory.growth.table;
        // More than fits is more than there are: nothing is left to bring.
        let start = usize::try_from(memory.vouched).unwrap_or(usize::MAX);
        let (first, size) = (table.genesis().first_epoch, memory.digests.len() as u64);
        let fresh = (0_u32..).zip(&memory.digests).skip(start);
        for (index, digest) in fresh {
            let epoch = first.saturating_add(index);
            source.attest(&Attestation::sign(&self.auditor, table, epoch, *digest))?;
        }
        if table.genesis().witnesses.contains(&PublicKey::of(&self.auditor)) {
            source.cosign(&memory.growth.signed.checkpoint.cosign(&self.auditor, now))?;
        }
        if memory.vouched != size {
            memory.vouched = size;
            memory.store(&self.folder)?;
        }
        Ok(())
    }

    /// Keeps evidence as a bundle. It ends this step and, as long as it is there, every later one.
    fn convict(&self, table: &Table, evidence: &Evidence) -> WatchError {
        let path = self.folder.join(EVIDENCE);
        match write_evidence(&path, table, evidence) {
            Ok(()) => WatchError::Forked { offence: evidence.offence(), path },
            Err(reason) => WatchError::State { path, reason },
        }
    }
}
