//! Erasing users' rows: the secret of their key period forgets them, their rows are removed, and tombstones stay. The
//! next epoch records the number of tombstones.
//!
//! Whoever has a user's keys can open its commitments by trying values. So the keys are erased for the whole key
//! period, together with all rows of the user in it. The log keeps the commitments: earlier answers and audits still
//! verify, and nothing new is answered about groups that had such rows. An older copy of the store has fewer tombstones
//! than the log counts. Once it knows the log, it cannot be opened ([`Custodian::open`]) except to erase the rows again
//! ([`Custodian::open_copy`], [`Custodian::erase_again`]). Nobody can show that no other copy exists.

use std::collections::{BTreeMap, BTreeSet, btree_map};

use rand_core::CryptoRng;
use wire::{Decode as _, Encode as _};

use super::{
    Custodian, CustodyError, EpochState, Space, Store, Write, promises::is_of_epochs,
    users::node_place,
};
use crate::{
    AuxRecord, Entry, Fault, Hash, UserKeys,
    log::{ErasureProof, LoggedRecords, SignedCheckpoint, Tombstone, merkle},
    puncture::{Puncturable, Punctured},
};

/// Epochs of a key period that are searched for a user's rows.
const MAX_PERIOD: u32 = 1 << 16;

/// One user's rows in a key period.
struct Own {
    user: Vec<u8>,
    keys: UserKeys,
    epochs: Vec<u32>,
}

impl<S: Store> Custodian<S> {
    /// Erases a user's rows of the key period of an epoch, with the keys; of which epochs they were. The epochs
    /// must be in the log, and more than one only if `whole_period` says so.
    ///
    /// # Errors
    /// [`CustodyError::Unerasable`] with the reason; [`CustodyError::Erased`] if that was done before.
    pub fn erase(
        &self,
        epoch: u32,
        user: &[u8],
        whole_period: bool,
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<u32>, CustodyError> {
        // No roll-up is made of rows that go meanwhile.
        let _sealing = self.seal_none();
        let _writer = self.write();
        self.require_restored()?;
        let mut epochs = Vec::new();
        for epoch in self.epochs_of_period(epoch)? {
            if self.is_erased(epoch, user)? {
                return Err(CustodyError::Erased { epoch });
            }
            if self.store.get(Space::Rows, &self.place(Space::Rows, epoch, user))?.is_some() {
                epochs.push(epoch);
            }
        }
        if epochs.is_empty() {
            return Err(unerasable("the user has no row in this key period"));
        }
        if epochs.len() > 1 && !whole_period {
            return Err(CustodyError::WholePeriod { epochs });
        }
        let missing = CustodyError::Damaged("a row's user has no keys");
        let keys = self.user_keys(epoch, user)?.ok_or(missing)?;
        self.require_erasable(&epochs)?;
        let tombstones: Vec<Tombstone> =
            epochs.iter().flat_map(|epoch| self.tombstones_of(*epoch, (user, &keys))).collect();
        let own = Own { user: user.to_vec(), keys, epochs: epochs.clone() };
        self.bury(&tombstones, &[own], rng)?;
        Ok(epochs)
    }

    /// Erases once more what had been erased before a copy that was put back was made: the whole list of
    /// tombstones, as [`Custodian::tombstones`] gave it. How many there were that this copy did not have.
    ///
    /// # Errors
    /// [`CustodyError::Unerasable`] for a list that does not continue the one here, or that names rows which
    /// nobody has.
    pub fn erase_again(
        &self,
        list: &[Tombstone],
        rng: &mut impl CryptoRng,
    ) -> Result<usize, CustodyError> {
        let _sealing = self.seal_none();
        let _writer = self.write();
        let known = self.tombstones()?;
        let other = unerasable("the list does not continue the one of this copy");
        let new = list.strip_prefix(known.as_slice()).ok_or(other)?;
        if new.is_empty() {
            return Ok(0);
        }
        let mut owners: Vec<Own> = Vec::new();
        for epoch in new.iter().map(|one| one.epoch).collect::<BTreeSet<u32>>() {
            // Of an epoch that was lost there are no rows to erase.
            if self.is_lost(epoch)? {
                continue;
            }
            self.find_owners(epoch, new, &mut owners)?;
        }
        self.bury(new, &owners, rng)?;
        Ok(new.len())
    }

    /// Finds whose the rows of an epoch are that tombstones name: all of them are here.
    fn find_owners(
        &self,
        epoch: u32,
        tombstones: &[Tombstone],
        owners: &mut Vec<Own>,
    ) -> Result<(), CustodyError> {
        let of_epoch = tombstones.iter().filter(|one| one.epoch == epoch);
        let gone: BTreeSet<(u16, Hash)> = of_epoch.map(|one| (one.column, one.pseudonym)).collect();
        let mut named = 0;
        for Entry { row, keys } in self.entries(epoch)? {
            let own = self.tombstones_of(epoch, (&row.user, &keys));
            let found = own.filter(|one| gone.contains(&(one.column, one.pseudonym))).count();
            if found == 0 {
                continue;
            }
            named += found;
            let in_period = |of: &u32| self.period(*of) == self.period(epoch);
            let same = |one: &&mut Own| one.user == row.user && one.epochs.iter().all(in_period);
            match owners.iter_mut().find(same) {
                Some(owner) => owner.epochs.push(epoch),
                None => owners.push(Own { user: row.user, keys, epochs: vec![epoch] }),
            }
        }
        match named == gone.len() {
            true => Ok(()),
            false => Err(unerasable("the list names a row that is not here")),
        }
    }

    /// The tombstones of all rows that were erased, in the order of the list that epochs record.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn tombstones(&self) -> Result<Vec<Tombstone>, CustodyError> {
        let stored = self.store.scan(Space::Tombstones, &[])?;
        stored.iter().map(|(_, bytes)| Ok(Tombstone::from_bytes(bytes)?)).collect()
    }

