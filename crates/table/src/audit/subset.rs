//! The check of rows in the clear, with their users' keys, by somebody who was given these, such as a regulator. It
//! checks that the epoch has every one of these rows, once, with these values, and counts the other rows of the epoch.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use wire::{Progress, Reader};

use super::{leaves, verify::verify};
use crate::{Entry, EpochHeader, Fault, Hash, Leaf, Table, commitment::Encoded};

/// Rows in the clear, beside all rows of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subset {
    /// Rows in the clear, all of which the epoch has.
    pub known: u64,
    /// Rows of the epoch.
    pub rows: u64,
}

/// Audits an epoch ([`verify`]), and compares it with rows in the clear, as a set: no row stands for two, and in
/// every ordered column all of them are there.
///
/// # Errors
/// [`Fault::Row`], with the position of a row that the epoch does not have, or has with other values;
/// [`Fault::Duplicate`] for a user with two rows; and as [`verify`].
pub fn verify_subset(
    table: &Table,
    (header, bundle): (&EpochHeader, &[u8]),
    known: &[Entry],
    progress: &dyn Progress,
) -> Result<Subset, Fault> {
    let report = verify(table, header, bundle, progress)?;
    let users: BTreeSet<&[u8]> = known.iter().map(|entry| entry.row.user.as_slice()).collect();
    if users.len() != known.len() {
        return Err(Fault::Duplicate { what: "the row of a user" });
    }
    let (schema, epoch) = (table.schema(), header.core.epoch);
    for column in leaves::decode(&mut Reader::new(bundle), schema)? {
        let mut rows: BTreeMap<Hash, (&[u8], &[Encoded])> = BTreeMap::new();
        for key in &column.keys {
            let leaves = key.pseudonyms.iter().zip(key.encodings.chunks(key.slots.max(1)));
            rows.extend(leaves.map(|(pseudonym, row)| (*pseudonym, (key.key.as_slice(), row))));
        }
        known.par_iter().enumerate().try_for_each(|(index, entry)| {
            let Entry { row, keys } = entry;
            let refused = |reason: &str| Fault::Row { reason: format!("{}: {reason}", index + 1) };
            let place = table.place(epoch, &row.key, column.column);
            let own = Leaf::recompute(schema, &place, keys, row)?;
            let pseudonym = keys.pseudonym(table.id(), epoch, column.column, &row.user);
            match rows.get(&pseudonym) {
                None => Err(refused("the epoch has no row of this user")),
                Some((key, _)) if *key != row.key => Err(refused("the row is in another group")),
                Some((_, leaf)) if *leaf != own.commitments.as_slice() => {
                    Err(refused("the row has other values"))
                }
                Some(_) => Ok(()),
            }
        })?;
    }
    Ok(Subset { known: known.len() as u64, rows: report.rows })
}
