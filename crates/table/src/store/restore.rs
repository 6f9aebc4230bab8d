//! After a restore: before anything is signed, the operator asks what others saw of the log. Epochs that were sealed
//! after the copy was made are taken over as they are in the log, and rows are asked for again.
//!
//! A copy of the store is older than what its operator signed. If it sealed an epoch again, there would be two
//! histories. If it sealed the open epoch without rows that have receipts, there would be an omission. Both are
//! evidence against an operator who only restored a copy. So a restored store
//!
//! 1. seals nothing until the operator says that rows were asked for again ([`Custodian::begin_restore`],
//!    [`Custodian::resume`]);
//! 2. signs nothing at all while somebody is known to have seen a longer log ([`Custodian::compare`]);
//! 3. continues that log with the epochs that it lost, of which others kept headers and audits
//!    ([`Custodian::adopt`]): they are proven to be the operator's own, and no question about them is answered;
//! 4. derives the keys of users that are new from the secret of their key period, or takes them from the users
//!    ([`Custodian::restore_keys`]) if the copy is from before there was one, so that the same row sent again is
//!    committed to by the same points, and its receipt holds;
//! 5. erases once more what was erased since ([`Custodian::erase_again`]).

use rand_core::CryptoRng;
use wire::Encode as _;

use super::{BUNDLE_CHUNK, Custodian, CustodyError, EpochState, Space, Store, Write, state::state};
use crate::{
    AuxRecord, EpochHeader, Fault, Hash, Table, UserKeys, audit,
    log::{LoggedRotation, SignedCheckpoint, check_records, encode_records, merkle},
};

/// Epochs in the longest log that somebody saw.
const SEEN: &[u8] = b"seen";
/// Rows of the open epoch are being asked for again.
const RESTORED: &[u8] = b"restored";
/// And an epoch: it was sealed after the copy was made.
const LOST: &[u8] = b"lost";

/// An epoch that is in the log and not in the store, as an auditor has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostEpoch {
    /// Its header.
    pub header: EpochHeader,
    /// Its audit bundle.
    pub audit: Vec<u8>,
    /// What it records; not needed if that is nothing, or if a change of the operator's key shows it.
    pub records: Vec<AuxRecord>,
}

impl<S: Store> Custodian<S> {
    /// Begins a restore: no epoch is sealed before [`Custodian::resume`].
    ///
    /// # Errors
    /// [`CustodyError::Store`].
    pub fn begin_restore(&self) -> Result<(), CustodyError> {
        let _writer = self.write();
        Ok(self.store.commit(vec![(Space::Meta, RESTORED.to_vec(), Some(Vec::new()))])?)
    }

    /// Ends a restore: whoever has receipts for rows of the open epoch was asked to send them again.
    ///
    /// # Errors
    /// [`CustodyError::RolledBack`] while the log is behind, [`CustodyError::Unerased`] while rows are here that
    /// were erased.
    pub fn resume(&self) -> Result<(), CustodyError> {
        let _writer = self.write();
        self.require_caught_up()?;
        self.require_erased()?;
        Ok(self.store.commit(vec![(Space::Meta, RESTORED.to_vec(), None)])?)
    }

    /// Compares with a log that somebody saw, under the changes of the operator's key that it shows. That it
    /// is longer is remembered: until the log is as long, nothing is signed.
    ///
    /// # Errors
    /// [`CustodyError::RolledBack`]; [`CustodyError::Forked`] for another log of its size;
    /// [`CustodyError::Fault`] for one that the operator did not sign.
    pub fn compare(
        &self,
        seen: &SignedCheckpoint,
        rotations: &[LoggedRotation],
    ) -> Result<(), CustodyError> {
        seen.verify_operator(&self.table_of(seen, rotations)?)?;
        let _writer = self.write();
        let (digests, size) = (self.digests()?, seen.checkpoint.size);
        let stored = digests.len() as u64;
        if size > stored {
            let longest = self.seen()?.max(size).to_be_bytes().to_vec();
            self.store.commit(vec![(Space::Meta, SEEN.to_vec(), Some(longest))])?;
            return Err(CustodyError::RolledBack { seen: size, stored });
        }
        match root_of(&digests, size) == seen.checkpoint.root {
            true => Ok(()),
            false => Err(CustodyError::Forked { size }),
        }
    }

    /// Takes over epochs that were sealed after the copy was made: the log is then the one that was seen.
    /// Which they were.
    ///
    /// # Errors
    /// [`CustodyError::Fault`] if these are not the epochs between this log and the one seen.
    pub fn adopt(
        &mut self,
        seen: &SignedCheckpoint,
        rotations: &[LoggedRotation],
        lost: &[LostEpoch],
    ) -> Result<Vec<u32>, CustodyError> {
        let table = self.table_of(seen, rotations)?;
        seen.verify_operator(&table)?;
        let writer = self.write();
        let mut digests = self.digests()?;
        let mut epochs = Vec::with_capacity(lost.len());
        let mut batch: Vec<Write> = Vec::new();
        let witnessed = seen.verify(&table).is_ok();
        let reached = if witnessed { EpochState::Witnessed } else { EpochState::Logged };
        for LostEpoch { header, audit, records } in lost {
            let epoch = table.genesis().first_epoch.saturating_add(digests.len() as u32);
            // The first epoch follows the table's name.
            let previous = digests.last().unwrap_or(table.id());
            if header.core.epoch != epoch || header.core.previous != *previous {
                return Err(Fault::Mismatch { what: "an epoch that was lost" }.into());
            }
            if audit::hash(audit) != header.audit {
                return Err(Fault::Mismatch { what: "the audit of an epoch that was lost" }.into());
            }
            let shown = rotations.iter().find(|known| known.epoch.header.core.epoch == epoch);
            let records = match (records.is_empty(), shown) {
                (true, Some(known)) => &known.records,
                _ => records,
            };
            // They say how many rows were erased.
            check_records(header, records)?;
            if !records.is_empty() {
                let mut bytes = Vec::new();
                encode_records(records, &mut bytes);
                batch.push((Space::Records, epoch.to_be_bytes().to_vec(), Some(bytes)));
            }
            let digest = header.digest(table.id());
            batch.extend(taken_over((epoch, &digest), header, audit));
            batch.push(state(epoch, reached));
            digests.push(digest);
            epochs.push(epoch);
        }
        let size = digests.len() as u64;
        if size != seen.checkpoint.size {
            let (got, expected) = (size, seen.checkpoint.size);
            return Err(Fault::Number { what: "epochs in the log", got, expected }.into());
        }
        if root_of(&digests, size) != seen.checkpoint.root {
            return Err(CustodyError::Forked { size });
        }
        let note = seen.to_note().into_bytes();
        batch.push((Space::Checkpoints, size.to_be_bytes().to_vec(), Some(note)));
        self.store.commit(batch)?;
        drop(writer);
        self.table = table;
        Ok(epochs)
    }