    /// Whether a user's row in an epoch was erased.
    ///
    /// # Errors
    /// [`CustodyError::Store`].
    pub fn is_erased(&self, epoch: u32, user: &[u8]) -> Result<bool, CustodyError> {
        Ok(self.store.get(Space::Erased, &self.buried(epoch, user))?.is_some())
    }

    /// Shows that a user's row was erased, for every ordered column, by the newest list in a log; `None` if the
    /// log records no list that has it.
    ///
    /// # Errors
    /// [`CustodyError::Unerasable`] for a row that was not erased.
    pub fn show_erasure(
        &self,
        signed: &SignedCheckpoint,
        epoch: u32,
        user: &[u8],
    ) -> Result<Option<Vec<ErasureProof>>, CustodyError> {
        let place = self.buried(epoch, user);
        let stored = self.store.get(Space::Erased, &place)?;
        let stored = stored.ok_or_else(|| unerasable("the row was not erased"))?;
        let damaged = || CustodyError::Damaged("the number of a tombstone");
        let first = stored.as_slice().try_into().map(u64::from_be_bytes).map_err(|_| damaged())?;
        let size = signed.checkpoint.size;
        let Some((recorded, count)) = self.newest_erasures(size)? else { return Ok(None) };
        let columns = self.table.schema().ordered().count() as u64;
        if first.saturating_add(columns) > count {
            return Ok(None);
        }
        let list = self.tombstones()?;
        let leaves: Vec<Vec<u8>> =
            list.iter().take(count as usize).map(|one| one.to_bytes()).collect();
        let show = |number: u64| {
            let tombstone = *list.get(number as usize).ok_or_else(damaged)?;
            let inclusion = merkle::inclusion(number as usize, &leaves);
            Ok(ErasureProof { recorded: recorded.clone(), number, tombstone, inclusion })
        };
        (first..first + columns).map(show).collect::<Result<_, CustodyError>>().map(Some)
    }

