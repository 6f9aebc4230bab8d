//! Taking rows in, with keys for their users.

use std::collections::HashSet;

use rand_core::CryptoRng;
use rayon::prelude::*;
use wire::{DecodeError, Encode, Reader, put_bytes};
use zeroize::Zeroizing;

use super::{Custodian, CustodyError, EpochState, Space, Store, Write};
use crate::{Row, UserKeys, error::MAX_USER_LEN, puncture::Puncturable};

const MAX_KEY: usize = 128;

/// A row that comes in, beside what the store has.
struct Received {
    /// Where the row is, or will be.
    place: Vec<u8>,
    /// A row of the same user and epoch.
    stored: Option<Row>,
    keys: UserKeys,
    /// What stores that the user has these keys from now on.
    given: Option<Write>,
}

impl<S: Store> Custodian<S> {
    /// Takes rows in, all or none, with keys for users that have none in the key period. When it
    /// returns they are stored for good. A row that is there already is accepted once more.
    ///
    /// # Errors
    /// [`CustodyError::Row`], [`CustodyError::Duplicate`], [`CustodyError::State`].
    pub fn ingest(
        &self,
        epoch: u32,
        rows: &[Row],
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<UserKeys>, CustodyError> {
        let _writer = self.write();
        let (batch, issued) = self.prepare(epoch, rows, rng)?;
        self.store.commit(batch)?;
        Ok(issued)
    }

    /// What stores rows, and their users' keys.
    pub(super) fn prepare(
        &self,
        epoch: u32,
        rows: &[Row],
        rng: &mut impl CryptoRng,
    ) -> Result<(Vec<Write>, Vec<UserKeys>), CustodyError> {
        // A row may be one of an epoch that others saw sealed.
        self.require_caught_up()?;
        match self.state(epoch)? {
            EpochState::Open => {}
            state => return Err(CustodyError::State { epoch, state }),
        }
        if epoch < self.table.genesis().first_epoch {
            let next = self.table.genesis().first_epoch;
            return Err(CustodyError::OutOfOrder { epoch, next });
        }
        let mut batch: Vec<Write> = Vec::new();
        let secret = match rows.is_empty() {
            true => return Ok((batch, Vec::new())),
            false => self.secret_or_drawn(epoch, &mut batch, rng)?,
        };
        // Hashing and decrypting take the time; what depends on the order of rows is done in that order.
        let received: Vec<_> =
            rows.par_iter().map(|row| self.receive(&secret, epoch, row)).collect();
        let mut users = HashSet::new();
        let mut issued = Vec::with_capacity(rows.len());
        for (index, (row, received)) in rows.iter().zip(received).enumerate() {
            let checked = self.table.schema().check_row(row);
            checked.map_err(|error| CustodyError::Row { index, error })?;
            let Received { place, stored, keys, given } = received?;
            if !users.insert(&row.user) || stored.as_ref().is_some_and(|stored| stored != row) {
                return Err(CustodyError::Duplicate { index, epoch });
            }
            batch.extend(given);
            if stored.is_none() {
                let bytes = Zeroizing::new(encode_row(row));
                batch.push(self.seal(Space::Rows, place, &bytes, rng)?);
            }
            issued.push(keys);
        }
        Ok((batch, issued))
    }

    /// What the store has of a row and its user, and the keys that the user gets.
    fn receive(
        &self,
        secret: &Puncturable,
        epoch: u32,
        row: &Row,
    ) -> Result<Received, CustodyError> {
        let place = self.place(Space::Rows, epoch, &row.user);
        let sealed = self.store.get(Space::Rows, &place)?;
        let stored = sealed.map(|sealed| self.open_row(&place, &sealed)).transpose()?;
        let user_place = self.user_key(epoch, &row.user);
        let (keys, given) = match self.known_keys(epoch, &row.user, &user_place)? {
            Some(keys) => (keys, None),
            None => {
                let (keys, given) = self.give_keys(secret, epoch, &row.user, user_place)?;
                (keys, Some(given))
            }
        };
        Ok(Received { place, stored, keys, given })
    }

    pub(super) fn open_row(&self, key: &[u8], sealed: &[u8]) -> Result<Row, CustodyError> {
        let opened = self.master.open((Space::Rows, key), sealed).ok_or(CustodyError::WrongKey)?;
        Ok(decode_row(&mut Reader::new(&opened))?)
    }
}

fn encode_row(row: &Row) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, &row.user);
    put_bytes(&mut out, &row.key);
    row.values.iter().for_each(|value| value.encode(&mut out));
    out
}

fn decode_row(reader: &mut Reader<'_>) -> Result<Row, DecodeError> {
    let user = reader.bytes("user", MAX_USER_LEN)?.to_vec();
    let key = reader.bytes("key", MAX_KEY)?.to_vec();
    let mut values = Vec::new();
    while reader.remaining() > 0 {
        values.push(reader.u64()?);
    }
    Ok(Row { user, key, values })
}
