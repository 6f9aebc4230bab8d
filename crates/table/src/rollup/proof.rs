//! What an answer from a roll-up shows of it: the verifier's side.

use wire::{Decode, DecodeError, Encode, Reader};

use super::{Predicate, Rollups, rollup_leaf};
use crate::{
    Fault, Hash, Refused, Table,
    checks::{TA_20, TB_4, Under as _},
    log::{Checkpoint, LoggedEpoch},
    query::{CoveredKey, Query},
    sum_tree::{MAX_ROWS, Root},
    trie::Member,
};

const MAX_EPOCHS: usize = 1 << 16;

/// The roll-up of a region, in the epoch that logged it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledUp {
    /// From the first epoch of the region to the one that holds the roll-up.
    pub epochs: Vec<LoggedEpoch>,
    /// Its path in that epoch's trie of roll-ups.
    pub member: Member,
    /// The root of its tree.
    pub root: Root,
}

impl RolledUp {
    /// Shows the roll-up of a query; `None` if there is none in these.
    pub(crate) fn show(
        rollups: &Rollups,
        predicate: &Predicate,
        epochs: Vec<LoggedEpoch>,
    ) -> Option<Self> {
        let member = rollups.trie.as_ref()?.member(predicate.hash().as_bytes())?;
        Some(Self { epochs, member, root: rollups.get(predicate)?.tree.root() })
    }

    /// Checks that the log holds the roll-up of this very query, and that the epochs which its
    /// auditor saw are those of the log. The digests of the epochs it covers and, last, of the one
    /// that holds it; its root, as if it were a key's.
    pub(crate) fn verify(
        &self,
        table: &Table,
        checkpoint: &Checkpoint,
        query: &Query,
    ) -> Result<(Vec<(u32, Hash)>, CoveredKey), Refused> {
        let (schema, region) = (table.schema(), &query.region);
        let mut digests: Vec<(u32, Hash)> = Vec::with_capacity(self.epochs.len());
        for (index, logged) in self.epochs.iter().enumerate() {
            let core = &logged.header.core;
            if u64::from(core.epoch) != u64::from(region.from) + index as u64 {
                let reason = "an epoch is missing or out of order";
                return Err(Fault::Query { reason }).under(TA_20);
            }
            let digest = logged.verify(table, checkpoint).under(TB_4)?;
            // The audit of the roll-up follows these links, and not the log.
            if digests.last().is_some_and(|(_, before)| *before != core.previous) {
                return Err(Fault::Mismatch { what: "the epoch before" }).under(TA_20);
            }
            digests.push((core.epoch, digest));
        }
        let missing = Fault::Query { reason: "an epoch is missing or out of order" };
        let holder = &self.epochs.last().ok_or(missing).under(TA_20)?.header.core;
        let predicate = Predicate::of(schema, query);
        predicate.check(table, holder.epoch).under(TA_20)?;
        let Root { count, doubles, .. } = &self.root;
        if doubles.len() != schema.slots(predicate.column).len() || *count == 0 || *count > MAX_ROWS
        {
            return Err(Fault::Bounds { what: "the record of a roll-up" }).under(TA_20);
        }
        let record = predicate.record(table, holder.epoch, &self.root);
        let key = predicate.hash().as_bytes().to_vec();
        self.member.verify(&holder.rollups, &key, &rollup_leaf(&record)).under(TA_20)?;
        digests.retain(|(epoch, _)| *epoch <= region.to || *epoch == holder.epoch);
        let (epoch, root) = (holder.epoch, self.root.clone());
        Ok((digests, CoveredKey { epoch, key, root, record }))
    }
}

impl Encode for RolledUp {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.epochs.len() as u32).encode(out);
        self.epochs.iter().for_each(|epoch| epoch.encode(out));
        self.member.encode(out);
        self.root.encode(out);
    }
}

impl Decode for RolledUp {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let epochs = reader.count("epochs", MAX_EPOCHS)?;
        let epochs = (0..epochs).map(|_| LoggedEpoch::decode(reader));
        let epochs = epochs.collect::<Result<_, DecodeError>>()?;
        Ok(Self { epochs, member: Member::decode(reader)?, root: Root::decode(reader)? })
    }
}