    /// The newest epoch of a log that records erasures, and how many.
    fn newest_erasures(&self, size: u64) -> Result<Option<(LoggedRecords, u64)>, CustodyError> {
        let first = self.table.genesis().first_epoch;
        for index in (0..size as u32).rev() {
            let epoch = first.saturating_add(index);
            let records = self.records(epoch)?;
            if let Some((count, _)) = records.iter().find_map(AuxRecord::erasures) {
                let epoch = self.logged(epoch, size)?;
                return Ok(Some((LoggedRecords { epoch, records }, count)));
            }
        }
        Ok(None)
    }

    /// What the next epoch records of the rows erased so far.
    pub(super) fn erasures(&self) -> Result<Option<AuxRecord>, CustodyError> {
        let list = self.store.scan(Space::Tombstones, &[])?;
        let leaves: Vec<Vec<u8>> = list.into_iter().map(|(_, bytes)| bytes).collect();
        let (count, root) = (leaves.len() as u64, merkle::root(&leaves));
        Ok((count > 0).then_some(AuxRecord::Erasures { count, root }))
    }

    /// Requires that everything was erased here that the records of this store's epochs count.
    pub(super) fn require_erased(&self) -> Result<(), CustodyError> {
        let list = self.store.scan(Space::Tombstones, &[])?;
        let leaves: Vec<Vec<u8>> = list.into_iter().map(|(_, bytes)| bytes).collect();
        let stored = leaves.len() as u64;
        if let Some((count, root)) = self.recorded_erasures()? {
            let Some(recorded) = leaves.get(..count as usize) else {
                return Err(CustodyError::Unerased { log: count, stored });
            };
            if merkle::root(recorded) != root {
                return Err(CustodyError::Damaged("the list of erased rows"));
            }
        }
        Ok(())
    }

    /// The longest list of erasures that an epoch of this store records.
    fn recorded_erasures(&self) -> Result<Option<(u64, Hash)>, CustodyError> {
        let mut longest = None;
        for (_, bytes) in self.store.scan(Space::Records, &[])? {
            let records = super::records::decode_stored(&bytes)?;
            longest = longest.max(records.iter().find_map(AuxRecord::erasures));
        }
        Ok(longest)
    }

    /// The tombstones of the rows that were erased of an epoch.
    pub(super) fn tombstones_in(&self, epoch: u32) -> Result<Vec<Tombstone>, CustodyError> {
        // Most epochs have none.
        match self.store.scan(Space::Erased, &epoch.to_be_bytes())?.is_empty() {
            true => Ok(Vec::new()),
            false => Ok(self.tombstones()?.into_iter().filter(|one| one.epoch == epoch).collect()),
        }
    }

