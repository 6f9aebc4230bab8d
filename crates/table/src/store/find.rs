//! Rows looked up from what is stored of their epoch's trees: a tile of every eight layers, and a block of
//! each trie. An epoch of a million rows need not be built for it, nor be in memory.

use super::{
    Custodian, CustodyError, EpochState, Space, Store,
    layout::{Which, crown_place, tile_place},
};
use crate::{
    AbsenceProof, Hash, Lookup,
    log::LoggedEpoch,
    sum_tree::{on_path, path_in_tiles},
    trie::{Absence, Crown, Found},
};

const DAMAGED: CustodyError = CustodyError::Damaged("what is stored of an epoch's trees");

impl<S: Store> Custodian<S> {
    /// Whether rows of an epoch can be looked up without building it. Epochs that earlier versions sealed
    /// have no tiles.
    ///
    /// # Errors
    /// [`CustodyError`].
    pub fn is_indexed(&self, epoch: u32) -> Result<bool, CustodyError> {
        let Some(column) = self.table.schema().ordered().next() else { return Ok(false) };
        Ok(self.store.get(Space::Tries, &crown_place(epoch, column, Which::Types))?.is_some())
    }

    /// A user's row in an ordered column of an epoch, as [`Lookup::find`] shows it; `None` if there is none.
    /// What is read is checked against the epoch's header.
    ///
    /// # Errors
    /// [`CustodyError::Damaged`], for an epoch without tiles, too; [`CustodyError::State`] for one that is not
    /// ready to be shown.
    pub fn look_up(
        &self,
        logged: LoggedEpoch,
        column: u16,
        user: &[u8],
    ) -> Result<Option<Lookup>, CustodyError> {
        let epoch = logged.header.core.epoch;
        self.require_shown(epoch)?;
        let place = self.place(Space::Rows, epoch, user);
        let Some(sealed) = self.store.get(Space::Rows, &place)? else {
            return match self.is_erased(epoch, user)? {
                true => Err(CustodyError::Erased { epoch }),
                false => Ok(None),
            };
        };
        let row = self.open_row(&place, &sealed)?;
        let keys = self.user_keys(epoch, user)?;
        let keys = keys.ok_or(CustodyError::Damaged("a row's user has no keys"))?;
        let pseudonym = keys.pseudonym(self.table.id(), epoch, column, user);
        let Found::Present(types, count) = self.find((epoch, column, Which::Types), &row.key)?
        else {
            return Err(DAMAGED);
        };
        let found = self.find((epoch, column, Which::Ids), pseudonym.as_bytes())?;
        let Found::Present(ids, rank) = found else { return Err(DAMAGED) };
        let tile = |tile| {
            let stored =
                self.store.get(Space::Tiles, &tile_place(epoch, column, &row.key, tile))?;
            stored.ok_or(DAMAGED)
        };
        let tiles: Vec<Vec<u8>> = on_path(rank, count).map(tile).collect::<Result<_, _>>()?;
        let slots = self.table.schema().slots(column).len();
        let (leaf, path) = path_in_tiles(slots, (rank, count), &tiles).ok_or(DAMAGED)?;
        let key = row.key.clone();
        let lookup = Lookup { epoch: logged, column, key, pseudonym, leaf, path, types, ids };
        lookup.verify_place(&self.table).map_err(|_| DAMAGED)?;
        Ok(Some(lookup))
    }

    /// Shows that a pseudonym is not in an ordered column of an epoch, as [`AbsenceProof::show`] does; `None` if
    /// it is.
    ///
    /// # Errors
    /// As [`Custodian::look_up`].
    pub fn show_absence(
        &self,
        logged: LoggedEpoch,
        column: u16,
        pseudonym: Hash,
    ) -> Result<Option<AbsenceProof>, CustodyError> {
        let epoch = logged.header.core.epoch;
        self.require_shown(epoch)?;
        let found = self.find((epoch, column, Which::Ids), pseudonym.as_bytes())?;
        let Found::Absent(absence) = found else { return Ok(None) };
        self.check_absence(&logged, column, (&pseudonym, &absence))?;
        Ok(Some(AbsenceProof { epoch: logged, column, pseudonym, absence }))
    }

    fn check_absence(
        &self,
        logged: &LoggedEpoch,
        column: u16,
        (pseudonym, absence): (&Hash, &Absence),
    ) -> Result<(), CustodyError> {
        let position = self.table.schema().ordered().position(|ordered| ordered == column);
        let roots = position.and_then(|position| logged.header.core.columns.get(position));
        let roots = roots.ok_or(DAMAGED)?;
        absence.verify(&roots.ids, pseudonym.as_bytes()).map_err(|_| DAMAGED)
    }

    fn require_shown(&self, epoch: u32) -> Result<(), CustodyError> {
        match self.state(epoch)? {
            _ if self.is_lost(epoch)? => Err(CustodyError::Lost { epoch }),
            EpochState::Witnessed => Ok(()),
            state => Err(CustodyError::State { epoch, state }),
        }
    }

    fn find(
        &self,
        (epoch, column, which): (u32, u16, Which),
        key: &[u8],
    ) -> Result<Found, CustodyError> {
        let place = crown_place(epoch, column, which);
        let crown = self.store.get(Space::Tries, &place)?.ok_or(DAMAGED)?;
        let crown = Crown::decode(&crown, key.len())?;
        crown.find(key, |number: u32| {
            let place = [&place[..], &number.to_be_bytes()].concat();
            self.store.get(Space::Tries, &place)?.ok_or(DAMAGED)
        })
    }
}