    /// Takes the keys of a user back that got them after the copy was made. Keys that are there stay.
    ///
    /// # Errors
    /// [`CustodyError::Damaged`] if the user has others: then its row has been sent again without them.
    pub fn restore_keys(
        &self,
        epoch: u32,
        user: &[u8],
        keys: &UserKeys,
        rng: &mut impl CryptoRng,
    ) -> Result<(), CustodyError> {
        let _writer = self.write();
        match self.user_keys(epoch, user)? {
            Some(known) if *known.to_bytes() == *keys.to_bytes() => Ok(()),
            Some(_) => Err(CustodyError::Damaged("the user has other keys in this key period")),
            None => {
                let mut batch = Vec::new();
                let secret = self.secret_or_drawn(epoch, &mut batch, rng)?;
                let (derived, given) =
                    self.give_keys(&secret, epoch, user, self.user_key(epoch, user))?;
                batch.push(given);
                // The copy may be from before the period's secret was drawn.
                if *derived.to_bytes() != *keys.to_bytes() {
                    let place = self.user_key(epoch, user);
                    batch.push(self.seal(Space::Users, place, &*keys.to_bytes(), rng)?);
                }
                Ok(self.store.commit(batch)?)
            }
        }
    }

    /// Whether an epoch's rows were lost, though it is in the log.
    ///
    /// # Errors
    /// [`CustodyError::Store`].
    pub fn is_lost(&self, epoch: u32) -> Result<bool, CustodyError> {
        Ok(self.store.get(Space::Meta, &lost(epoch))?.is_some())
    }

    /// Requires that nobody saw a longer log: what is signed now might be a second history.
    pub(super) fn require_caught_up(&self) -> Result<(), CustodyError> {
        let (seen, stored) = (self.seen()?, self.digests()?.len() as u64);
        match seen > stored {
            true => Err(CustodyError::RolledBack { seen, stored }),
            false => Ok(()),
        }
    }

    /// Requires besides that no restore is under way.
    pub(super) fn require_restored(&self) -> Result<(), CustodyError> {
        self.require_caught_up()?;
        self.require_erased()?;
        match self.store.get(Space::Meta, RESTORED)? {
            Some(_) => Err(CustodyError::Restoring),
            None => Ok(()),
        }
    }

    /// Epochs in the longest log that somebody saw and this store did not have.
    fn seen(&self) -> Result<u64, CustodyError> {
        let stored = self.store.get(Space::Meta, SEEN)?;
        let read = |bytes: Vec<u8>| bytes.as_slice().try_into().map(u64::from_be_bytes);
        let damaged = CustodyError::Damaged("the size of the longest log seen");
        stored.map_or(Ok(0), |bytes| read(bytes).map_err(|_| damaged))
    }

    /// The table with the changes of the operator's key that a log shows.
    fn table_of(
        &self,
        seen: &SignedCheckpoint,
        rotations: &[LoggedRotation],
    ) -> Result<Table, CustodyError> {
        let mut table = self.table.clone();
        let known: Vec<u32> = table.rotations().iter().map(|rotation| rotation.epoch).collect();
        let unknown = rotations.iter().filter(|one| !known.contains(&one.epoch.header.core.epoch));
        unknown.into_iter().try_for_each(|one| one.apply(&mut table, &seen.checkpoint))?;
        Ok(table)
    }
}

/// What is stored of an epoch that was lost.
fn taken_over(
    (epoch, digest): (u32, &Hash),
    header: &EpochHeader,
    audit: &[u8],
) -> impl Iterator<Item = Write> {
    let place = epoch.to_be_bytes().to_vec();
    let mut batch = vec![
        (Space::Headers, place.clone(), Some(header.to_bytes())),
        (Space::Log, place.clone(), Some(digest.as_bytes().to_vec())),
        (Space::Meta, lost(epoch), Some(Vec::new())),
    ];
    for (number, chunk) in (0_u32..).zip(audit.chunks(BUNDLE_CHUNK)) {
        let key = [&place[..], &number.to_be_bytes()].concat();
        batch.push((Space::Bundles, key, Some(chunk.to_vec())));
    }
    batch.into_iter()
}

fn lost(epoch: u32) -> Vec<u8> {
    [LOST, &epoch.to_be_bytes()].concat()
}

fn root_of(digests: &[Hash], size: u64) -> Hash {
    let leaves: Vec<_> = digests.iter().take(size as usize).map(Hash::as_bytes).collect();
    merkle::root(&leaves)
}
