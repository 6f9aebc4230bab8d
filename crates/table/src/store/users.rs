//! Users in the store: under which names it has them, and their keys.
//!
//! Every key period has a secret, from which its users' keys are derived and which can be made to forget single
//! users (`puncture`). The store says only who has been given keys. Keys that a user brought back after a restore,
//! and those that earlier versions drew, are stored as they are.

use std::sync::{Arc, PoisonError};

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{Custodian, CustodyError, Space, Store, Write};
use crate::{
    Fault, UserKeys,
    error::MAX_USER_LEN,
    puncture::{DEPTH, Digits, LeafName, Puncturable},
};

/// Key periods whose secrets are kept in memory.
const KEPT_PERIODS: usize = 8;
/// Where a leaf's name ends in a user's alias.
const LEAF_LEN: usize = size_of::<LeafName>();

impl<S: Store> Custodian<S> {
    /// The keys that a user has in an epoch's key period.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn user_keys(&self, epoch: u32, user: &[u8]) -> Result<Option<UserKeys>, CustodyError> {
        self.known_keys(epoch, user, &self.user_key(epoch, user))
    }

    /// The same, for a user whose place in [`Space::Users`] is known.
    pub(super) fn known_keys(
        &self,
        epoch: u32,
        user: &[u8],
        place: &[u8],
    ) -> Result<Option<UserKeys>, CustodyError> {
        let Some(stored) = self.store.get(Space::Users, place)? else { return Ok(None) };
        if stored.is_empty() {
            let missing = CustodyError::Damaged("a key period has no secret");
            let secret = self.secret(self.period(epoch))?.ok_or(missing)?;
            return Ok(self.derive(&secret, epoch, user));
        }
        let opened =
            self.master.open((Space::Users, place), &stored).ok_or(CustodyError::WrongKey)?;
        let keys = opened.as_slice().try_into().map(UserKeys::from_bytes);
        keys.map(Some).map_err(|_| CustodyError::Damaged("a user's keys"))
    }

    /// Gives a user keys that has none in an epoch's key period, as somebody gets them that never sent a row and wants
    /// to be shown that there is none. Whoever has keys keeps them.
    ///
    /// # Errors
    /// [`CustodyError::Restoring`]; [`CustodyError::Erased`]; [`CustodyError::Fault`] for a name or an epoch that the
    /// table cannot have.
    pub fn issue_keys(
        &self,
        epoch: u32,
        user: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<UserKeys, CustodyError> {
        if epoch < self.table.genesis().first_epoch {
            return Err(Fault::Bounds { what: "the epoch" }.into());
        }
        if user.is_empty() || user.len() > MAX_USER_LEN {
            return Err(Fault::Bounds { what: "the length of a user's name" }.into());
        }
        let _writer = self.write();
        // After a restore, the user may have others already.
        self.require_restored()?;
        if let Some(known) = self.user_keys(epoch, user)? {
            return Ok(known);
        }
        let mut batch = Vec::new();
        let secret = self.secret_or_drawn(epoch, &mut batch, rng)?;
        let (keys, given) = self.give_keys(&secret, epoch, user, self.user_key(epoch, user))?;
        batch.push(given);
        self.store.commit(batch)?;
        Ok(keys)
    }

    /// Keys for a user that has none, and what stores at the user's place that they are given.
    pub(super) fn give_keys(
        &self,
        secret: &Puncturable,
        epoch: u32,
        user: &[u8],
        place: Vec<u8>,
    ) -> Result<(UserKeys, Write), CustodyError> {
        let keys = self.derive(secret, epoch, user).ok_or(CustodyError::Erased { epoch })?;
        Ok((keys, (Space::Users, place, Some(Vec::new()))))
    }

    fn derive(&self, secret: &Puncturable, epoch: u32, user: &[u8]) -> Option<UserKeys> {
        let own = secret.key(&self.leaf(self.period(epoch), user))?;
        Some(UserKeys::derive(&own, user))
    }

    /// The leaf of a user in a key period's tree.
    pub(super) fn leaf(&self, period: u32, user: &[u8]) -> LeafName {
        let alias = self.master.alias(Space::Secrets, period, user);
        let mut name = [0; LEAF_LEN];
        name.iter_mut().zip(alias).for_each(|(name, alias)| *name = alias);
        name
    }

    /// The secret of an epoch's key period, drawn if there is none yet: then it is part of the batch.
    pub(super) fn secret_or_drawn(
        &self,
        epoch: u32,
        batch: &mut Vec<Write>,
        rng: &mut impl CryptoRng,
    ) -> Result<Arc<Puncturable>, CustodyError> {
        let period = self.period(epoch);
        if let Some(known) = self.secret(period)? {
            return Ok(known);
        }
        let mut root = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *root);
        batch.push(self.seal(Space::Secrets, node_place(period, &[]), &*root, rng)?);
        Ok(Arc::new(Puncturable::new([(Digits::new(), root)])))
    }

    /// What is left of a key period's secret; `None` before anybody got keys in it.
    fn secret(&self, period: u32) -> Result<Option<Arc<Puncturable>>, CustodyError> {
        // A secret is there as a whole, or not.
        let mut periods = self.periods.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = periods.get(&period) {
            return Ok(Some(Arc::clone(known)));
        }
        let stored = self.store.scan(Space::Secrets, &period.to_be_bytes())?;
        if stored.is_empty() {
            return Ok(None);
        }
        let damaged = || CustodyError::Damaged("the secret of a key period");
        let mut nodes = Vec::with_capacity(stored.len());
        for (place, sealed) in &stored {
            let opened = self.master.open((Space::Secrets, place), sealed);
            let opened = opened.ok_or(CustodyError::WrongKey)?;
            let node = Zeroizing::new(opened.as_slice().try_into().map_err(|_| damaged())?);
            let path = place.get(size_of::<u32>()..).filter(|path| path.len() <= DEPTH);
            nodes.push((path.ok_or_else(damaged)?.to_vec(), node));
        }
        let secret = Arc::new(Puncturable::new(nodes));
        if periods.len() >= KEPT_PERIODS {
            periods.pop_first();
        }
        periods.insert(period, Arc::clone(&secret));
        Ok(Some(secret))
    }

    /// Takes the secret of a key period out of memory: it has changed.
    pub(super) fn forget_secret(&self, period: u32) {
        // A secret is there as a whole, or not.
        self.periods.lock().unwrap_or_else(PoisonError::into_inner).remove(&period);
    }

    pub(super) fn period(&self, epoch: u32) -> u32 {
        let genesis = self.table.genesis();
        genesis.schema.period(genesis.first_epoch, epoch)
    }

    pub(super) fn user_key(&self, epoch: u32, user: &[u8]) -> Vec<u8> {
        self.place(Space::Users, self.period(epoch), user)
    }

    /// Where the store has something about a user in an epoch or a key period.
    pub(super) fn place(&self, space: Space, number: u32, user: &[u8]) -> Vec<u8> {
        match self.aliased {
            true => [&number.to_be_bytes()[..], &self.master.alias(space, number, user)].concat(),
            false => [&number.to_be_bytes()[..], user].concat(),
        }
    }
}

/// Where a node of a key period's secret is.
pub(super) fn node_place(period: u32, path: &[u8]) -> Vec<u8> {
    [&period.to_be_bytes()[..], path].concat()
}