    fn tombstones_of<'a>(
        &'a self,
        epoch: u32,
        (user, keys): (&'a [u8], &'a UserKeys),
    ) -> impl Iterator<Item = Tombstone> + use<'a, S> {
        let pseudonym = move |column| keys.pseudonym(self.table.id(), epoch, column, user);
        let columns = self.table.schema().ordered();
        columns.map(move |column| Tombstone { epoch, column, pseudonym: pseudonym(column) })
    }

    /// Where the number of a user's tombstone is: under a keyed hash also where other users are named plainly.
    fn buried(&self, epoch: u32, user: &[u8]) -> Vec<u8> {
        [&epoch.to_be_bytes()[..], &self.master.alias(Space::Erased, epoch, user)].concat()
    }

    /// The epochs of an epoch's key period.
    fn epochs_of_period(&self, epoch: u32) -> Result<std::ops::Range<u32>, CustodyError> {
        let genesis = self.table.genesis();
        let (length, first) = (genesis.schema.key_period.max(1), genesis.first_epoch);
        if epoch < first {
            return Err(Fault::Bounds { what: "the epoch" }.into());
        }
        if length > MAX_PERIOD {
            return Err(unerasable("a key period of this table has more epochs than are searched"));
        }
        let from = first.saturating_add(self.period(epoch).saturating_mul(length));
        Ok(from..from.saturating_add(length))
    }

    /// Requires that rows of these epochs may go: nobody was promised that they will be in the log, and nothing
    /// that is to come needs them.
    fn require_erasable(&self, epochs: &[u32]) -> Result<(), CustodyError> {
        let next = self.next_epoch()?;
        for epoch in epochs {
            let state = self.state(*epoch)?;
            if state < EpochState::Logged {
                return Err(CustodyError::State { epoch: *epoch, state });
            }
            if !self.is_indexed(*epoch)? {
                return Err(unerasable("an epoch was sealed by a version that kept no tiles"));
            }
            let held = |region: &crate::query::Region| (region.from..=region.to).contains(epoch);
            if self.rollups(next)?.iter().any(|predicate| held(&predicate.region)) {
                return Err(unerasable(
                    "the next epoch will hold a roll-up of these rows: seal it first",
                ));
            }
        }
        Ok(())
    }

    /// Forgets keys, deletes rows and writes tombstones, all or nothing.
    fn bury(
        &self,
        tombstones: &[Tombstone],
        owners: &[Own],
        rng: &mut impl CryptoRng,
    ) -> Result<(), CustodyError> {
        let mut batch: Vec<Write> = Vec::new();
        let start = self.tombstones()?.len() as u64;
        for (number, tombstone) in (start..).zip(tombstones) {
            let place = number.to_be_bytes().to_vec();
            batch.push((Space::Tombstones, place, Some(tombstone.to_bytes())));
        }
        let epochs: BTreeSet<u32> = owners.iter().flat_map(|own| own.epochs.clone()).collect();
        let mut secrets: BTreeMap<u32, Puncturable> = BTreeMap::new();
        for Own { user, keys, epochs } in owners {
            for epoch in epochs {
                let mine: BTreeSet<Hash> =
                    self.tombstones_of(*epoch, (user, keys)).map(|one| one.pseudonym).collect();
                let of = |(_, one): &(u64, &Tombstone)| {
                    one.epoch == *epoch && mine.contains(&one.pseudonym)
                };
                let first = (start..).zip(tombstones).find(of).map(|(number, _)| number);
                let first = first.ok_or(unerasable("a row without a tombstone"))?;
                let value = Some(first.to_be_bytes().to_vec());
                batch.push((Space::Erased, self.buried(*epoch, user), value));
                for space in [Space::Rows, Space::Promises] {
                    batch.push((space, self.place(space, *epoch, user), None));
                }
            }
            let Some(epoch) = epochs.first() else { continue };
            batch.push((Space::Users, self.user_key(*epoch, user), None));
            self.puncture(*epoch, user, &mut secrets, &mut batch, rng)?;
        }
        // The hash of a batch of rows tells them to whoever tries out all values.
        for (name, known) in self.store.scan(Space::Batches, &[])? {
            if is_of_epochs(&known, &epochs)? {
                batch.push((Space::Batches, name, None));
            }
        }
        let done = self.store.commit(batch);
        epochs.iter().for_each(|epoch| self.forget_secret(self.period(*epoch)));
        Ok(done?)
    }

    /// Makes the secret of an epoch's key period forget a user. The secrets are those of this batch so far.
    fn puncture(
        &self,
        epoch: u32,
        user: &[u8],
        secrets: &mut BTreeMap<u32, Puncturable>,
        batch: &mut Vec<Write>,
        rng: &mut impl CryptoRng,
    ) -> Result<(), CustodyError> {
        let period = self.period(epoch);
        let secret = match secrets.entry(period) {
            btree_map::Entry::Occupied(known) => known.into_mut(),
            btree_map::Entry::Vacant(unknown) => {
                unknown.insert((*self.secret_or_drawn(epoch, batch, rng)?).clone())
            }
        };
        let Some(punctured) = secret.puncture(&self.leaf(period, user)) else { return Ok(()) };
        let Punctured { dropped, siblings } = &punctured;
        batch.push((Space::Secrets, node_place(period, dropped), None));
        for (path, node) in siblings {
            batch.push(self.seal(Space::Secrets, node_place(period, path), &**node, rng)?);
        }
        secret.apply(punctured);
        Ok(())
    }
}

fn unerasable(reason: &'static str) -> CustodyError {
    CustodyError::Unerasable { reason }
}
