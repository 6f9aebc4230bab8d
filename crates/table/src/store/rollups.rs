//! Which roll-ups an epoch holds: fixed when it closes, and built again whenever they are needed.

use std::collections::BTreeSet;

use rand_core::CryptoRng;
use wire::{Decode, DecodeError, Encode, Reader};

use super::{Custodian, CustodyError, EpochState, Space, Store};
use crate::{
    BuiltEpoch, EpochHeader, Fault,
    log::SignedCheckpoint,
    query::{self, Answer, Query},
    rollup::{Predicate, check_rows},
};

const MAX_ROLLUPS: usize = 1 << 12;

fn decode_predicates(bytes: &[u8]) -> Result<Vec<Predicate>, CustodyError> {
    let mut reader = Reader::new(bytes);
    let count = reader.count("roll-ups", MAX_ROLLUPS)?;
    let predicates = (0..count).map(|_| Predicate::decode(&mut reader));
    let predicates = predicates.collect::<Result<_, DecodeError>>()?;
    reader.finish()?;
    Ok(predicates)
}

impl<S: Store> Custodian<S> {
    /// The roll-ups that an epoch holds, or will hold.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn rollups(&self, epoch: u32) -> Result<Vec<Predicate>, CustodyError> {
        let stored = self.store.get(Space::Rollups, &epoch.to_be_bytes())?;
        stored.map_or_else(|| Ok(Vec::new()), |bytes| decode_predicates(&bytes))
    }

    /// Adds roll-ups to those that the next epoch will hold; the epoch. Whoever names one again
    /// changes nothing.
    ///
    /// # Errors
    /// [`CustodyError::State`] if the next epoch is closed already, [`CustodyError::Fault`] for
    /// roll-ups that policy and rows do not allow, or more than an epoch holds.
    pub fn add_rollups(&self, predicates: &[Predicate]) -> Result<u32, CustodyError> {
        for predicate in predicates {
            predicate.check(&self.table, self.next_epoch()?)?;
            self.check_keys(predicate)?;
        }
        let _writer = self.write();
        let epoch = self.next_epoch()?;
        match self.state(epoch)? {
            EpochState::Open => {}
            state => return Err(CustodyError::State { epoch, state }),
        }
        let mut all = self.rollups(epoch)?;
        for predicate in predicates {
            if !all.contains(predicate) {
                all.push(predicate.clone());
            }
        }
        // What could not be read again would keep the epoch from being sealed.
        if all.len() > MAX_ROLLUPS {
            return Err(Fault::Bounds { what: "the roll-ups of an epoch" }.into());
        }
        let mut bytes = Vec::new();
        (all.len() as u32).encode(&mut bytes);
        all.iter().for_each(|predicate| predicate.encode(&mut bytes));
        let write = (Space::Rollups, epoch.to_be_bytes().to_vec(), Some(bytes));
        self.store.commit(vec![write])?;
        Ok(epoch)
    }

    /// Every key under the roll-up has enough rows: or the epoch that holds it could not be sealed.
    fn check_keys(&self, predicate: &Predicate) -> Result<(), CustodyError> {
        let (schema, region) = (self.table.schema(), &predicate.region);
        let bits = (8 * schema.key_len()) as u16;
        let mut rows = 0;
        for epoch in region.from..=region.to {
            let built = self.rebuild(epoch)?;
            let column = built.column(predicate.column);
            let keys = column.into_iter().flat_map(|column| &column.keys);
            for key in keys.filter(|key| region.overlaps(schema, &key.key, bits)) {
                check_rows(&self.table, key.tree.count())?;
                rows += key.tree.count();
            }
        }
        match rows {
            0 => Err(Fault::Query { reason: "a roll-up has rows" }.into()),
            _ => Ok(()),
        }
    }

    /// Puts the roll-ups into an epoch that has just been built.
    pub(super) fn roll_up(&self, built: &mut BuiltEpoch) -> Result<(), CustodyError> {
        let predicates = self.rollups(built.core.epoch)?;
        let regions = predicates.iter().map(|predicate| &predicate.region);
        let covered: BTreeSet<u32> = regions.flat_map(|region| region.from..=region.to).collect();
        let Some(first) = covered.first() else { return Ok(()) };
        let headers = (*first..built.core.epoch).map(|epoch| self.header(epoch));
        let headers: Vec<EpochHeader> = headers.collect::<Result<_, CustodyError>>()?;
        let past = covered.into_iter().map(|epoch| self.rebuild(epoch));
        let past: Vec<BuiltEpoch> = past.collect::<Result<_, CustodyError>>()?;
        Ok(built.roll_up(&self.table, &self.secrets, &predicates, &headers, &past)?)
    }

    /// Answers a query from the newest roll-up of its region in a log; `None` if it holds none.
    ///
    /// # Errors
    /// [`CustodyError`], and as [`query::answer`].
    pub fn answer_rolled_up(
        &self,
        signed: &SignedCheckpoint,
        query: &Query,
        rng: &mut impl CryptoRng,
    ) -> Result<Option<Answer>, CustodyError> {
        let (table, checkpoint) = (&self.table, &signed.checkpoint);
        let Some(holder) = self.find_rollup(query, checkpoint.size)? else { return Ok(None) };
        let mut attestations = Vec::new();
        for epoch in (query.region.from..=query.region.to).chain([holder]) {
            attestations.extend(self.attestations(epoch)?);
        }
        let mut built = self.load(holder)?;
        let core = built.core.clone();
        self.roll_up(&mut built)?;
        if built.core != core {
            return Err(CustodyError::Damaged("the roll-ups of an epoch have changed"));
        }
        let epochs = (query.region.from..=holder).map(|epoch| self.logged(epoch, checkpoint.size));
        let source = (epochs.collect::<Result<_, CustodyError>>()?, &built);
        let query = query.clone();
        let answer = query::answer_rolled_up(table, checkpoint, query, source, attestations, rng)?;
        Ok(Some(answer))
    }

    /// The newest epoch of a log of `size` that holds the roll-up of a query.
    fn find_rollup(&self, query: &Query, size: u64) -> Result<Option<u32>, CustodyError> {
        let predicate = Predicate::of(self.table.schema(), query);
        let first = self.table.genesis().first_epoch;
        let mut found = None;
        for (key, bytes) in self.store.scan(Space::Rollups, &[])? {
            let damaged = |_| CustodyError::Damaged("the epoch of a roll-up");
            let epoch = u32::from_be_bytes(key.try_into().map_err(damaged)?);
            let logged = u64::from(epoch.saturating_sub(first)) < size;
            if logged && decode_predicates(&bytes)?.contains(&predicate) {
                found = Some(epoch);
            }
        }
        Ok(found)
    }
}
