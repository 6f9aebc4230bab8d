//! Users in the store: under which names it has them, and their keys.

use rand_core::CryptoRng;

use super::{Custodian, CustodyError, Space, Store};
use crate::{Fault, UserKeys, schema::MAX_USER_LEN};

impl<S: Store> Custodian<S> {
    /// The keys that a user has in an epoch's key period.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn user_keys(&self, epoch: u32, user: &[u8]) -> Result<Option<UserKeys>, CustodyError> {
        let key = self.user_key(epoch, user);
        let Some(sealed) = self.store.get(Space::Users, &key)? else { return Ok(None) };
        let opened =
            self.master.open((Space::Users, &key), &sealed).ok_or(CustodyError::WrongKey)?;
        let keys = opened.as_slice().try_into().map(UserKeys::from_bytes);
        keys.map(Some).map_err(|_| CustodyError::Damaged("a user's keys"))
    }

    /// Gives a user keys that has none in an epoch's key period, as somebody gets them that never sent a row and wants
    /// to be shown that there is none. Whoever has keys keeps them.
    ///
    /// # Errors
    /// [`CustodyError::Restoring`]; [`CustodyError::Fault`] for a name or an epoch that the table cannot have.
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
        let keys = UserKeys::generate(rng);
        let sealed = self.seal(Space::Users, self.user_key(epoch, user), &*keys.to_bytes(), rng)?;
        self.store.commit(vec![sealed])?;
        Ok(keys)
    }

    pub(super) fn user_key(&self, epoch: u32, user: &[u8]) -> Vec<u8> {
        let genesis = self.table.genesis();
        let period = genesis.schema.period(genesis.first_epoch, epoch);
        self.place(Space::Users, period, user)
    }

    /// Where the store has something about a user in an epoch or a key period.
    pub(super) fn place(&self, space: Space, number: u32, user: &[u8]) -> Vec<u8> {
        match self.aliased {
            true => [&number.to_be_bytes()[..], &self.master.alias(space, number, user)].concat(),
            false => [&number.to_be_bytes()[..], user].concat(),
        }
    }
}
