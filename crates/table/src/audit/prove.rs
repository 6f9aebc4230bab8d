//! Making an epoch's bundle.

use rayon::prelude::*;
use wire::{Progress, Reader};

use super::{
    leaves::{self, ColumnLeaves},
    order, rollups,
    rollups::RolledLeaves,
    run::{Run, runs},
    verify::powers,
};
use crate::{
    BuiltEpoch, Fault, Hash, Table, TableKeys, hash::KeyedHashing, leaf::Opening,
    range::ValueOpening,
};

/// Parts the randomness of an epoch's proofs from all else that is drawn from the prover's seed. A change of what is
/// proven, or of how, changes this name, so that no two programs answer different challenges with the same nonces.
const SEED: &str = "audit 0.1.0";

/// Makes the audit bundle of a built epoch. The same epoch and keys give the same bytes.
///
/// # Errors
/// [`Fault`] if the epoch is not one that an audit could accept.
pub fn prove(
    table: &Table,
    secrets: &TableKeys,
    built: &BuiltEpoch,
    progress: &dyn Progress,
) -> Result<Vec<u8>, Fault> {
    let core = built.core.hash(table.id());
    let mut out = Vec::new();
    leaves::encode(built, &mut out);
    rollups::encode(built, &mut out);
    let mut reader = Reader::new(&out);
    let columns = leaves::decode(&mut reader, table.schema())?;
    let rolled = rollups::decode(&mut reader, table, &built.core)?;
    let openings = openings(table, built);
    let seeded = KeyedHashing::new(secrets.prover_seed(), SEED);
    let seed = zeroize::Zeroizing::new(seeded.bytes(core.as_bytes()).finish::<32>());

    let runs = opened_runs(table, built, (&columns, &rolled.list), &openings)?;
    progress.begin("proving order", 1);
    let records = records(table, built);
    out.extend(order::prove(table.schema(), &core, &runs, &records, &seed)?);
    progress.begin("proving powers", 1);
    let hashes = leaf_hashes(built);
    for powers in powers(table.schema(), &core, &columns, &hashes) {
        let rows = openings.get(powers.tree).and_then(|keys| keys.get(powers.index));
        out.extend(powers.proofs.prove(rows.ok_or(Fault::PathShape)?, &seed)?);
    }
    progress.finish();
    Ok(out)
}

/// `R_key` of every key, by ordered column; last the records of roll-ups.
pub(super) fn records(table: &Table, built: &BuiltEpoch) -> Vec<Vec<Hash>> {
    let record = |column: u16, key: &crate::KeyTree| {
        key.tree.root().record(&table.place(built.core.epoch, &key.key, column))
    };
    let column = |column: &crate::BuiltColumn| {
        column.keys.iter().map(|key| record(column.column, key)).collect()
    };
    let rolled = built.rollups.list.iter().map(|rollup| rollup.record).collect();
    built.columns.iter().map(column).chain([rolled]).collect()
}

/// `h_leaf` of every row, by ordered column and key.
fn leaf_hashes(built: &BuiltEpoch) -> Vec<Vec<Vec<Hash>>> {
    let column = |column: &crate::BuiltColumn| {
        column.keys.iter().map(|key| key.tree.leaf_hashes().to_vec()).collect()
    };
    built.columns.iter().map(column).collect()
}

/// The openings of every row: by ordered column, key and rank; last those of roll-ups.
pub(super) fn openings(table: &Table, built: &BuiltEpoch) -> Vec<Vec<Vec<Opening>>> {
    let column = |column: &crate::BuiltColumn| {
        let keys = column.keys.par_iter().map(|key| {
            let rows = (0..key.rows.len()).into_par_iter();
            rows.filter_map(|rank| built.opening(table, column.column, key, rank)).collect()
        });
        keys.collect()
    };
    let rolled = built.rollups.list.iter().map(|rollup| rollup.openings.clone()).collect();
    built.columns.iter().map(column).chain([rolled]).collect()
}

/// Every run with the openings of its statements.
pub(super) fn opened_runs<'a>(
    table: &Table,
    built: &BuiltEpoch,
    (columns, rolled): (&'a [ColumnLeaves], &'a [RolledLeaves]),
    openings: &[Vec<Vec<Opening>>],
) -> Result<Vec<(Run<'a>, Vec<ValueOpening>)>, Fault> {
    let open = |run: Run<'a>| {
        let rows = openings.get(run.tree)?.get(run.index)?;
        let openings = run.openings(rows, &values(built, &run)?)?;
        Some((run, openings))
    };
    let runs = runs(table.schema(), columns, rolled);
    let opened: Option<Vec<_>> = runs.into_par_iter().map(open).collect();
    opened.ok_or(Fault::Bounds { what: "a row of the table" })
}

/// The values of a run's column, row by row.
fn values(built: &BuiltEpoch, run: &Run<'_>) -> Option<Vec<u64>> {
    let Some(column) = built.columns.get(run.tree) else {
        return Some(built.rollups.list.get(run.index)?.values.clone());
    };
    let value = |row: &crate::Ranked| {
        built.entries.get(row.entry as usize)?.row.values.get(usize::from(run.column)).copied()
    };
    column.keys.get(run.index)?.rows.iter().map(value).collect()
}
